// Windows on images: which pixel each of them sees at each of its places; and the arrays of a
// convolution laid out as matrices.
#pragma once

#include <algorithm>
#include <cstdint>

#include "minigrad/view.h"

namespace minigrad {
using std::int64_t;

// One convolution: how windows lie on an image, and where what they see stands among columns.
struct Windows {
    int64_t channels, h, w;  // of a group, and of a window
    int64_t rows, cols;      // of windows
    int64_t sh, sw, ph, pw, dh, dw;

    int64_t depth() const { return channels * h * w; }
    int64_t pixels() const { return rows * cols; }

    // Calls f(pixel of the image, which number of a column, which window, count) for runs of
    // windows side by side that all see a pixel of the image there: the next window's is `sw`
    // further.
    template <class F>
    void each_run(int64_t channel, int64_t i, int64_t j, const View& image, F f) const {
        const int64_t d = (channel * h + i) * w + j, height = image.shape[2],
                      width = image.shape[3];
        const int64_t left = j * dw - pw;  // of the first window
        const int64_t first = left >= 0 ? 0 : std::min(cols, (-left + sw - 1) / sw);
        const int64_t last = left >= width ? 0 : std::min(cols, (width - 1 - left) / sw + 1);
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t y = r * sh - ph + i * dh;
            if (y < 0 || y >= height || first >= last) continue;
            f(y * image.strides[2] + (left + first * sw) * image.strides[3], d, r * cols + first,
              last - first);
        }
    }
    template <class F>
    void each(const View& image, F f) const {
        for (int64_t c = 0; c < channels; ++c)
            for (int64_t i = 0; i < h; ++i)
                for (int64_t j = 0; j < w; ++j)
                    each_run(c, i, j, image, [&](int64_t pixel, int64_t d, int64_t at, int64_t n) {
                        f(c * image.strides[1] + pixel, d, at, n);
                    });
    }
};

// What the windows see: number d of window p to[d * d_step + p * p_step]; zeros around the image.
template <class T>
void unfold(const Windows& seen, const T* group, const View& image, T* to, int64_t d_step,
            int64_t p_step) {
    const int64_t step = seen.sw * image.strides[3];
    seen.each(image, [&](int64_t pixel, int64_t d, int64_t at, int64_t count) {
        const T* from = group + pixel;
        T* here = to + d * d_step + at * p_step;
        for (int64_t k = 0; k < count; ++k) here[k * p_step] = from[k * step];
    });
}

// One group's maps of one image, (filters, rows, cols), as rows of a matrix.
template <class T>
void lay_out(const T* maps, const View& g, int64_t filters, T* to, int64_t down) {
    for (int64_t o = 0; o < filters; ++o)
        for (int64_t r = 0; r < g.shape[2]; ++r)
            for (int64_t s = 0; s < g.shape[3]; ++s)
                to[o * down + r * g.shape[3] + s] =
                    maps[o * g.strides[1] + r * g.strides[2] + s * g.strides[3]];
}

// A weight's group, as a matrix of `filters` rows. Its own axes are copied into one.
template <class T>
void lay_out_weight(const View& weight, int64_t first, int64_t filters, T* to) {
    for (int64_t o = 0; o < filters; ++o)
        for (int64_t c = 0; c < weight.shape[1]; ++c)
            for (int64_t i = 0; i < weight.shape[2]; ++i)
                for (int64_t j = 0; j < weight.shape[3]; ++j)
                    *to++ =
                        weight
                            .as<const T>()[(first + o) * weight.strides[0] + c * weight.strides[1] +
                                           i * weight.strides[2] + j * weight.strides[3]];
}

}  // namespace minigrad
