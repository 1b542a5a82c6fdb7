"""What a run says: in a pipe, on a narrow terminal, without torch; the ladder in the README."""

import dataclasses
import io
import re
from pathlib import Path

import pytest
from PIL import Image
from racing import contestant, doubling, honest, limits
from rich.console import Console

from minigrad.bench import ladder, pictures, report
from minigrad.bench.harness import Outcome, Times
from minigrad.bench.refusals import Refused
from minigrad.bench.results import Report, compare
from minigrad.bench.workload import Gate, Missing
from minigrad.course.catalog import CatalogError

MACHINE = {"cpu": "a processor", "isa": "avx2", "python": "3.11", "numpy": "2.4", "torch": "2.9"}
STEPS = ("1_naive", "2_reordered")


def gemm(side, naive, reordered, **others):
    gates = (Gate("1_naive", 4.0, step="2_reordered"),)
    workload = dataclasses.replace(
        doubling(side, side),
        name=f"gemm-NN-{side}",
        ops=("matmul",),
        flops=2 * side**3,
        gates=gates,
    )
    found = Outcome(workload, 1 << 16)
    for who, seconds in {"1_naive": naive, "2_reordered": reordered, **others}.items():
        if seconds is not None:
            one = contestant(honest, who, ours=who in STEPS)
            found.times[who] = Times(one, [seconds] * 3)
    return found


@pytest.fixture
def made():
    """A ladder of two steps; the naive one was not run at 100, the second misses its gate at 10."""
    outcomes = [
        gemm(10, 2e-6, 1e-6, numpy=5e-7, torch=2e-6),
        gemm(100, None, 1e-4, numpy=5e-5, torch=1.25e-5),
    ]
    return Report(
        MACHINE,
        limits(256e9, 40e9),
        outcomes,
        [Missing("adam-100K", "cpp", "no kernel adam on cpp yet")],
        {"numpy, out=": 3.21e-7, "a kernel in C++": 2.4e-8},
    )


def shown(made, *, width=None, **settings):
    file = io.StringIO()
    terminal = width is not None
    console = Console(
        file=file, width=width, force_terminal=terminal, highlight=False, soft_wrap=True,
        no_color=True,
    )  # fmt: skip
    report.show(made, console, **settings)
    return re.sub(r"\x1b\[\d*m", "", file.getvalue()) if terminal else file.getvalue()


def test_in_a_pipe_nothing_is_cut(made):
    text = shown(made)
    assert "\x1b" not in text and "…" not in text
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "gemm-NN-10 1_naive 2.00 us 1.0 GFLOP/s 1 % 1.00 0.25 0 %" in lines
    assert "2_reordered 1.00 us 2.0 GFLOP/s 2 % 2.00 2.00 0.50 missed: 4 x 1_naive 0 %" in lines
    assert "torch 12.5 us 160.0 GFLOP/s 62 %" in lines
    assert "gemm-NN-100 2_reordered 100 us 20.0 GFLOP/s 8 % 0.12 0.50 0 %" in lines


def test_the_conditions_and_the_limits_stand_above(made):
    lines = shown(made).splitlines()
    assert lines[:4] == [
        "a processor, kernels for avx2; python 3.11, numpy 2.4, torch 2.9",
        "everybody: 1 thread, float32, IEEE arithmetic, the same fresh numbers; clock: CPU time of"
        " the process",
        "limits here: multiply-adds avx2 256 GFLOP/s",
        "             L1 40, L2 40, L3 40, DRAM 40 GB/s",
    ]


def test_what_is_missing_and_what_missed_stand_below(made):
    made.outcomes[0].refused.append(Refused("torch", "it cheated."))
    lines = shown(made).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("the door"))
    assert lines[start + 1 :] == [
        "  numpy, out=          321 ns",
        "  a kernel in C++       24 ns",
        "two threads: no step of ours that ran computes on more than one",
        "not there yet: 1 workload",
        "  adam-100K: no kernel adam on cpp yet",
        "refused: 1",
        "  gemm-NN-10: torch: it cheated.",
        "gates: 0 of 1 met",
        "  gemm-NN-10 2_reordered: 2.00 x 1_naive, the gate is 4",
        "gates not judged, since a side is missing: 1",
        "  gemm-NN-100: 2_reordered against 1_naive",
    ]


