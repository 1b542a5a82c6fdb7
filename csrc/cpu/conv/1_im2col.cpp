// conv step 1: what each window sees becomes a column (im2col), and convolution a product of
// matrices; its two gradients are products with the same columns.
// before: NumPy · next: nothing yet
//
// Images are (N, C, H, W), a weight (O, C / groups, h, w), results (N, O, rows, cols). One image
// and one group of channels at a time.
#include <algorithm>

#include "minigrad/gemm.h"
#include "minigrad/kernel.h"
#include "minigrad/windows.h"

namespace {
using namespace minigrad;
using std::int64_t;

// A tile of a product: four rows and three registers across, which with what is loaded fit into 16.
constexpr int64_t tall = 4;
template <class T>
constexpr int64_t lanes = vector_bytes / sizeof(T);
template <class T>
constexpr int64_t wide = 3 * lanes<T>;

// `count` rounded up to whole tiles: rows of b have so many numbers.
template <class T>
int64_t whole(int64_t count) {
    return (count + wide<T> - 1) / wide<T> * wide<T>;
}

// c = a b, or c += a b. The rows of b lie in memory, in whole tiles, and c's columns do not count
// beyond c.cols.
template <class T>
void multiply(const Matrix<const T>& a, const T* b, int64_t b_down, const Matrix<T>& c, bool add) {
    for (int64_t left = 0; left < c.cols; left += wide<T>) {
        for (int64_t top = 0; top < c.rows; top += tall) {
            T sums[tall][3][lanes<T>] = {};
            const int64_t rows = std::min(tall, c.rows - top);
            const T* from[tall];  // at the edge, the last row again
            for (int64_t i = 0; i < tall; ++i) from[i] = &a(top + std::min(i, rows - 1), 0);
            for (int64_t p = 0; p < a.cols; ++p) {
                const T* row = b + p * b_down + left;
                for (int64_t i = 0; i < tall; ++i) {
                    const T factor = from[i][p * a.across];
                    for (int64_t r = 0; r < 3; ++r) {
#pragma GCC unroll 1  // into a vector, not into single steps
                        for (int64_t j = 0; j < lanes<T>; ++j)
                            sums[i][r][j] += factor * row[r * lanes<T> + j];
                    }
                }
            }
            const int64_t cols = std::min(wide<T>, c.cols - left);
            for (int64_t i = 0; i < rows; ++i) {
                for (int64_t j = 0; j < cols; ++j) {
                    T& to = c(top + i, left + j);
                    const T sum = sums[i][j / lanes<T>][j % lanes<T>];
                    to = add ? to + sum : sum;
                }
            }
        }
    }
}

// The weight or its gradient, image by image and group by group: f(windows, image n, group k).
template <class F>
void each_group(const View& image, const View& weight, const View& maps, const int64_t (&n)[7],
                F f) {
    require(image.ndim == 4 && weight.ndim == 4 && maps.ndim == 4, "four axes are needed");
    require(image.shape[0] == maps.shape[0] && image.shape[1] == weight.shape[1] * n[6] &&
                maps.shape[1] == weight.shape[0],
            "images, weights and results do not fit together");
    const Windows seen{weight.shape[1],
                       weight.shape[2],
                       weight.shape[3],
                       maps.shape[2],
                       maps.shape[3],
                       n[0],
                       n[1],
                       n[2],
                       n[3],
                       n[4],
                       n[5]};
    for (int64_t k = 0; k < n[6]; ++k)
        for (int64_t i = 0; i < image.shape[0]; ++i) f(seen, i, k);
}

void conv2d(View x, View weight, Out out, int64_t sh, int64_t sw, int64_t ph, int64_t pw,
            int64_t dh, int64_t dw, int64_t groups) {
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int64_t filters = weight.shape[0] / groups, pixels = out.shape[2] * out.shape[3];
        const int64_t depth = weight.shape[1] * weight.shape[2] * weight.shape[3];
        const int64_t down = whole<T>(pixels);
        T* columns =
            static_cast<T*>(scratch((depth * down + filters * (depth + pixels)) * sizeof(T)));
        T *filter = columns + depth * down, *product = filter + filters * depth;
        each_group(
            x, weight, out, {sh, sw, ph, pw, dh, dw, groups},
            [&](const Windows& seen, int64_t n, int64_t k) {
                if (n == 0) lay_out_weight(weight, k * filters, filters, filter);
                const T* image =
                    x.as<const T>() + n * x.strides[0] + k * weight.shape[1] * x.strides[1];
                std::fill(columns, columns + depth * down, T(0));
                unfold(seen, image, x, columns, down, 1);
                multiply<T>({filter, filters, depth, depth, 1}, columns, down,
                            {product, filters, pixels, pixels, 1}, false);
                T* to = out.as<T>() + n * out.strides[0] + k * filters * out.strides[1];
                for (int64_t o = 0; o < filters; ++o)
                    for (int64_t r = 0; r < seen.rows; ++r)
                        for (int64_t s = 0; s < seen.cols; ++s)
                            to[o * out.strides[1] + r * out.strides[2] + s * out.strides[3]] =
                                product[o * pixels + r * seen.cols + s];
            });
    });
}

