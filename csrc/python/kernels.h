#pragma once

#include <pybind11/pybind11.h>

namespace minigrad {

// Adds to the module: open_library, Library, Kernel, Call.
void bind_kernels(pybind11::module_& m);

}  // namespace minigrad
