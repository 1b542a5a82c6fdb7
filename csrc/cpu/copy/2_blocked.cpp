// copy step 2: a transposed view is copied tile by tile. A tile's rows of out and columns of x lie
// in few cache lines, and each line is used whole before it is gone.
// before: 1_loop (a new line of x for every number) · next: 3_simd (a tile inside the registers)
#include <algorithm>

#include "minigrad/kernel.h"
#include "minigrad/map.h"

namespace {
using namespace minigrad;
using std::int64_t;

constexpr int64_t tile = 32;  // 32 lines of 64 bytes on each side fit into L1 many times over

// out[i, j] = x[i, j] for a matrix whose columns are contiguous in x and whose rows are in out.
template <class From, class To>
void transposed(const From* x, int64_t x_across, To* out, int64_t out_down, int64_t rows,
                int64_t cols) {
    for (int64_t top = 0; top < rows; top += tile) {
        for (int64_t left = 0; left < cols; left += tile) {
            const int64_t bottom = std::min(top + tile, rows), right = std::min(left + tile, cols);
            for (int64_t i = top; i < bottom; ++i)
                for (int64_t j = left; j < right; ++j)
                    out[i * out_down + j] = static_cast<To>(x[i + j * x_across]);
        }
    }
}

template <class From, class To>
void copied(const View& x, const Out& out) {
    // out's rows run along the innermost axis; the axis on which x is contiguous is the other.
    auto walk = rows(out, x);
    int other = -1;
    for (int axis = 0; axis < walk.ndim; ++axis)
        if (walk.strides[axis][1] == 1) other = axis;
    const int64_t so = walk.steps[0], sx = walk.steps[1];
    const bool turned = other >= 0 && so == 1 && sx != 1;
    const int64_t down = turned ? walk.shape[other] : 1;
    const int64_t out_down = turned ? walk.strides[other][0] : 0;
    if (turned) walk.shape[other] = down == 0 ? 0 : 1;  // its steps are the tiles' own
    for_each_row(walk, [&](const auto& at) {
        To* to = out.as<To>() + at[0];
        const From* from = x.as<const From>() + at[1];
        if (turned) {
            transposed(from, sx, to, out_down, down, walk.count);
        } else {
            along(from, sx, to, so, walk.count, [](From v) { return static_cast<To>(v); });
        }
    });
}

void copy(View x, Out out) {
    with_type<all_types>(x.dtype, [&](auto from) {
        with_type<all_types>(out.dtype,
                             [&](auto to) { copied<decltype(from), decltype(to)>(x, out); });
    });
}

const Register<op::copy> entry("cpp", 2, all_types, copy);

}  // namespace
