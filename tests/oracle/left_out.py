"""What of PyTorch's operator database is not compared, and why.

OPERATORS: a reason, and the operators (fnmatch patterns) that it holds for among those that are not
shared. Together with the shared ones they are all of the database, and none stands twice.
SAMPLES: of a shared operator ("*": of all of them), a reason and what tells its samples. A reason
that holds for no sample is stale.
ONCE: a reason, and the shared operators with a gradient whose second derivatives are not compared.
"""

import torch

OPERATORS = {
    "complex numbers are no dtype of ours": """
        H mH angle real imag isreal sgn conj conj_physical resolve_conj resolve_neg complex polar
        view_as_complex view_as_real cdouble cfloat chalf nn.functional.silu.complex""",
    "a dtype that ours does not have": "bfloat16 half byte char int short",
    "integers bit by bit: ours has no such ops": """
        bitwise_* __rand__ __ror__ __rxor__ gcd lcm hash_tensor""",
    "Fourier transforms and windows: not part of the course": "fft.* stft istft signal.windows.*",
    "linear algebra beyond the product: not part of the course": """
        linalg.* cholesky cholesky_inverse cholesky_solve geqrf logdet lu lu_solve lu_unpack
        matrix_exp ormqr pca_lowrank pinverse qr svd svd_lowrank triangular_solve block_diag cross
        kron trace norm norm.* renorm cdist dist""",
    "special functions: not part of the course": """
        special.* digamma erfc erfinv i0 igamma igammac lgamma mvlgamma.* polygamma.* sinc xlogy
        logit logaddexp logaddexp2 logcumsumexp""",
    "elementary functions that ours leaves out": """
        acos acosh asin asinh atan atan2 atanh cosh sinh tan deg2rad rad2deg exp2 log10 log2
        copysign signbit isneginf isposinf frac frexp ldexp hypot nextafter heaviside lerp
        nan_to_num positive fmax fmin clone contiguous trunc round.* float_power""",
    "whole-number division and remainders: ours divides in floats": """
        div.floor_rounding div.trunc_rounding floor_divide fmod remainder __rmod__""",
    "sorting, searching and counting: not part of the course": """
        argsort argwhere sort msort kthvalue median mode nanmedian nanquantile quantile unique
        unique_consecutive searchsorted bucketize isin bincount histc histogram histogramdd
        count_nonzero nonzero nonzero_static masked_select masked_scatter""",
    "statistics, integrals and differences: not part of the course": """
        corrcoef cov gradient diff cumulative_trapezoid trapezoid trapz cummax cummin cumprod
        aminmax nanmean nansum std_mean std_mean.unbiased var_mean var_mean.unbiased""",
    "reductions under a mask, over segments or by index: not part of the course": """
        masked.* scatter_reduce.* index_reduce.* _segment_reduce.*""",
    "random numbers: PyTorch's stream is another one than ours": """
        bernoulli cauchy exponential geometric log_normal multinomial normal normal.* rand_like
        randint randint_like randn randn_like uniform nn.functional.alpha_dropout
        nn.functional.dropout nn.functional.dropout2d nn.functional.dropout3d
        nn.functional.feature_alpha_dropout.* nn.functional.rrelu""",
    "uninitialised memory has no values to compare": """
        empty empty_like empty_permuted empty_strided new_empty new_empty_strided resize_
        resize_as_""",
    "writes into its input": "zero_ put",
    "works on the storage behind a tensor": """
        as_strided as_strided.partial_views as_strided_copy as_strided_scatter alias_copy unfold
        unfold_copy""",
    "a copying twin of a shared operator": """
        expand_copy narrow_copy permute_copy split_with_sizes_copy squeeze_copy t_copy
        transpose_copy unbind_copy unsqueeze_copy view_copy unsafe_chunk unsafe_split""",
    "needs a GPU": "jiterator_* bmm.triton_optimized torch._scaled_mm torch._scaled_mm_v2",
    "sparse tensors: not part of the course": "sparse.* to_sparse",
    "one of PyTorch's own inner operators": """
        _batch_norm_with_update _chunk_cat _native_batch_norm_legit _softmax_backward_data
        _unsafe_masked_index* _upsample_bilinear2d_aa native_batch_norm
        native_dropout_backward native_group_norm native_layer_norm
        max_pool2d_with_indices_backward torch.ops.*""",
    "gives no tensor": "allclose equal item broadcast_shapes",
    "a product or a rearrangement that ours writes with matmul, reshape and indices": """
        addbmm addcdiv addcmul addr broadcast_tensors cartesian_prod combinations diag diag_embed
        diagflat diagonal diagonal_copy diagonal_scatter einsum hsplit vsplit dsplit inner outer
        vdot tensordot meshgrid.* repeat_interleave rot90 tensor_split slice""",
    "writing at an index: ours has item assignment and scatter_add": """
        index_add index_copy index_fill index_put scatter select_scatter slice_scatter""",
    "closeness: a matter of tests": "isclose",
    "creation that ours leaves out": """
        linspace.tensor_overload logspace logspace.tensor_overload scalar_tensor tril_indices
        triu_indices unravel_index""",
    "conversion by a dozen kinds of arguments: float, double, long and bool are compared": "to",
    "convolution and pooling of other dimensions and kinds: not part of the course": """
        nn.functional.conv* nn.functional.*_pool1d nn.functional.*_pool2d nn.functional.*_pool3d
        nn.functional.max_unpool* nn.functional.unfold""",
    "norms that ours leaves out": """
        nn.functional.batch_norm.* nn.functional.group_norm
        nn.functional.instance_norm nn.functional.local_response_norm nn.functional.normalize""",
    "heads: ours are a module, compared in test_attention_torch.py": """
        nn.functional.multi_head_attention_forward""",
    "activations that ours leaves out": """
        nn.functional.celu nn.functional.elu nn.functional.glu nn.functional.hard*
        nn.functional.leaky_relu nn.functional.mish nn.functional.prelu nn.functional.relu6
        nn.functional.selu nn.functional.soft[s]* nn.functional.tanhshrink
        nn.functional.threshold""",
    "losses and distances that ours leaves out": """
        nn.functional.*_loss nn.functional.binary_cross_entropy nn.functional.kl_div
        nn.functional.linear_cross_entropy nn.functional.linear_cross_entropy.*
        nn.functional.cosine_similarity nn.functional.pairwise_distance nn.functional.pdist""",
    "images and tables that ours leaves out": """
        grid_sampler_* nn.functional.bilinear nn.functional.channel_shuffle
        nn.functional.embedding_bag nn.functional.grid_sample nn.functional.interpolate.*
        nn.functional.pad.[!c]* nn.functional.pad.circular nn.functional.pixel_*
        nn.functional.upsample_*""",
}


