"""minigrad: a deep-learning framework that its readers build themselves, chapter by chapter."""

__version__ = "0.1.0"

# Where the public names come from, each on first use: `import minigrad` alone loads nothing.
_HOMES = {
    "api": """
        Function Tensor abs add all any arange argmax argmin asarray astype bernoulli
        binary_cross_entropy_with_logits cat ceil clip cos cross_entropy cumsum div empty empty_like
        enable_grad equal erf exp expand expm1 eye flip floor from_dlpack full full_like gather gelu
        grad greater greater_equal is_grad_enabled isfinite isinf isnan less less_equal linspace log
        log1p log_softmax logical_and logical_not logical_or logical_xor logsumexp masked_fill
        matmul matrix_transpose max maximum mean min minimum mse mul neg no_grad not_equal one_hot
        ones ones_like pad permute_dims pow prod rand randint randn randperm reciprocal relu reshape
        roll round rsqrt scatter_add sigmoid sign silu sin softmax softplus split sqrt square
        squeeze stack std sub sum sum_to take tanh tensor tile tril triu unsqueeze var where zeros
        zeros_like
    """,
    "dtypes": "DType bool_ float32 float64 int64",
    "random": "Generator manual_seed",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
_MODULES = {"api", "data", "dtypes", "gradcheck", "kernels", "models", "nn", "optim", "random"}

TYPE_CHECKING = False  # what mypy and editors take for true, without an import of typing
if TYPE_CHECKING:
    from minigrad.api import *  # noqa: F403
    from minigrad.dtypes import DType as DType
    from minigrad.dtypes import bool_ as bool_
    from minigrad.dtypes import float32 as float32
    from minigrad.dtypes import float64 as float64
    from minigrad.dtypes import int64 as int64
    from minigrad.random import Generator as Generator
    from minigrad.random import manual_seed as manual_seed


def __getattr__(name: str) -> object:
    if name == "_native":
        # On first use: most of the course runs without the native module.
        from minigrad.native import load

        return load()
    home = name if name in _MODULES else _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"minigrad.{home}")
    found: object = module if name in _MODULES else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF, *_MODULES})
