// copy step 2: a transposed view is copied tile by tile. A tile's rows of out and columns of x lie
// in few cache lines, and each line is used whole before it is gone.
// before: 1_loop (a new line of x for every number) · next: 3_simd (a tile inside the registers)
#include <algorithm>

#include "minigrad/kernel.h"
#include "minigrad/loops.h"

namespace {
using namespace minigrad;
using std::int64_t;

constexpr int64_t tile = 32;  // 32 lines of 64 bytes on each side fit into L1 many times over

// out[i, j] = x[i, j] for a matrix whose columns are contiguous in x and whose rows are in out.
template <class T>
void transposed(const T* x, int64_t x_across, T* out, int64_t out_down, int64_t rows, int64_t cols) {
    for (int64_t top = 0; top < rows; top += tile) {
        for (int64_t left = 0; left < cols; left += tile) {
            const int64_t bottom = std::min(top + tile, rows), right = std::min(left + tile, cols);
            for (int64_t i = top; i < bottom; ++i)
                for (int64_t j = left; j < right; ++j) out[i * out_down + j] = x[i + j * x_across];
        }
    }
}

template <class T>
void copy_as(const View& x, const Out& out) {
    // out's rows run along the innermost axis; the axis on which x is contiguous is the other.
    const auto walk = rows(out, x);
    int other = -1;
    for (int axis = 0; axis < walk.ndim; ++axis)
        if (walk.strides[axis][1] == 1) other = axis;
    const bool turned = other >= 0 && walk.steps[0] == 1 && walk.steps[1] != 1;
    auto around = walk;
    if (turned) around.shape[other] = 1;
    for_each_row(around, [&](const auto& at) {
        T* to = out.as<T>() + at[0];
        const T* from = x.as<const T>() + at[1];
        if (turned) {
            transposed(from, walk.steps[1], to, walk.strides[other][0], walk.shape[other], walk.count);
        } else if (walk.steps[0] == 1 && walk.steps[1] == 1) {
            std::copy(from, from + walk.count, to);
        } else {
            for (int64_t i = 0; i < walk.count; ++i) to[i * walk.steps[0]] = from[i * walk.steps[1]];
        }
    });
}

void copy(View x, Out out) {
    if (x.dtype != out.dtype) throw std::invalid_argument("a cast is 1_loop's work");
    with_type<all_types>(x.dtype, [&](auto zero) { copy_as<decltype(zero)>(x, out); });
}

}  // namespace