def is_foreign(t):
    return t.dtype not in (torch.float32, torch.float64, torch.int64, torch.bool)


def first(s):
    return s.args[0]


def names_an_axis_of_none(s):
    given = [*s.args[1:], s.kwargs.get("dim")]
    return isinstance(first(s), torch.Tensor) and not first(s).ndim and any(map(is_axis, given))


def is_axis(value):
    value = value[0] if isinstance(value, list | tuple) and len(value) == 1 else value
    return type(value) is int and value in (0, -1)


def has_smaller_indices(s):
    x, dim, indices, _ = s.args
    others = [a for a in range(x.ndim) if a != dim % x.ndim]
    return any(indices.shape[a] < x.shape[a] for a in others)


def holds_bools(s):
    return first(s).dtype == torch.bool


def has_a_fraction(s):
    numbers = [*s.args, *s.kwargs.values()]
    return s.kwargs.get("dtype") == torch.int64 and any(isinstance(x, float) for x in numbers)


def has_other_lengths(s):
    q, k = s.args[:2]
    return s.kwargs["is_causal"] and q.shape[-2] != k.shape[-2]


NEGATIVE_EPS = {"an eps below 0: ours refuses": lambda s: s.kwargs.get("eps", 0.0) < 0.0}
NO_BOOLS = "bools: theirs counts with them, ours refuses"
ALPHA = "ints times a fraction: theirs cuts it off, ours goes on in floats"
FRACTIONS = "ints between fractions: theirs cuts the ends off first, ours (and NumPy) the numbers"
CEIL = "a last window that is not whole: ours counts whole windows alone"
SAMPLES = {
    "*": {
        "a dtype that ours does not have": lambda s: any(map(is_foreign, s.tensors())),
    },
    "__rpow__": {
        "ints to a power below 0: theirs gives 0, ours refuses": lambda s: (
            not first(s).dtype.is_floating_point and bool((first(s) < 0).any())
        ),
    },
    "addmv": {ALPHA: lambda s: first(s).dtype == torch.int64 and "alpha" in s.kwargs},
    "arange": {FRACTIONS: has_a_fraction},
    "baddbmm": {ALPHA: lambda s: first(s).dtype == torch.int64 and "alpha" in s.kwargs},
    "cat": {
        "an empty tensor of one axis among others: an old habit of theirs": lambda s: (
            len({t.ndim for t in s.tensors()}) > 1
        ),
    },
    "linspace": {FRACTIONS: has_a_fraction},
    "masked_fill": {
        "10 into bools: theirs lets it pass, ours refuses": holds_bools,
        "the value is a tensor with a gradient: ours is a number": lambda s: isinstance(
            s.args[2], torch.Tensor
        ),
    },
    "nn.functional.avg_pool2d": {
        CEIL: lambda s: len(s.args) > 4 and s.args[4],
        "a sum divided by a number of one's own: ours is the mean": lambda s: (
            len(s.args) > 6 and s.args[6] is not None
        ),
        "ints: theirs divides and cuts off, ours goes on in floats": lambda s: (
            first(s).dtype == torch.int64
        ),
    },
    "nn.functional.batch_norm": {
        "a row of no numbers: ours wants a batch and channels": lambda s: first(s).ndim < 2,
    },
    "nn.functional.binary_cross_entropy_with_logits": {
        "a weight for each element: ours has none": lambda s: "weight" in s.kwargs,
    },
    "nn.functional.cross_entropy": {
        "probabilities of the classes as target: ours takes their indices": lambda s: (
            s.args[1].dtype.is_floating_point
        ),
        "a weight for each class: ours has none": lambda s: s.kwargs.get("weight") is not None,
    },
    "nn.functional.layer_norm": NEGATIVE_EPS
    | {
        "rows of one number: theirs leaves a rounding where ours gives 0": lambda s: (
            s.args[1] == [1] or s.args[1] == (1,)
        ),
    },
    "nn.functional.max_pool2d": {
        CEIL: lambda s: s.kwargs["ceil_mode"],
        "the places of the largest as a second result: ours keeps them": lambda s: s.kwargs[
            "return_indices"
        ],
    },
    "nn.functional.one_hot": {
        "as many classes as there are in the data: ours is told": lambda s: (
            s.kwargs["num_classes"] == -1
        ),
    },
    "nn.functional.rms_norm": NEGATIVE_EPS,
    "nn.functional.scaled_dot_product_attention": {
        "causal, of other lengths: theirs lines up the first tokens, ours the last": (
            has_other_lengths
        ),
        "dropout: PyTorch's stream is another one than ours": lambda s: s.kwargs["dropout_p"] > 0.0,
    },
    "prod": {
        "the product of bools as a bool: ours is int64": lambda s: (
            s.kwargs.get("dtype") == torch.bool
        ),
    },
    "scatter_add": {
        "indices smaller than the array along other axes: ours wants equal sizes": lambda s: (
            s.args[0].ndim and has_smaller_indices(s)
        ),
    },
    "sign": {NO_BOOLS: holds_bools},
    "square": {NO_BOOLS: holds_bools},
    "topk": {
        "the largest of a 0-d array: ours wants an axis": lambda s: not first(s).ndim,
        "equal ones: theirs takes any of them, ours the first": lambda s: (
            first(s).dtype == torch.int64
        ),
    },
    "sum_to_size": {"bools: theirs counts them, ours stay bools": holds_bools},
}
AXIS_OF_NONE = "axis 0 of a 0-d array: theirs lets it pass, ours (and NumPy) has no such axis"
WITH_AN_AXIS = """
    all amax amin any argmax argmin cumsum log_softmax log_softmax.with_dtype logsumexp
    gather index_select max.reduction_with_dim mean min.reduction_with_dim nn.functional.softmin
    nn.functional.softmin.with_dtype prod scatter_add softmax softmax.with_dtype squeeze
    squeeze.multiple sum transpose
"""
for name in WITH_AN_AXIS.split():
    SAMPLES.setdefault(name, {})[AXIS_OF_NONE] = names_an_axis_of_none

ONCE = {
    "a step: its gradient is 0 everywhere, and theirs records no more of it": """
        ceil fill floor round sign""",
    "its inputs are whole numbers, which have no gradient": "nn.functional.one_hot",
}


def reason(operator, sample):
    """Why this sample of a shared operator is left out: (table, reason); None if it is not."""
    for table in ("*", operator):
        for why, holds in SAMPLES.get(table, {}).items():
            if holds(sample):
                return table, why
    return None
