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


def rows() -> list[Workload]:
    found = []
    for n, c in ((64, 10), (768, 64), (768, 65), (2048, 256)):
        arrays = (Array("x", (n, c)), Array("out", (n, c), W))
        found.append(
            Workload(f"softmax-{n}x{c}", ("softmax",), arrays, 10 * n * c, exact.softmax, 32 * EPS)
        )
    for n, c in ((768, 128), (2048, 384)):
        x, g, dx = Array("x", (n, c)), Array("g", (n, c)), Array("dx", (n, c), W)
        w, b = Array("w", (c,)), Array("b", (c,))
        gate = (Gate("torch", 1.2, 2.0, family="layernorm"),)
        found += [
            Workload(
                f"standardise-{n}x{c}", ("standardise", "standardise_grad"),
                (x, g, Array("out", (n, c), W), dx), 14 * n * c, exact.standardise, 256 * EPS,
                numbers={"eps": exact.EPS},
            ),
            Workload(
                f"layernorm-{n}x{c}", ("layernorm", "layernorm_grad"),
                (x, w, b, g, Array("y", (n, c), W), dx, Array("dw", (c,), W), Array("db", (c,), W),
                 Array("mean", (n,), W, moved=False), Array("rstd", (n,), W, moved=False)),
                18 * n * c, exact.layernorm, 256 * EPS, numbers={"eps": exact.EPS}, gates=gate,
            ),
        ]  # fmt: skip
    for n, c in ((64, 10), (768, 64), (768, 65), (2048, 256)):
        found.append(
            Workload(
                f"cross-entropy-{n}x{c}", ("cross_entropy", "cross_entropy_grad"),
                (Array("x", (n, c)), Array("target", (n,), numbers=c), Array("loss", (), W),
                 Array("dx", (n, c), W)),
                11 * n * c, exact.cross_entropy, 64 * EPS,
                gates=(Gate("torch", 2.0, 5.0, family="cross-entropy"),),
            )
        )  # fmt: skip
    return found


def optimisers() -> list[Workload]:
    count = 784 * 128 + 128 + 128 * 10 + 10  # the digits' MLP
    arrays = (
        Array("p", (count,), S),
        Array("g", (count,)),
        Array("m", (count,), S),
        Array("v", (count,), S, numbers="positive"),
    )
    gate = (Gate("torch", 2.0, 3.0),)
    return [
        Workload("adam-100K", ("adam",), arrays, 14 * count, exact.adam, 64 * EPS,
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
    return [*gemm(), *elementwise(), *reductions(), *rows(), *optimisers(), *copies()]
