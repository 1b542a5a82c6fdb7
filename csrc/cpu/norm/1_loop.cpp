// norm step 1: each row brought to mean 0 and variance 1 while it is in the cache; and the way
// back. before: NumPy (six passes over all rows) · next: 2_simd
#include <cmath>

#include "minigrad/kernel.h"
#include "minigrad/rows.h"
#include "minigrad/sums.h"

namespace {
using namespace minigrad;
using std::int64_t;

// What standardises a row: its mean, and 1 / sqrt(variance + eps). Two passes: the difference of
// two large sums would cancel.
template <class T>
struct Moments {
    T mean, scale;
};

template <class T>
Moments<T> moments(const T* row, int64_t count, double eps) {
    const T size = static_cast<T>(count);
    const T mean = sum_of<T>(count, [&](int64_t i) { return row[i]; }) / size;
    const T squares =
        sum_of<T>(count, [&](int64_t i) { return (row[i] - mean) * (row[i] - mean); });
    return {mean, 1 / std::sqrt(squares / size + static_cast<T>(eps))};
}

// out = (x - mean) / sqrt(variance + eps) along the last axis.
void standardise(View x, Out out, double eps) {
    same_last(x, out);
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = x.ndim - 1;
        const int64_t count = x.shape[last], step = out.strides[last];
        T* room = static_cast<T*>(scratch(count * sizeof(T)));
        const auto run = [&](const auto& at) {
            const T* row = packed(x.as<const T>() + at[0], x.strides[last], count, room);
            const Moments<T> of = moments(row, count, eps);
            const T mean = of.mean, scale = of.scale;
            T* to = out.as<T>() + at[1];
            put(to, step, count, [&](int64_t i) { return (row[i] - mean) * scale; });
        };
        each_row(run, x, out);
    });
}

// dx = scale (g - mean(g) - y mean(g y)), with y the standardised row: g without its mean and
// without its part along y.
void standardise_grad(View x, View g, Out dx, double eps) {
    same_last(x, g, dx);
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = x.ndim - 1;
        const int64_t count = x.shape[last], step = dx.strides[last];
        T* room = static_cast<T*>(scratch(2 * count * sizeof(T)));
        const auto run = [&](const auto& at) {
            const T* row = packed(x.as<const T>() + at[0], x.strides[last], count, room);
            const T* back = packed(g.as<const T>() + at[1], g.strides[last], count, room + count);
            const Moments<T> of = moments(row, count, eps);
            const T mean = of.mean, scale = of.scale;
            const T size = static_cast<T>(count);
            const T middle = sum_of<T>(count, [&](int64_t i) { return back[i]; }) / size;
            const T along = scale *
                            sum_of<T>(count, [&](int64_t i) { return back[i] * (row[i] - mean); }) /
                            size;
            T* to = dx.as<T>() + at[2];
            put(to, step, count, [&](int64_t i) {
                return scale * (back[i] - middle - (row[i] - mean) * scale * along);
            });
        };
        each_row(run, x, g, dx);
    });
}

const Register<op::standardise> of_standardise("cpp", 1, floats, standardise);
const Register<op::standardise_grad> of_standardise_grad("cpp", 1, floats, standardise_grad);

}  // namespace
