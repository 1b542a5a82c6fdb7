// Matrices as a gemm sees them: a pointer and two strides, so that a transposed one is another
// order of strides and nothing is copied.
#pragma once

#include <algorithm>

#include "minigrad/loops.h"
#include "minigrad/view.h"

namespace minigrad {

template <class T>
struct Matrix {
    T* data;
    std::int64_t rows, cols;
    std::int64_t down, across;  // strides, in elements

    T& operator()(std::int64_t i, std::int64_t j) const { return data[i * down + j * across]; }
};

// Calls f(a, b, c) for each pair of matrices of two stacks, whose other axes are those of out.
template <class T, class F>
void for_each_matrix(const View& x, const View& y, const View& out, F f) {
    require(std::min({x.ndim, y.ndim, out.ndim}) >= 2, "a matrix has two axes");
    const int r = out.ndim - 2, c = out.ndim - 1;
    const std::int64_t m = out.shape[r], n = out.shape[c], k = x.shape[x.ndim - 1];
    const std::int64_t k_of_y = y.shape[y.ndim - 2], m_of_x = x.shape[x.ndim - 2];
    require(k_of_y == k && m_of_x == m && y.shape[y.ndim - 1] == n,
            "matrices whose sizes do not fit");
    View first_of_out = out;  // of each matrix
    first_of_out.shape[r] = first_of_out.shape[c] = 1;
    View first_of_x = x, first_of_y = y;
    first_of_x.shape[x.ndim - 2] = first_of_x.shape[x.ndim - 1] = 1;
    first_of_y.shape[y.ndim - 2] = first_of_y.shape[y.ndim - 1] = 1;
    const auto walk =
        rows(first_of_out, expanded(first_of_x, first_of_out), expanded(first_of_y, first_of_out));
    for_each_row(walk, [&](const auto& at) {
        for (std::int64_t i = 0; i < walk.count; ++i) {
            f(Matrix<const T>{x.as<const T>() + at[1] + i * walk.steps[1], m, k,
                              x.strides[x.ndim - 2], x.strides[x.ndim - 1]},
              Matrix<const T>{y.as<const T>() + at[2] + i * walk.steps[2], k, n,
                              y.strides[y.ndim - 2], y.strides[y.ndim - 1]},
              Matrix<T>{out.as<T>() + at[0] + i * walk.steps[0], m, n, out.strides[r],
                        out.strides[c]});
        }
    });
}

}  // namespace minigrad
