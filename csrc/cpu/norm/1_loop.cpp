// norm step 1: each row brought to mean 0 and variance 1 while it is in the cache.
// before: NumPy (six passes over all rows) · next: 2_simd
#include <cmath>

#include "minigrad/kernel.h"
#include "minigrad/rows.h"

namespace {
using namespace minigrad;
using std::int64_t;

constexpr int64_t lanes = 16;

// The sum of f(i), in `lanes` parts that do not wait for each other.
template <class T, class F>
T total(int64_t count, F f) {
    T sums[lanes] = {};
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (int64_t k = 0; k < lanes; ++k) sums[k] += f(i + k);
    for (int64_t k = 0; i < count; ++i, ++k) sums[k] += f(i);
    for (int64_t width = lanes / 2; width > 0; width /= 2)
        for (int64_t k = 0; k < width; ++k) sums[k] += sums[k + width];
    return sums[0];
}

// (x - mean) / sqrt(variance + eps) along the last axis, in two passes over a row: the difference
// of two large sums would cancel.
void layernorm(View x, Out out, double eps) {
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = x.ndim - 1;
        const int64_t count = x.shape[last], step = out.strides[last];
        const T size = static_cast<T>(count);
        T* room = static_cast<T*>(scratch(count * sizeof(T)));
        const auto run = [&](const auto& at) {
            const T* row = packed(x.as<const T>() + at[0], x.strides[last], count, room);
            T* to = out.as<T>() + at[1];
            const T mean = total<T>(count, [&](int64_t i) { return row[i]; }) / size;
            const T squares = total<T>(count, [&](int64_t i) { return (row[i] - mean) * (row[i] - mean); });
            const T scale = 1 / std::sqrt(squares / size + static_cast<T>(eps));
            if (step == 1) {
                for (int64_t i = 0; i < count; ++i) to[i] = (row[i] - mean) * scale;
            } else {
                for (int64_t i = 0; i < count; ++i) to[i * step] = (row[i] - mean) * scale;
            }
        };
        each_row(run, x, out);
    });
}

const Register<op::layernorm> of_layernorm("cpp", 1, floats, layernorm);

}  // namespace
