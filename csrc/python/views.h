// NumPy's arrays as views, checked: what a kernel is given never points outside an array.
#pragma once

#include <pybind11/numpy.h>

#include <vector>

#include "minigrad/view.h"

namespace minigrad {

// Raises TypeError for what is no ndarray of a dtype that views know, ValueError for more than
// max_rank axes, for strides that are no whole elements and for misaligned numbers.
View view_of(pybind11::handle array, const char* call);

// Whether a view that is written may share memory with another one: whether the bytes from the
// first to the last of them meet. `written` says which are.
bool overlap(const std::vector<View>& views, const std::vector<bool>& written);

}  // namespace minigrad
