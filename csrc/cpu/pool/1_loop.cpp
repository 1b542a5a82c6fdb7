// pool step 1: each window is looked through, and where its largest stands is noted.
// before: NumPy · next: nothing yet
#include <limits>

#include "minigrad/kernel.h"
#include "minigrad/view.h"

namespace {
using namespace minigrad;
using std::int64_t;

// Windows along one axis: of k pixels, d apart, from one to the next s, beginning p before the
// image.
struct Along {
    int64_t k, s, p, d, size;

    int64_t begin(int64_t i) const { return i * s - p; }
    // The first of its pixels that lies inside the image: a step more for each that does not.
    int64_t skipped(int64_t i) const {
        const int64_t start = begin(i);
        return start < 0 ? (-start + d - 1) / d : 0;
    }
    bool inside(int64_t pixel) const { return pixel < size; }
};

// x (N, C, H, W) -> out (N, C, rows, cols): the place of the largest among the H * W pixels of its
// image, the first of equal ones, a NaN before all others.
void max_pool2d(View x, Out out, int64_t kh, int64_t kw, int64_t sh, int64_t sw, int64_t ph,
                int64_t pw, int64_t dh, int64_t dw) {
    require(
        x.ndim == 4 && out.ndim == 4 && x.shape[0] == out.shape[0] && x.shape[1] == out.shape[1],
        "images and results do not fit together");
    const Along down{kh, sh, ph, dh, x.shape[2]}, across{kw, sw, pw, dw, x.shape[3]};
    const auto place = [](const View& v, int64_t n, int64_t c, int64_t i, int64_t j) {
        return n * v.strides[0] + c * v.strides[1] + i * v.strides[2] + j * v.strides[3];
    };
    with_type<numbers>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        // The best pixel of the window at (r, s) of an image.
        const auto best_of = [&](const T* image, int64_t r, int64_t s) {
            const int64_t i0 = down.skipped(r), j0 = across.skipped(s);
            int64_t found = (down.begin(r) + i0 * dh) * across.size + across.begin(s) + j0 * dw;
            bool begun = false;
            T best = 0;
            for (int64_t i = i0; i < kh; ++i) {
                const int64_t row = down.begin(r) + i * dh;
                if (!down.inside(row)) break;
                for (int64_t j = j0; j < kw; ++j) {
                    const int64_t col = across.begin(s) + j * dw;
                    if (!across.inside(col)) break;
                    const T seen = image[row * x.strides[2] + col * x.strides[3]];
                    const bool better = !begun || (!(seen <= best) && best == best);
                    if (better) best = seen, found = row * across.size + col, begun = true;
                }
            }
            return found;
        };
        for (int64_t n = 0; n < out.shape[0]; ++n) {
            for (int64_t c = 0; c < out.shape[1]; ++c) {
                const T* image = x.as<const T>() + place(x, n, c, 0, 0);
                for (int64_t r = 0; r < out.shape[2]; ++r)
                    for (int64_t s = 0; s < out.shape[3]; ++s)
                        out.as<int64_t>()[place(out, n, c, r, s)] = best_of(image, r, s);
            }
        }
    });
}

const Register<op::max_pool2d> entry("cpp", 1, numbers, max_pool2d);

}  // namespace
