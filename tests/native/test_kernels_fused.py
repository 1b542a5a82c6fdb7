"""Kernels that are a whole op, or a whole step of an optimiser, against the same in float64; and
random numbers, against those of minigrad.random, which must be the very same.
"""

import numpy as np
import pytest
from given import FLOATS, SIZES, WAYS, Guarded, drawn, laid, ours, same, tried, wide

import minigrad as mg
from minigrad import kernels

pytestmark = pytest.mark.usefixtures("kernels_built")


def surprise(x, target, smoothing, ignored):
    """Losses, logsums (without the largest), and the slope along x, of rows of scores."""
    top = x.max(-1, keepdims=True)
    x = x - top
    logsums = np.log(np.exp(x).sum(-1, keepdims=True))
    there = target != ignored
    right = np.where(there, target, 0)[..., None]
    wanted = np.full(x.shape, smoothing / x.shape[-1])
    np.put_along_axis(wanted, right, 1.0 - smoothing + smoothing / x.shape[-1], -1)
    losses = np.where(there, ((logsums - x) * wanted).sum(-1), 0.0)
    return losses, logsums[..., 0], there[..., None] * (np.exp(x - logsums) - wanted)


@pytest.mark.parametrize("smoothing", (0.0, 0.3))
@pytest.mark.parametrize("dtype", FLOATS)
def test_cross_entropy(dtype, smoothing):
    for classes in (1, 7, 10, 17, 33, 65, 127, 1009):
        x = drawn((3, 5, classes), dtype)
        target = np.random.default_rng(classes).integers(0, classes, (3, 5))
        target[1, 2] = target[2, 4] = -100
        for way in WAYS[:-1] if classes < 1000 else ("plain",):
            logits, right = laid(x, way), laid(target, way)
            losses, sums, slope = surprise(wide(x), target, smoothing, -100)
            numbers = (smoothing, -100)
            tried("cross_entropy", [logits, right], [losses, sums], [dtype] * 2, numbers, ulps=32)
            g = laid(drawn((3, 5), dtype, 2), way)
            given = [logits, right, sums.astype(dtype), g]
            dx = wide(g)[..., None] * slope
            out_way = "turned" if way == "turned" else "plain"
            tried("cross_entropy_grad", given, [dx], [dtype], numbers, out_way, ulps=32)
    one = np.broadcast_to(np.array(0.25, dtype), (3, 5))  # as the mean's gradient is
    tried("cross_entropy_grad", [*given[:3], one], [0.25 * slope], [dtype], numbers, ulps=32)


def test_cross_entropy_of_what_is_no_ordinary_number():
    x = drawn((5, 33), "float32")
    x[0, 3], x[1, 4], x[2], x[3, 5], x[4, 6] = np.nan, np.inf, -np.inf, -np.inf, 3e38
    target = np.array([1, 1, 1, 5, 6])
    losses, sums = np.empty(5, "float32"), np.empty(5, "float32")
    kernels.lookup("cross_entropy", backend="cpp")(x, target, losses, sums, 0.0, -100)
    assert np.isnan(losses[:3]).all() and losses[3] == np.inf and losses[4] == 0.0


def test_cross_entropy_of_large_scores():
    """What all scores have in common takes no digit from their differences."""
    x, target = drawn((5, 33), "float32") + np.float32(4096.0), np.arange(5)
    losses, sums, slope = surprise(wide(x), target, 0.0, -100)
    tried("cross_entropy", [x, target], [losses, sums], ["float32"] * 2, (0.0, -100), ulps=8)
    given = [x, target, sums.astype("float32"), np.ones(5, "float32")]
    tried("cross_entropy_grad", given, [slope], ["float32"], (0.0, -100), ulps=8)


def layer_normed(x, weight, bias, eps):
    mean = x.mean(-1, keepdims=True)
    rstd = 1.0 / np.sqrt(x.var(-1, keepdims=True) + eps)
    y = (x - mean) * rstd
    return y, y * weight + bias, mean[..., 0], rstd[..., 0]


@pytest.mark.parametrize("dtype", FLOATS)
def test_layer_norm(dtype):
    for rows, size in ((1, 7), (5, 17), (3, 65), (200, 33), (4, 1009)):
        x, g = drawn((2, rows, size), dtype), drawn((2, rows, size), dtype, 1)
        weight, bias = drawn((size,), dtype, 2), drawn((size,), dtype, 3)
        for way in WAYS:
            seen, w, b, back = (laid(a, way) for a in (x, weight, bias, g))
            y, out, mean, rstd = layer_normed(wide(seen), wide(w), wide(b), 1e-5)
            out_way = "turned" if way == "turned" else "plain"
            three = [dtype] * 3
            tried("layer_norm", [seen, w, b], [out, mean, rstd], three, (1e-5,), out_way, 64)
            d = wide(back) * wide(w)
            along = y * (d * y).mean(-1, keepdims=True)
            dx = rstd[..., None] * (d - d.mean(-1, keepdims=True) - along)
            sums = (wide(back) * y).sum((0, 1)), wide(back).sum((0, 1))
            given = [seen, w, mean.astype(dtype), rstd.astype(dtype), back]
            tried("layer_norm_grad", given, [dx, *sums], three, (), out_way, 64, scale=8.0)


