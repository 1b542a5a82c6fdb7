"""The list of what is measured, and that the judge, NumPy and our kernels agree about it."""

import dataclasses

import numpy as np
import pytest
from racing import EFFORT, limits
from threadpoolctl import threadpool_limits

from minigrad.bench import baselines, exact, harness, ours, workloads
from minigrad.bench.numbers import Pool, fill, memory, poison
from minigrad.bench.workload import Array, Gate, Role, Workload, matching
from minigrad.kernels.signatures import Signature

ALL = {w.name: w for w in workloads.everything()}
SMALL = [
    "gemm-NN-64", "gemm-NT-64", "gemm-TN-64", "add-64K", "exp-64K", "gelu-tanh-64K", "sum-64K",
    "sum-rows-1024x1024", "softmax-64x10", "softmax-768x65", "standardise-768x128",
    "layernorm-768x128", "cross-entropy-64x10", "cross-entropy-768x65", "adam-100K",
]  # fmt: skip


def test_what_the_issue_asks_for_is_there():
    for layout in ("NN", "NT", "TN"):
        assert {f"gemm-{layout}-{n}" for n in (64, 256, 512, 1024)} <= set(ALL)
    shapes = ("64x10", "768x64", "768x65", "2048x256")
    assert {f"cross-entropy-{s}" for s in shapes} <= set(ALL)
    assert {"adam-100K", "transpose-2048", "add-8M", "exp-64K", "gelu-tanh-8M"} <= set(ALL)
    assert len(ALL) == len(workloads.everything()), "two of one name"


@pytest.mark.parametrize(
    ("name", "against", "gate", "family"),
    [
        ("cross-entropy-768x65", "torch", 2.0, "cross-entropy"),
        ("gelu-tanh-64K", "torch", 2.0, "gelu-tanh"),
        ("layernorm-2048x384", "torch", 1.2, "layernorm"),
        ("adam-100K", "torch", 2.0, ""),
    ],
)
def test_gates_against_torch(name, against, gate, family):
    (found,) = ALL[name].gates
    assert (found.against, found.gate, found.family, found.step) == (against, gate, family, "")


def test_gates_of_the_ladder():
    assert ALL["gemm-NN-64"].gates == ()
    assert ALL["gemm-NN-512"].gates == (
        Gate("1_naive", 4.0, step="2_reordered"),
        Gate("2_reordered", 0.9, step="3_blocked"),
        Gate("3_blocked", 0.9, step="4_packed"),
    )
    for name in ("gemm-NN-1024", "gemm-NT-1024", "gemm-TN-1024"):
        assert [g.step for g in ALL[name].gates] == ["3_blocked", "4_packed"]
        assert ALL[name].at_least == 2
    steps = {g.step for w in ALL.values() for g in w.gates if g.step and g.gate >= 1.2}
    assert steps == {"2_reordered", "3_blocked", "4_packed"}, "each step has a size where it pays"


def test_work_is_counted():
    gemm = ALL["gemm-NT-256"]
    assert gemm.flops == 2 * 256**3 and gemm.moved == gemm.touched == 3 * 256 * 256 * 4
    adam = ALL["adam-100K"]
    assert adam.touched == 4 * 101770 * 4 and adam.moved == 7 * 101770 * 4
    loss = ALL["cross-entropy-64x10"]
    assert loss.touched == 2 * 640 * 4 + 64 * 8 + 3 * 64 * 4
    assert loss.touched - loss.moved == 64 * 4, "the sums need not be kept"
    norm = ALL["layernorm-768x128"]
    assert norm.touched - norm.moved == 2 * 768 * 4, "mean and rstd need not be kept"


@pytest.mark.parametrize("name", SMALL)
def test_numpy_and_the_judge_agree(name):
    outcome = numpys(ALL[name], threads=1)
    assert not outcome.refused, [str(r) for r in outcome.refused]
    assert set(outcome.times) == {"numpy"}


def test_numpy_with_two_threads_is_refused():
    (refused,) = numpys(ALL["gemm-NN-64"], threads=2).refused
    assert str(refused) == "numpy: it runs with threads 2, the workload with 1: not comparable."


def numpys(workload, threads):
    alone = dataclasses.replace(workload, baselines=("numpy",))
    with threadpool_limits(threads, "blas"):
        return harness.measure(alone, baselines.contestants(alone), limits(), Pool(3), EFFORT)


@pytest.mark.parametrize("name", SMALL)
def test_our_kernels_and_the_judge_agree(name, built):
    ours.load()
    one = ALL[name]
    contestants, missing = ours.contestants(one)
    assert contestants or missing
    outcome = harness.measure(one, contestants, limits(), Pool(3), EFFORT)
    assert not outcome.refused, [str(r) for r in outcome.refused]
    assert set(outcome.times) == {c.name for c in contestants}


def test_steps_have_the_names_of_their_files(built):
    ours.load()
    names = [c.name for c in ours.contestants(ALL["gemm-NN-512"])[0]]
    assert names[:4] == ["1_naive", "2_reordered", "3_blocked", "4_packed"]
    assert next(c.name for c in ours.contestants(ALL["gemm-NN-1024"])[0]) == "2_reordered"
    assert [c.name for c in ours.contestants(ALL["sum-64K"])[0]] == ["1_loop"]


def test_an_op_without_a_kernel_is_missing_by_name(built):
    ours.load()
    odd = dataclasses.replace(ALL["add-64K"], ops=("add", "fold"))
    assert ours.contestants(odd)[0] == []
    assert ours.contestants(odd)[1][0].why == "no kernel fold on cpp yet"
    odd = dataclasses.replace(ALL["add-64K"], ops=("sub",), arrays=ALL["add-64K"].arrays[1:])
    assert ours.contestants(odd)[1][0].why == (
        "sub(x, y, out) takes x, which the workload does not have"
    )