def test_a_narrow_terminal_gets_fewer_columns_and_whole_numbers(made):
    wide, narrow = shown(made, width=140), shown(made, width=52)
    assert "missed: 4 x 1_naive" in wide and "spread" in wide
    rows = [line for line in narrow.splitlines() if "_naive" in line or "numpy " in line]
    table = [line.rstrip() for line in rows if "GFLOP" in line]
    assert len(table) == 3 and max(map(len, table)) <= 52
    assert "missed: 4 x 1_naive" not in narrow and "spread" not in narrow
    assert "2.00 us" in narrow and "1.0 GFLOP/s" in narrow and "…" not in narrow


def test_the_narrowest_still_says_who_and_how_long(made):
    text = shown(made, width=12)
    assert "2_reordered" in text and "1.00 us" in text and "1.0 GFLOP/s" not in text


def test_more_threads_have_rows_of_their_own(made):
    sides = [made.outcomes[0].times[n] for n in ("2_reordered", "torch")]
    made.pairs.append(compare("gemm-NN-10", *sides, threads=2))
    lines = [" ".join(line.split()) for line in shown(made).splitlines()]
    assert "gemm-NN-10 2_reordered, 2 threads 1.00 us 2.00 0 %" in lines
    assert report.ONE_THREAD not in lines and "gates: 0 of 1 met" in lines


def test_without_torch_one_sentence(made):
    text = shown(made, torch_missing=True)
    assert text.count(report.NO_TORCH) == 1
    assert report.NO_TORCH not in shown(made)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2.5, "2.50 s"), (0.0123, "12.3 ms"), (0.9996, "1.00 s"), (0.99949, "999 ms"),
     (1e-6, "1.00 us"), (1.2e-7, "120 ns")],
)  # fmt: skip
def test_times_have_three_digits_and_a_unit(seconds, text):
    assert report.duration(seconds) == text


def test_pictures_are_drawn_and_say_what_was_found(made, tmp_path):
    files = pictures.save(made, tmp_path / "deep" / "down", torch_missing=False)
    assert [f.name for f in files] == ["bars.png", "roofline.png"]
    for file in files:
        with Image.open(file) as opened:
            image = opened.convert("RGB")
        assert image.width == 700 and len(image.getcolors(1 << 20)) > 8
    bars = pictures.bars(made, "torch").figure.axes[0]
    assert bars.get_title(loc="left") == "one thread: faster than PyTorch in 1 of 2"
    roof = pictures.roofline(made).figure.axes[0]
    assert roof.get_title(loc="left") == "the best of ours reaches 20 of 256 GFLOP/s"


def test_no_picture_of_nothing(tmp_path):
    assert pictures.save(Report(MACHINE, limits()), tmp_path, torch_missing=True) == []


def test_the_ladder_stands_between_the_marks(made):
    text = f"before\n{ladder.BEGIN}\nold\n{ladder.END}\nafter\n"
    filled = ladder.filled(text, made)
    assert filled.startswith(f"before\n{ladder.BEGIN}\n| GFLOP/s | 10 x 10 | 100 x 100 | share")
    assert filled.endswith(f"{ladder.END}\nafter\n") and "old" not in filled
    assert ladder.filled(filled, made) == filled
    lines = filled.splitlines()
    assert "| 1_naive | 1.0 | not run | 0 % |" in lines
    assert "| 2_reordered | 2.0 | 20.0 | 8 % |" in lines
    assert "| NumPy | 4.0 | 40.0 | 16 % |" in lines
    assert "| PyTorch | 1.0 | 160.0 | 62 % |" in lines
    assert "![2.0 times from 1_naive to 2_reordered at 10 x 10](docs/gemm_ladder.png)" in lines


def test_readme_without_marks_is_left_alone(made, tmp_path):
    (tmp_path / "README.md").write_text("no marks", encoding="utf-8")
    with pytest.raises(CatalogError, match=r"README.md: the marks <!-- bench: made by make bench"):
        ladder.write(made, tmp_path)
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "no marks"
    assert not (tmp_path / "docs").exists()


def test_the_readme_and_its_picture_are_written(made, tmp_path):
    (tmp_path / "README.md").write_text(f"{ladder.BEGIN}\n{ladder.END}", encoding="utf-8")
    readme, picture = ladder.write(made, tmp_path)
    assert "docs/gemm_ladder.png" in readme.read_text(encoding="utf-8")
    with Image.open(picture) as image:
        assert image.width == 700


def test_a_ladder_needs_its_squares():
    with pytest.raises(CatalogError, match=r"--readme needs the workloads gemm-NN-"):
        ladder.write(Report(MACHINE, limits()), Path())
