"""Every kernel, of every step, ours and yours, and which of them run.

    kernels.entries("matmul")               what there is: op, backend, step, owner
    kernels.lookup("matmul", backend="cpp", step=1)(x, y, out)
    with kernels.use("cpp"): ...            the engine you read, on C++ kernels
    kernels.load(Path("1_loop.cpp"))        a file of yours, compiled and entered beside ours
    kernels.under_test("add", step=1)       for a chapter's tests: the kernel that they are about

All stand in one table, see table.py.
"""

from minigrad.kernels.loading import load as load
from minigrad.kernels.table import MINE as MINE
from minigrad.kernels.table import REFERENCE as REFERENCE
from minigrad.kernels.table import KernelMissing as KernelMissing
from minigrad.kernels.table import Key as Key
from minigrad.kernels.table import entering_as as entering_as
from minigrad.kernels.table import entries as entries
from minigrad.kernels.table import lookup as lookup
from minigrad.kernels.table import register as register
from minigrad.kernels.tested import under_test as under_test
from minigrad.kernels.using import chosen as chosen
from minigrad.kernels.using import entire as entire
from minigrad.kernels.using import use as use
from minigrad.kernels.using import whole as whole