def test_gradients_of_the_judge_against_finite_differences():
    """The judge's own derivatives are right: of a sum weighted by numbers of no pattern."""
    rng = np.random.default_rng(3)
    x, g = rng.standard_normal((3, 5)), rng.standard_normal((3, 5))
    weight, bias = rng.standard_normal(5), rng.standard_normal(5)
    given = {"x": x, "g": g, "weight": weight, "bias": bias}
    found = exact.layer_norm(given)
    for name in ("x", "weight", "bias"):
        numeric = differences(lambda g_: (exact.layer_norm(g_)["out"] * g).sum(), given, name)
        np.testing.assert_allclose(found[f"d{name}"], numeric, rtol=1e-6, atol=1e-8)
    rows = g[:, 0]
    loss = {"logits": x, "target": np.array([4, 0, 2]), "g": rows}
    numeric = differences(
        lambda g_: (exact.cross_entropy(g_)["losses"] * rows).sum(), loss, "logits"
    )
    np.testing.assert_allclose(exact.cross_entropy(loss)["dx"], numeric, rtol=1e-6, atol=1e-9)


def differences(f, given, name, h=1e-6):
    found = np.zeros_like(given[name])
    for i in np.ndindex(found.shape):
        up, down = (dict(given, **{name: given[name].copy()}) for _ in range(2))
        up[name][i] += h
        down[name][i] -= h
        found[i] = (f(up) - f(down)) / (2 * h)
    return found


def test_the_judges_adam_by_hand():
    """g = 2, its mean 1, the mean of its square 4, at step 10: 1.1, and 4 stays."""
    first = {"p.0": 3.0, "g.0": 2.0, "mean.0": 1.0, "square.0": 4.0}
    other = {"p.1": -7.0, "g.1": 0.0, "mean.1": 0.0, "square.1": 1.0}
    found = exact.adam({n: np.array([v]) for n, v in {**first, **other}.items()})
    assert found["mean.0"][0] == pytest.approx(1.1)
    assert found["square.0"][0] == pytest.approx(4.0)
    assert found["p.1"][0] == -7.0 and found["square.1"][0] == pytest.approx(0.999)
    rate = 1e-3 * (1.1 / (1 - 0.9**10)) / (np.sqrt(4 / (1 - 0.999**10)) + 1e-8)
    assert found["p.0"][0] == pytest.approx(3.0 - rate, rel=1e-12)


def test_memory_is_aligned_apart_and_poisoned():
    arrays = (
        Array("x", (5, 7), transposed=True),
        Array("t", (5,), numbers=3),
        Array("s", (5, 7), Role.STATE, "positive"),
        Array("out", (5, 7), Role.WRITTEN),
        Array("index", (5,), Role.WRITTEN, numbers=3),
    )
    one = Workload("w", ("w",), arrays, 1, lambda given: {}, 0.0)
    room, pool = memory(one), Pool(1)
    assert all(a.ctypes.data % 64 == 0 for a in room.values())
    assert room["x"].shape == (5, 7) and room["x"].strides == (4, 20)
    given = {a.name: pool.draw(a, "float32") for a in arrays[:3]}
    fill(one, room, given)
    assert np.array_equal(room["x"], given["x"]) and np.array_equal(room["s"], given["s"])
    assert np.isnan(room["out"]).all() and (room["index"] == np.iinfo(np.int64).min).all()
    assert (given["s"] > 0).all() and set(np.unique(given["t"])) <= {0, 1, 2}
    assert poison(np.dtype("int64")) == np.iinfo(np.int64).min


def test_a_reduction_gets_its_out_as_large_as_x():
    """Stride 0 where it is reduced, as ops.def says."""
    x, out = np.ones((4, 5), "f4"), np.zeros(4, "f4")
    given = ours.arguments(Signature("sum", ("x", "out"), "vo"), {"x": x, "out": out}, {})
    assert given[0] is x and given[1].shape == (4, 5) and given[1].strides == (4, 0)
    assert np.shares_memory(given[1], out) and given[1].flags.writeable
    whole = ours.expanded(np.zeros((), "f4"), (4, 5))
    assert whole.shape == (4, 5) and whole.strides == (0, 0)


def test_many_arrays_go_in_as_lists():
    arrays = {n: np.zeros(3, "f4") for n in ("p.0", "g.0", "p.1", "g.1")}
    signature = Signature("sgd", ("g", "p", "lr"), "VOd")
    g, p, lr = ours.arguments(signature, arrays, {"lr": 0.5})
    assert [id(a) for a in g] == [id(arrays["g.0"]), id(arrays["g.1"])]
    assert [id(a) for a in p] == [id(arrays["p.0"]), id(arrays["p.1"])] and lr == 0.5


def test_numbers_are_fresh_and_cannot_be_written_to():
    pool, array = Pool(1), Array("x", (9, 9))
    drawn = [pool.draw(array, "float32") for _ in range(20)]
    assert len({d.tobytes() for d in drawn}) == 20
    assert not any(d.flags.writeable for d in drawn)
    assert Pool().draw(array, "float32").tobytes() != Pool().draw(array, "float32").tobytes()


def test_only():
    everything = workloads.everything()
    assert [w.name for w in matching(everything, "add")] == ["add-64K", "add-8M"]
    assert [w.name for w in matching(everything, " adam , exp-8M")] == ["exp-8M", "adam-100K"]
    assert matching(everything, None) == everything
    with pytest.raises(LookupError, match=r"--only gem-: no workload has that in its name; there "):
        matching(everything, "gem-")
