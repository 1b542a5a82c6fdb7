"""An edited kernel in C++ runs in a notebook that is open; one that does not compile stops it."""

import sys
from pathlib import Path

import pytest

from minigrad import native

sys.path.insert(0, str(Path(__file__).parents[1]))

import native_course as small

LOAD = "%load_ext minigrad.course\nimport numpy as np\nfrom minigrad import kernels\n"
CALL = "add(x, x, out); out.tolist()"
FILE = f"chapters/{small.CHAPTER}/elementwise/1_loop.cpp"
OPEN = '    MG_TODO("8.1");\n'
DOUBLE = "    for (int64_t i = 0; i < out.size(); ++i) to[i] = a[i] + b[i];\n"


@pytest.fixture
def place(make_checkout):
    if native.find() is None:
        pytest.skip(f"not verified: {native.absence()}")
    made = make_checkout(sources=small.SOURCES, files=small.FILES, machinery=True)
    small.furnish(made.root)
    return made


def opened(place, start, **variables):
    kernel = start(place.root / "chapters" / small.CHAPTER, place.root, **variables)
    said = kernel.run(
        f"{LOAD}x = np.float32([1, 2, 4]); out = np.zeros(3, np.float32)\n"
        "add = kernels.under_test('add', step=1)"
    )
    return kernel, said


def test_an_edit_runs_at_once_and_what_does_not_compile_never(place, start):
    kernel, said = opened(place, start)
    assert said.printed.endswith("open 8.1, 8.2, 8.3; the reference elsewhere\n"), said
    assert kernel.run(CALL).error.startswith(f"exercise 8.1 is still open ({FILE}:14)")
    place.rewrite(FILE, (OPEN, DOUBLE))
    answer = kernel.run(CALL)
    assert (answer.printed, answer.value) == ("now running your 8.1\n", "[2.0, 4.0, 8.0]")
    place.rewrite(FILE, ("a[i] + b[i];", "a[i] + 2 * b[i];"))
    assert kernel.value(CALL) == "[3.0, 6.0, 12.0]", "the old code ran"
    place.rewrite(FILE, ("2 * b[i];", "2 * b[i]"))
    for _ in range(2):
        answer = kernel.run(CALL)
        assert answer.error.startswith(f"{FILE}:15 does not compile (in exercise 8.1):\n{FILE}:15:")
        assert "expected ';'" in answer.error and not answer.printed
    place.rewrite(FILE, ("2 * b[i]", "2 * b[i];"))
    assert kernel.value(CALL) == "[3.0, 6.0, 12.0]", "what was right before is right again"
    place.rewrite(FILE, (DOUBLE.replace("b[i]", "2 * b[i]"), OPEN))
    answer = kernel.run(CALL)
    assert answer.printed == "open again: 8.1\n"
    assert answer.error.startswith("exercise 8.1 is still open")


def test_with_the_reference_the_kernels_are_ours(place, start):
    kernel, _ = opened(place, start, MINIGRAD_NOTEBOOK="reference")
    assert kernel.value(CALL) == "[2.0, 4.0, 8.0]"