// Each number of g paints its filter onto the pixels that its window sees.
void conv_transpose2d(View g, View weight, Out out, int64_t sh, int64_t sw, int64_t ph, int64_t pw,
                      int64_t dh, int64_t dw, int64_t groups) {
    with_type<floats>(g.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int64_t filters = weight.shape[0] / groups, pixels = g.shape[2] * g.shape[3];
        const int64_t depth = weight.shape[1] * weight.shape[2] * weight.shape[3];
        const int64_t down = whole<T>(pixels);
        T* columns =
            static_cast<T*>(scratch((depth * pixels + filters * (depth + down)) * sizeof(T)));
        T *filter = columns + depth * pixels, *maps = filter + filters * depth;
        each_group(
            out, weight, g, {sh, sw, ph, pw, dh, dw, groups},
            [&](const Windows& seen, int64_t n, int64_t k) {
                if (n == 0) lay_out_weight(weight, k * filters, filters, filter);
                std::fill(maps, maps + filters * down, T(0));
                lay_out(g.as<const T>() + n * g.strides[0] + k * filters * g.strides[1], g, filters,
                        maps, down);
                multiply<T>({filter, depth, filters, 1, depth}, maps, down,
                            {columns, depth, pixels, pixels, 1}, false);
                T* image = out.as<T>() + n * out.strides[0] + k * seen.channels * out.strides[1];
                for (int64_t c = 0; c < seen.channels; ++c)
                    for (int64_t y = 0; y < out.shape[2]; ++y)
                        for (int64_t z = 0; z < out.shape[3]; ++z)
                            image[c * out.strides[1] + y * out.strides[2] + z * out.strides[3]] = 0;
                const int64_t step = sw * out.strides[3];
                seen.each(out, [&](int64_t pixel, int64_t d, int64_t at, int64_t count) {
                    const T* from = columns + d * pixels + at;
                    T* to = image + pixel;
                    for (int64_t i = 0; i < count; ++i) to[i * step] += from[i];
                });
            });
    });
}

// How much each weight matters: all that it met, times the g there.
void conv2d_weight(View x, View g, Out out, int64_t sh, int64_t sw, int64_t ph, int64_t pw,
                   int64_t dh, int64_t dw, int64_t groups) {
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int64_t filters = out.shape[0] / groups, pixels = g.shape[2] * g.shape[3];
        const int64_t depth = out.shape[1] * out.shape[2] * out.shape[3], down = whole<T>(depth);
        T* columns =
            static_cast<T*>(scratch((pixels * down + filters * (depth + pixels)) * sizeof(T)));
        T *sums = columns + pixels * down, *maps = sums + filters * depth;
        const auto finish = [&](int64_t k) {
            const T* from = sums;
            for (int64_t o = 0; o < filters; ++o)
                for (int64_t c = 0; c < out.shape[1]; ++c)
                    for (int64_t i = 0; i < out.shape[2]; ++i)
                        for (int64_t j = 0; j < out.shape[3]; ++j)
                            out.as<T>()[(k * filters + o) * out.strides[0] + c * out.strides[1] +
                                        i * out.strides[2] + j * out.strides[3]] = *from++;
        };
        if (x.shape[0] == 0) {
            std::fill(sums, sums + filters * depth, T(0));
            for (int64_t k = 0; k < groups; ++k) finish(k);
        }
        each_group(x, out, g, {sh, sw, ph, pw, dh, dw, groups},
                   [&](const Windows& seen, int64_t n, int64_t k) {
                       const T* image =
                           x.as<const T>() + n * x.strides[0] + k * seen.channels * x.strides[1];
                       std::fill(columns, columns + pixels * down, T(0));
                       unfold(seen, image, x, columns, 1, down);
                       lay_out(g.as<const T>() + n * g.strides[0] + k * filters * g.strides[1], g,
                               filters, maps, pixels);
                       multiply<T>({maps, filters, pixels, pixels, 1}, columns, down,
                                   {sums, filters, depth, depth, 1}, n > 0);
                       if (n == x.shape[0] - 1) finish(k);
                   });
    });
}

const Register<op::conv2d> of_conv2d("cpp", 1, floats, conv2d);
const Register<op::conv_transpose2d> of_transpose("cpp", 1, floats, conv_transpose2d);
const Register<op::conv2d_weight> of_weight("cpp", 1, floats, conv2d_weight);

}  // namespace
