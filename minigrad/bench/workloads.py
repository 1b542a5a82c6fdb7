"""The list of what is measured. Gates are on one thread, and a gate's ratio is theirs to ours."""

from itertools import pairwise

from minigrad.bench import exact
from minigrad.bench.workload import Array, Gate, Role, Workload

KIB, MIB = 1 << 10, 1 << 20
EPS = 2.0**-23
W, S = Role.WRITTEN, Role.STATE


def elementwise() -> list[Workload]:
    """In cache, and far beyond it."""
    found = []
    for title, count in (("64K", 64 * KIB), ("8M", 8 * MIB)):
        x, y, out = (Array("x", (count,)), Array("y", (count,)), Array("out", (count,), W))
        # Operations at the least: a polynomial for exp; two products, tanh and a sum for gelu.
        found += [
            Workload(f"add-{title}", ("add",), (x, y, out), count, exact.add, 4 * EPS),
            Workload(f"exp-{title}", ("exp",), (x, out), 8 * count, exact.exp, 16 * EPS),
            Workload(
                f"gelu-tanh-{title}", ("gelu_tanh",), (x, out), 12 * count, exact.gelu_tanh,
                32 * EPS, gates=(Gate("torch", 2.0, 5.0, family="gelu-tanh"),),
            ),
        ]  # fmt: skip
    return found


def reductions() -> list[Workload]:
    found = []
    for title, count in (("64K", 64 * KIB), ("8M", 8 * MIB)):
        x = Array("x", (count,), numbers="positive")
        arrays = (x, Array("out", (), W))
        found.append(Workload(f"sum-{title}", ("sum",), arrays, count, exact.total, 64 * EPS))
    rows = (Array("x", (1024, 1024)), Array("out", (1024,), W))
    found.append(Workload("sum-rows-1024x1024", ("sum",), rows, MIB, exact.row_sums, 64 * EPS))
    return found


def softmaxes() -> list[Workload]:
    found = []
    for n, c in ((64, 10), (768, 64), (768, 65), (2048, 256)):
        arrays = (Array("x", (n, c)), Array("out", (n, c), W))
        found.append(
            Workload(f"softmax-{n}x{c}", ("softmax",), arrays, 10 * n * c, exact.softmax, 32 * EPS)
        )
    return found


def norms() -> list[Workload]:
    """Forward and backward; without scale and shift, and with them."""
    found: list[Workload] = []
    for n, c in ((768, 128), (2048, 384)):
        x, g = Array("x", (n, c)), Array("g", (n, c))
        out, dx = Array("out", (n, c), W), Array("dx", (n, c), W)
        kept = (Array("mean", (n,), W, moved=False), Array("rstd", (n,), W, moved=False))
        affine = (
            Array("weight", (c,)),
            Array("bias", (c,)),
            Array("dweight", (c,), W),
            Array("dbias", (c,), W),
        )
        eps = {"eps": exact.EPS}
        found += [
            Workload(
                f"standardise-{n}x{c}", ("standardise", "standardise_grad"), (x, g, out, dx),
                14 * n * c, exact.standardise, 256 * EPS, numbers=eps,
            ),
            Workload(
                f"layernorm-{n}x{c}", ("layer_norm", "layer_norm_grad"),
                (x, g, out, dx, *affine, *kept), 18 * n * c, exact.layer_norm, 256 * EPS,
                numbers=eps, gates=(Gate("torch", 1.2, 2.0, family="layernorm"),),
            ),
        ]  # fmt: skip
    return found


def cross_entropies() -> list[Workload]:
    """The loss of each row, and back: what a step of training spends on its last op."""
    found = []
    for n, c in ((64, 10), (768, 64), (768, 65), (2048, 256)):
        arrays = (
            Array("logits", (n, c)),
            Array("target", (n,), numbers=c),
            Array("g", (n,)),
            Array("losses", (n,), W),
            Array("dx", (n, c), W),
            Array("logsums", (n,), W, moved=False),
        )
        found.append(
            Workload(
                f"cross-entropy-{n}x{c}", ("cross_entropy", "cross_entropy_grad"), arrays,
                11 * n * c, exact.cross_entropy, 64 * EPS,
                numbers={"smoothing": 0.0, "ignored": -100},
                gates=(Gate("torch", 2.0, 5.0, family="cross-entropy"),),
            )
        )  # fmt: skip
    return found


def optimisers() -> list[Workload]:
    """The parameters of the digits' MLP with 128 hidden units, all in one call."""
    arrays: list[Array] = []
    for i, shape in enumerate(((128, 784), (128,), (10, 128), (10,))):
        arrays += [
            Array(f"p.{i}", shape, S),
            Array(f"g.{i}", shape),
            Array(f"mean.{i}", shape, S),
            Array(f"square.{i}", shape, S, numbers="positive"),
        ]
    count = sum(a.size for a in arrays) // 4
    gate = (Gate("torch", 2.0, 3.0),)
    return [
        Workload("adam-100K", ("adam",), tuple(arrays), 14 * count, exact.adam, 64 * EPS,
                 numbers=exact.ADAM, gates=gate),
    ]  # fmt: skip


def copies() -> list[Workload]:
    side = 2048
    arrays = (Array("x", (side, side), transposed=True), Array("out", (side, side), W))
    return [Workload(f"transpose-{side}", ("copy",), arrays, 0, exact.copy, 0.0)]


def gemm() -> list[Workload]:
    """NN: both as they lie in memory; NT: the right one transposed (x @ W.T); TN: the left one
    (the gradient of W). The naive step is left out at 1024, where a call takes seconds.
    """
    found = []
    for layout in ("NN", "NT", "TN"):
        for side in (64, 256, 512, 1024):
            arrays = (
                Array("x", (side, side), transposed=layout[0] == "T"),
                Array("y", (side, side), transposed=layout[1] == "T"),
                Array("out", (side, side), W),
            )
            found.append(
                Workload(
                    f"gemm-{layout}-{side}", ("matmul",), arrays, 2 * side**3, exact.matmul,
                    4 * side**0.5 * EPS, gates=_ladder(layout, side),
                    at_least=2 if side > 512 else 1,
                )
            )  # fmt: skip
    return found


def _ladder(layout: str, side: int) -> tuple[Gate, ...]:
    """Each step against the one before. Where its idea bites, it must be that much faster; nowhere
    from 256 up may it be much slower.
    """
    if side < 256:
        return ()
    steps = ["1_naive", "2_reordered", "3_blocked", "4_packed"]
    bites = {
        ("2_reordered", "NN", 512): 4.0,  # rows of y are walked along instead of down
        ("3_blocked", "NN", 1024): 1.2,  # y, 4 MiB, no longer fits in L2
        ("4_packed", "NT", 512): 1.2,  # a block of y lies across 512 rows, unless it is copied
    }
    found = []
    for before, step in pairwise(steps):
        if before == "1_naive" and side > 512:
            continue
        found.append(Gate(before, bites.get((step, layout, side), 0.9), step=step))
    return tuple(found)


def everything() -> list[Workload]:
    """All of them, in the order of the table."""
    return [
        *gemm(),
        *elementwise(),
        *reductions(),
        *softmaxes(),
        *norms(),
        *cross_entropies(),
        *optimisers(),
        *copies(),
    ]
