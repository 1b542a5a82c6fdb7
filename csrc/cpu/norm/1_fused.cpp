// norm step 1, with what is learned: layer norm and rms norm, weight and bias in the same pass; the
// way back has mean and scale of each row from the way there.
// before: eight ops, each with a pass over all rows · next: 2_simd · beside it: 1_loop
#include <algorithm>
#include <cmath>

#include "minigrad/kernel.h"
#include "minigrad/rows.h"
#include "minigrad/sums.h"

namespace {
using namespace minigrad;
using std::int64_t;

// Gradients of weight and bias are sums over all rows: first over so many, then over those sums, so
// that rounding errors do not grow with their number.
constexpr int64_t together = 64;

template <class T>
void add_to(T* __restrict sums, T* __restrict parts, int64_t count) {
    for (int64_t i = 0; i < count; ++i) sums[i] += parts[i];
    std::fill(parts, parts + count, T(0));
}

// Raises unless what is learned has one number for each of a row.
template <class... V>
void of_each(const View& x, const V&... learned) {
    require(((learned.ndim == 1 && learned.shape[0] == x.shape[x.ndim - 1]) && ...),
            "weights that are not one for each number of a row");
}

// out = (x - mean) rstd weight + bias, with rstd = 1 / sqrt(variance + eps), along the last axis.
// x, out (..., D), weight, bias (D,), mean, rstd (...).
void layer_norm(View x, View weight, View bias, Out out, Out mean, Out rstd, double eps) {
    same_last(x, out);
    of_each(x, weight, bias);
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = x.ndim - 1;
        const int64_t count = x.shape[last];
        const T size = static_cast<T>(count);
        T* room = static_cast<T*>(scratch(3 * count * sizeof(T)));
        const T* w = packed(weight.as<const T>(), weight.strides[0], count, room + count);
        const T* b = packed(bias.as<const T>(), bias.strides[0], count, room + 2 * count);
        const auto run = [&](const auto& at) {
            const T* row = packed(x.as<const T>() + at[0], x.strides[last], count, room);
            const T middle = sum_of<T>(count, [&](int64_t i) { return row[i]; }) / size;
            const T squares =
                sum_of<T>(count, [&](int64_t i) { return (row[i] - middle) * (row[i] - middle); });
            const T scale = 1 / std::sqrt(squares / size + static_cast<T>(eps));
            put(out.as<T>() + at[1], out.strides[last], count,
                [&](int64_t i) { return (row[i] - middle) * scale * w[i] + b[i]; });
            mean.as<T>()[at[2]] = middle;
            rstd.as<T>()[at[3]] = scale;
        };
        each_row(run, x, out, with_last_axis(mean), with_last_axis(rstd));
    });
}

// With y the standardised row and d = g weight: dx = rstd (d - mean(d) - y mean(d y)), dweight the
// sum of g y over the rows, dbias that of g.
void layer_norm_grad(View x, View weight, View mean, View rstd, View g, Out dx, Out dweight,
                     Out dbias) {
    same_last(x, g, dx);
    of_each(x, weight, dweight, dbias);
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = x.ndim - 1;
        const int64_t count = x.shape[last];
        const T size = static_cast<T>(count);
        T* room = static_cast<T*>(scratch(8 * count * sizeof(T)));
        T *y = room + 3 * count, *parts_w = room + 4 * count, *parts_b = room + 5 * count;
        T *sums_w = room + 6 * count, *sums_b = room + 7 * count;
        std::fill(parts_w, room + 8 * count, T(0));
        const T* w = packed(weight.as<const T>(), weight.strides[0], count, room);
        int64_t seen = 0;
        const auto run = [&](const auto& at) {
            const T* row = packed(x.as<const T>() + at[0], x.strides[last], count, room + count);
            const T* back =
                packed(g.as<const T>() + at[3], g.strides[last], count, room + 2 * count);
            const T middle = mean.as<const T>()[at[1]], scale = rstd.as<const T>()[at[2]];
            T* __restrict of_w = parts_w, * __restrict of_b = parts_b, * __restrict here = y;
            for (int64_t i = 0; i < count; ++i) {
                here[i] = (row[i] - middle) * scale;
                of_w[i] += back[i] * here[i];
                of_b[i] += back[i];
            }
            const T level = sum_of<T>(count, [&](int64_t i) { return back[i] * w[i]; }) / size;
            const T along =
                sum_of<T>(count, [&](int64_t i) { return back[i] * w[i] * y[i]; }) / size;
            put(dx.as<T>() + at[4], dx.strides[last], count,
                [&](int64_t i) { return scale * (back[i] * w[i] - level - y[i] * along); });
            if (++seen % together == 0)
                add_to(sums_w, parts_w, count), add_to(sums_b, parts_b, count);
        };
        each_row(run, x, with_last_axis(mean), with_last_axis(rstd), g, dx);
        add_to(sums_w, parts_w, count), add_to(sums_b, parts_b, count);
        put(dweight.as<T>(), dweight.strides[0], count, [&](int64_t i) { return sums_w[i]; });
        put(dbias.as<T>(), dbias.strides[0], count, [&](int64_t i) { return sums_b[i]; });
    });
}