@pytest.mark.parametrize("dtype", FLOATS)
def test_rms_norm(dtype):
    for rows, size in ((1, 7), (5, 17), (200, 33), (4, 1009)):
        x, g, weight = (
            drawn((rows, size), dtype),
            drawn((rows, size), dtype, 1),
            drawn((size,), dtype),
        )
        for way in WAYS:
            seen, w, back = (laid(a, way) for a in (x, weight, g))
            rstd = 1.0 / np.sqrt((wide(seen) ** 2).mean(-1, keepdims=True) + 1e-5)
            y, d = wide(seen) * rstd, wide(back) * wide(w)
            right = [y * wide(w), rstd[:, 0]]
            tried("rms_norm", [seen, w], right, [dtype] * 2, (1e-5,), "plain", 64)
            dx = rstd * (d - y * (d * y).mean(-1, keepdims=True))
            given = [seen, w, rstd[:, 0].astype(dtype), back]
            right = [dx, (wide(back) * y).sum(0)]
            tried("rms_norm_grad", given, right, [dtype] * 2, (), "turned", 64, scale=8.0)


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_way_back_of_gelu(dtype):
    for size in SIZES:
        x, g = drawn((size,), dtype), drawn((size,), dtype, 1)
        slope = np.empty(size)
        kernels.lookup("gelu_tanh_slope", backend="numpy")(wide(x), slope)
        tried("gelu_tanh_grad", [x, g], [slope * wide(g)], [dtype], ulps=16)


def steps_of(name, many, rates, dtype, start):
    """Three steps of a kernel on lists of arrays, and the arrays afterwards, with what is right by
    `start`, which moves one in float64.
    """
    ways = ("plain", "turned", "every second", "backwards")
    shapes = ((7,), (5, 3), (1,), (0,), (2, 3, 33), (1009,))
    lists = []
    for k in range(1 + many):
        low = 0.1 if k else -3.0
        lists.append(
            [laid(drawn(s, dtype, 10 * k + i, low), ways[i % 4]) for i, s in enumerate(shapes)]
        )
    exact = [[wide(x) for x in each] for each in lists]
    (_, kernel), *more = ours(name, dtype)
    assert not more
    for t in (1, 2, 3):
        gradients = [drawn(s, dtype, 100 * t + i) for i, s in enumerate(shapes)]
        kernel(gradients, *lists, *rates, *((t,) if name == "adam" else ()))
        for i, g in enumerate(gradients):
            start(wide(g), [each[i] for each in exact], t)
    for k, each in enumerate(lists):
        for found, right in zip(each, exact[k], strict=True):
            same(f"{name}, list {k}, shape {found.shape}", np.array(found), right, 64)


@pytest.mark.parametrize("dtype", FLOATS)
def test_sgd(dtype):
    def plain(g, state, t):
        state[0] -= 0.1 * (g + 0.01 * state[0])

    steps_of("sgd", 0, (0.1, 0.01), dtype, plain)
    for nesterov in (0, 1):

        def rolled(g, state, t, nesterov=nesterov):
            p, v = state
            d = g + 0.01 * p
            v[...] = 0.9 * v + 0.8 * d
            p -= 0.1 * (d + 0.9 * v if nesterov else v)

        steps_of("sgd_momentum", 1, (0.1, 0.01, 0.9, 0.2, nesterov), dtype, rolled)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("decoupled", (0, 1))
def test_adam(dtype, decoupled):
    def moved(g, state, t):
        p, m, v = state
        if decoupled:
            p *= 1.0 - 0.01 * 0.3
        else:
            g = g + 0.3 * p
        m[...] = 0.9 * m + 0.1 * g
        v[...] = 0.99 * v + 0.01 * g * g
        p -= 0.01 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-8)

    steps_of("adam", 2, (0.01, 0.9, 0.99, 1e-8, 0.3, decoupled), dtype, moved)


@pytest.mark.parametrize(
    "seed, offset", ((0, 0), (7, 3), (2**63 + 11, 2**40 + 1), (2**64 - 1, 255))
)
def test_random_numbers_are_the_same_everywhere(seed, offset):
    signed = [n - 2**64 if n >= 2**63 else n for n in (seed, offset)]
    source = mg.Generator(0)
    wide = {"dtype": mg.float64}
    for count in SIZES:
        for op, dtype, numbers, options in (
            ("uniform", "float32", (-0.7, 1.3), {}),
            ("uniform", "float32", (0.0, 1.0), {}),
            ("uniform", "float64", (-0.7, 1.3), wide),
            ("normal", "float32", (1.5, 0.02), {}),
            ("bernoulli", "bool", (0.3,), {}),
            ("bernoulli", "bool", (1.0,), {}),
        ):
            source.set_state((seed, offset))
            draw = getattr(source, op)
            given = (*numbers, count) if op == "bernoulli" else (count, *numbers)
            right, found = draw(*given, **options).numpy(), Guarded((count,), dtype)
            for _, kernel in ours(op, dtype):
                kernel(found.array, *signed, *numbers)
                assert found.array.tobytes() == right.tobytes(), (op, dtype, count)
                assert found.intact()


def test_normal_numbers_in_float64_are_the_same_but_for_the_last_bits():
    right = mg.Generator(5).normal(1001, dtype=mg.float64).numpy()
    found = np.empty((7, 11, 13))
    kernels.lookup("normal", backend="cpp")(found, 5, 0, 0.0, 1.0)
    same("normal", found.reshape(-1), right, 4)
    with pytest.raises(ValueError, match="one run of memory"):
        kernels.lookup("normal", backend="cpp")(found.T, 5, 0, 0.0, 1.0)
