"""PyTorch's side computes what the judge says, and is refused under other conditions."""

import pytest
from racing import EFFORT, limits

from minigrad.bench import baselines, harness, workloads
from minigrad.bench.numbers import Pool

NAMES = [
    "gemm-NT-64", "gemm-TN-64", "add-64K", "exp-64K", "gelu-tanh-64K", "sum-64K",
    "sum-rows-1024x1024", "softmax-768x65", "standardise-768x128", "layernorm-768x128",
    "cross-entropy-64x10", "adam-100K",
]  # fmt: skip
ALL = {w.name: w for w in workloads.everything()}


@pytest.fixture
def torch():
    if baselines.torch_missing():
        pytest.skip("not verified: torch's side of the bench (torch missing)")
    import torch

    threads, dtype = torch.get_num_threads(), torch.get_default_dtype()
    precision = torch.get_float32_matmul_precision()
    torch.set_num_threads(1)
    yield torch
    torch.set_num_threads(threads)
    torch.set_default_dtype(dtype)
    torch.set_float32_matmul_precision(precision)


def measured(name):
    one = ALL[name]
    sides = [c for c in baselines.contestants(one) if c.name != "numpy"]
    return harness.measure(one, sides, limits(), Pool(7), EFFORT)


@pytest.mark.parametrize("name", NAMES)
def test_torch_and_the_judge_agree(torch, name):
    outcome = measured(name)
    assert not outcome.refused, [str(r) for r in outcome.refused]
    assert "torch" in outcome.times
    fused = ("standardise", "layernorm", "cross", "adam")
    assert ("torch, bare" in outcome.times) == name.startswith(fused)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda t: t.set_num_threads(2), "threads 2, the workload with 1"),
        (lambda t: t.set_default_dtype(t.float64), "dtype float64, the workload with float32"),
        (
            lambda t: t.set_float32_matmul_precision("medium"),
            "maths reduced precision, the workload with IEEE",
        ),
    ],
)
def test_torch_under_other_conditions_is_refused(torch, change, why):
    change(torch)
    (refused,) = measured("gemm-NT-64").refused
    assert str(refused) == f"torch: it runs with {why}: not comparable."
