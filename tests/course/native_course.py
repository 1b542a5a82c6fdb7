"""A small course with exercises in C++, for the tests of what the course does with them."""

import shutil
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

LOOP = """// elementwise step 1: one loop.
#include "minigrad/kernel.h"

namespace {
using namespace minigrad;
using std::int64_t;

// Each number of x and y, added.
void add(View x, View y, Out out) {
    const float* a = x.as<float>();
    const float* b = y.as<float>();
    float* to = out.as<float>();
    // <ex 8.1> each number of out is the sum of two (3 lines)
    for (int64_t i = 0; i < out.size(); ++i) {
        to[i] = a[i] + b[i];
    }
    // </ex 8.1>
}

// What comes after the minus of x, by add.
void neg(View x, Out out) {
    // <ex 8.2> each number of out is minus that of x (3 lines)
    for (int64_t i = 0; i < out.size(); ++i) {
        out.as<float>()[i] = -x.as<float>()[i];
    }
    // </ex 8.2>
}

const Register<op::add> entry_add("cpp", 1, set_of(DType::float32), add);
const Register<op::neg> entry_neg("cpp", 1, set_of(DType::float32), neg);
}  // namespace
"""
COPY = """// copy step 1: one loop.
#include "minigrad/kernel.h"

namespace {
using namespace minigrad;
using std::int64_t;

void copy(View x, Out out) {
    // <ex 8.3> each number of out is that of x (3 lines)
    for (int64_t i = 0; i < out.size(); ++i) {
        out.as<float>()[i] = x.as<float>()[i];
    }
    // </ex 8.3>
}

const Register<op::copy> entry("cpp", 1, set_of(DType::float32), copy);
}  // namespace
"""
TESTS = """
import numpy as np
import pytest
from minigrad import kernels
from minigrad.course import expect, guards

X, Y = np.float32([1, 2, 4]), np.float32([8, 16, 32])


@pytest.mark.exercise("8.1")
def test_add():
    out = guards.call(kernels.under_test("add", step=1), X, Y, shape=(3,))
    expect.close(out, X + Y, what="x + y", inputs={"x": X, "y": Y})


@pytest.mark.exercise("8.2")
def test_neg():
    out = guards.call(kernels.under_test("neg", step=1), X, shape=(3,))
    expect.close(out, -X, what="-x", inputs={"x": X})


@pytest.mark.exercise("8.3")
def test_copy():
    out = guards.call(kernels.under_test("copy", step=1), X, shape=(3,))
    expect.close(out, X, what="the copy", inputs={"x": X})
"""
ELEMENTWISE = "csrc/cpu/elementwise/1_loop.cpp"
SOURCES = {ELEMENTWISE: LOOP, "csrc/cpu/copy/1_loop.cpp": COPY}
CHAPTER = "08_more"
FILES = {f"tests/{CHAPTER}/test_kernels.py": TESTS}


def furnish(root: Path) -> None:
    """What kernels need of a checkout: headers, the table, what was built."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(CHECKOUT / "minigrad/kernels", root / "minigrad/kernels", ignore=ignored)
    shutil.copytree(CHECKOUT / "csrc/include", root / "csrc/include", dirs_exist_ok=True)
    (root / "csrc/python").mkdir(parents=True)
    shutil.copy(CHECKOUT / "minigrad/dtypes.py", root / "minigrad/dtypes.py")
    (root / "build").mkdir()
    (root / "build/native").symlink_to(CHECKOUT / "build/native")
