"""The engine you read on kernels in C++: it trains as on NumPy's, and says what ran where."""

import contextlib

import numpy as np
import pytest
from given import drawn

import minigrad as mg
from minigrad import kernels, optim
from minigrad.models import GPT, GPTConfig
from minigrad.models import lenet as lenet_of
from minigrad.models import mlp as mlp_of

pytestmark = pytest.mark.usefixtures("kernels_built")


# Adam divides by the size of a gradient. Where that is rounding alone, as for the bias of the keys,
# so would be the step.
EPS = 1e-3


def on(backend, **options):
    return kernels.use(backend, **options) if backend != "numpy" else contextlib.nullcontext()


def trained(model, optimiser, batches, loss_of):
    """The losses of a step on each batch, and the parameters afterwards."""
    losses = []
    for batch in batches:
        loss = loss_of(model, *batch)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses, [p.numpy().copy() for p in model.parameters()]


def classified(model, x, y):
    return mg.cross_entropy(model(x), y)


def numbers(shape, seed):
    return mg.tensor(drawn(shape, "float32", seed))


def classes(shape, count, seed):
    return mg.tensor(np.random.default_rng(seed).integers(0, count, shape))


def mlp():
    model = mlp_of([9, 17, 5])
    batches = [(numbers((6, 9), k), classes(6, 5, k)) for k in range(4)]
    return model, optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01), batches


def lenet():
    model = lenet_of()
    batches = [(numbers((4, 1, 8, 8), k), classes(4, 10, k)) for k in range(2)]
    return model, optim.Adam(model.parameters(), lr=1e-3, eps=EPS), batches


def gpt(**config):
    model = GPT(GPTConfig(vocabulary=11, context=8, layers=2, heads=2, width=12, **config))
    batches = [(classes((3, 8), 11, k), classes((3, 8), 11, 9 + k)) for k in range(3)]
    return model, optim.AdamW(model.parameters(), lr=1e-2, eps=EPS), batches


MODELS = {
    "mlp": mlp,
    "lenet": lenet,
    "gpt": gpt,
    "gpt, rotary, dropout": lambda: gpt(positions="rotary", dropout=0.2, bias=False),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("fused", (True, False))
def test_training_is_the_same_on_both(name, fused):
    results = []
    for backend, options in (("numpy", {}), ("cpp", {"fused": fused})):
        mg.manual_seed(3)
        model, optimiser, batches = MODELS[name]()
        with on(backend, **options):
            results.append(trained(model, optimiser, batches, classified))
    (losses, weights), (ours, mine) = results
    np.testing.assert_allclose(ours, losses, rtol=2e-5)
    for left, right in zip(weights, mine, strict=True):
        np.testing.assert_allclose(right, left, rtol=1e-4, atol=2e-6)


def test_what_ran_where_is_told():
    model, optimiser, batches = gpt()
    with kernels.use("cpp") as used:
        trained(model, optimiser, batches, classified)
    told = used.explain()
    for op in ("matmul (cpp, step 4", "layer_norm_grad (cpp", "adam (cpp", "cross_entropy (cpp"):
        assert op in told
    assert "numpy" not in told
    assert used.ran[kernels.Key("adam", "cpp", 1, "ref")] == len(batches)
    with kernels.use("cpp", fused=False) as used:
        trained(model, optimiser, batches, classified)
    assert "standardise (cpp" in used.explain() and "adam" not in used.explain()


def test_what_cpp_does_not_have_runs_on_numpy():
    with kernels.use("cpp") as used:
        x = mg.tensor([1, 2, 3])
        assert x.clip(2, 2).tolist() == [2, 2, 2]
    assert "clip (numpy, step 0, ref)" in used.explain()


# Functions of two float64 arrays whose ways back are one kernel.
WHOLE = {
    "softmax": lambda x, w: mg.softmax(x, axis=1),
    "gelu": lambda x, w: mg.gelu(x, approximate="tanh"),
    "layer_norm": lambda x, w: mg.layer_norm(x, w, w * 0.5),
    "layer_norm alone": lambda x, w: mg.layer_norm(x),
    "rms_norm": lambda x, w: mg.rms_norm(x, w),
    "cross_entropy": lambda x, w: mg.cross_entropy(x, classes((4, 5), 7, 0), label_smoothing=0.1),
    "cross_entropy, none": lambda x, w: mg.cross_entropy(
        x, mg.tensor([[0, 1, 2, 3, -100]] * 4), reduction="none"
    ),
    "attention": lambda x, w: mg.scaled_dot_product_attention(x, x * 0.5, x, causal=True),
}


@pytest.mark.parametrize("name", WHOLE)
def test_first_and_second_derivatives_are_the_same(name):
    found = []
    for backend in ("numpy", "cpp"):
        x = mg.tensor(drawn((4, 5, 7), "float64"), requires_grad=True)
        w = mg.tensor(drawn((7,), "float64", 1), requires_grad=True)
        with on(backend):
            out = WHOLE[name](x, w)
            loss = (out * out).sum()
            plain = mg.grad(loss, (x, w), retain_graph=True, allow_unused=True)
            first = mg.grad(loss, (x, w), create_graph=True, allow_unused=True)
            second = mg.grad((first[0] ** 2).sum(), (x, w), allow_unused=True)
        found.append([out, *plain, *first, *second])
    for left, right in zip(*found, strict=True):
        assert (left is None) == (right is None)
        if left is not None:
            np.testing.assert_allclose(right.numpy(), left.numpy(), rtol=1e-9, atol=1e-11)


def test_an_optimiser_of_another_kind_keeps_its_own_step():
    class Adam(optim.Adam):
        def update(self, p, g, state, group):
            p -= 1.0

    x = mg.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    with kernels.use("cpp") as used:
        Adam([x]).step()
    assert x.tolist() == [0.0, 1.0] and "adam" not in used.explain()


def test_a_step_counts_as_a_change_in_place():
    """A gradient that needs the numbers from before the step says so."""
    with kernels.use("cpp"):
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        (x * 3.0).sum().backward()
        y = (x * x).sum()
        optim.Adam([x]).step()
        with pytest.raises(RuntimeError, match="changed in place"):
            y.backward()


def test_parameters_that_join_later_have_their_own_count():
    results = []
    for backend in ("numpy", "cpp"):
        a, b = (mg.tensor(drawn((5,), "float32", k), requires_grad=True) for k in range(2))
        optimiser = optim.Adam([a, b], lr=0.1)
        with on(backend):
            for used in ((a,), (a, b), (b,), (a, b)):
                optimiser.zero_grad()
                sum((p * p).sum() for p in used).backward()
                optimiser.step()
        results.append(np.concatenate([a.numpy(), b.numpy()]))
    np.testing.assert_allclose(results[1], results[0], rtol=1e-5, atol=1e-6)
