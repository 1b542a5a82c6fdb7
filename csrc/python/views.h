// NumPy's arrays as views, checked: what a kernel is given never points outside an array.
#pragma once

#include <pybind11/numpy.h>

#include "minigrad/view.h"

namespace minigrad {

// Raises TypeError for what is no ndarray of a dtype that views know, ValueError for more than
// max_rank axes, for strides that are no whole elements and for misaligned numbers.
View view_of(pybind11::handle array, const char* call);

// Whether two views may share memory: whether the bytes from first to last meet.
bool overlap(const View& a, const View& b);

}  // namespace minigrad