// out = x rstd weight, with rstd = 1 / sqrt(mean(x^2) + eps).
void rms_norm(View x, View weight, Out out, Out rstd, double eps) {
    same_last(x, out);
    of_each(x, weight);
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = x.ndim - 1;
        const int64_t count = x.shape[last];
        T* room = static_cast<T*>(scratch(2 * count * sizeof(T)));
        const T* w = packed(weight.as<const T>(), weight.strides[0], count, room + count);
        const auto run = [&](const auto& at) {
            const T* row = packed(x.as<const T>() + at[0], x.strides[last], count, room);
            const T squares = sum_of<T>(count, [&](int64_t i) { return row[i] * row[i]; });
            const T scale = 1 / std::sqrt(squares / static_cast<T>(count) + static_cast<T>(eps));
            put(out.as<T>() + at[1], out.strides[last], count,
                [&](int64_t i) { return row[i] * scale * w[i]; });
            rstd.as<T>()[at[2]] = scale;
        };
        each_row(run, x, out, with_last_axis(rstd));
    });
}

// With y = x rstd and d = g weight: dx = rstd (d - y mean(d y)), dweight the sum of g y.
void rms_norm_grad(View x, View weight, View rstd, View g, Out dx, Out dweight) {
    same_last(x, g, dx);
    of_each(x, weight, dweight);
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = x.ndim - 1;
        const int64_t count = x.shape[last];
        T* room = static_cast<T*>(scratch(5 * count * sizeof(T)));
        T *parts = room + 3 * count, *sums = room + 4 * count;
        std::fill(parts, room + 5 * count, T(0));
        const T* w = packed(weight.as<const T>(), weight.strides[0], count, room);
        int64_t seen = 0;
        const auto run = [&](const auto& at) {
            const T* row = packed(x.as<const T>() + at[0], x.strides[last], count, room + count);
            const T* back =
                packed(g.as<const T>() + at[2], g.strides[last], count, room + 2 * count);
            const T scale = rstd.as<const T>()[at[1]];
            const T along = sum_of<T>(count, [&](int64_t i) { return back[i] * w[i] * row[i]; }) *
                            scale / static_cast<T>(count);
            T* __restrict of_w = parts;
            for (int64_t i = 0; i < count; ++i) of_w[i] += back[i] * row[i] * scale;
            put(dx.as<T>() + at[3], dx.strides[last], count,
                [&](int64_t i) { return scale * (back[i] * w[i] - row[i] * scale * along); });
            if (++seen % together == 0) add_to(sums, parts, count);
        };
        each_row(run, x, with_last_axis(rstd), g, dx);
        add_to(sums, parts, count);
        put(dweight.as<T>(), dweight.strides[0], count, [&](int64_t i) { return sums[i]; });
    });
}

const Register<op::layer_norm> of_layer_norm("cpp", 1, floats, layer_norm);
const Register<op::layer_norm_grad> of_layer_norm_grad("cpp", 1, floats, layer_norm_grad);
const Register<op::rms_norm> of_rms_norm("cpp", 1, floats, rms_norm);
const Register<op::rms_norm_grad> of_rms_norm_grad("cpp", 1, floats, rms_norm_grad);

}  // namespace
