// softmax step 1: a row at a time: its largest, the exponentials and their sum, the division.
// before: NumPy (a pass over all rows for each of these) · next: 2_simd (all in vectors)
#include <cmath>
#include <limits>

#include "minigrad/kernel.h"
#include "minigrad/math.h"
#include "minigrad/rows.h"

namespace {
using namespace minigrad;
using std::int64_t;

constexpr int64_t lanes = 16;  // maxima and sums that do not wait for each other

// The largest; NaN if there is one, -inf if there is nothing.
template <class T>
T largest(const T* x, int64_t count) {
    T tops[lanes];
    for (T& top : tops) top = -std::numeric_limits<T>::infinity();
    const auto larger = [](T a, T b) { return a > b || a != a ? a : b; };
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (int64_t k = 0; k < lanes; ++k) tops[k] = larger(tops[k], x[i + k]);
    for (; i < count; ++i) tops[0] = larger(tops[0], x[i]);
    for (int64_t k = 1; k < lanes; ++k) tops[0] = larger(tops[0], tops[k]);
    return tops[0];
}

template <class T>
T total(const T* x, int64_t count) {
    T sums[lanes] = {};
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (int64_t k = 0; k < lanes; ++k) sums[k] += x[i + k];
    for (int64_t k = 0; i < count; ++i, ++k) sums[k] += x[i];
    for (int64_t width = lanes / 2; width > 0; width /= 2)
        for (int64_t k = 0; k < width; ++k) sums[k] += sums[k + width];
    return sums[0];
}

// exp(x - top) for each, into e; their sum.
template <class T>
T powers(const T* x, T top, T* e, int64_t count) {
    for (int64_t i = 0; i < count; ++i) e[i] = minigrad::exp(x[i] - top);
    return total(e, count);
}

// Numbers that are taken off a row must be finite: inf - inf is NaN.
template <class T>
T finite_or_0(T top) {
    return std::isfinite(top) ? top : T(0);
}

// f(row, its e, its result, the step of that) for each row; e has room for a row.
template <class F>
void over_rows(const View& x, const View& out, F f) {
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int64_t count = x.shape[x.ndim - 1], step = out.strides[out.ndim - 1];
        T* room = static_cast<T*>(scratch(2 * count * sizeof(T)));
        const auto run = [&](const auto& at) {
            const T* row = packed(x.as<const T>() + at[0], x.strides[x.ndim - 1], count, room);
            f(row, room + count, out.as<T>() + at[1], step, count);
        };
        each_row(run, x, out);
    });
}

void softmax(View x, Out out) {
    over_rows(x, out, [](const auto* row, auto* e, auto* to, int64_t step, int64_t count) {
        if (step == 1) e = to;
        // <ex 8.5> the largest off, so that no power overflows; then all by their sum
        const auto top = largest(row, count);
        const auto sum = powers(row, top, e, count);
        const auto scale = 1 / sum;
        for (int64_t i = 0; i < count; ++i) to[i * step] = e[i] * scale;
        // </ex 8.5>
    });
}

void log_softmax(View x, Out out) {
    over_rows(x, out, [](const auto* row, auto* e, auto* to, int64_t step, int64_t count) {
        const auto top = largest(row, count);
        const auto shift = std::log(powers(row, top, e, count));
        for (int64_t i = 0; i < count; ++i) to[i * step] = (row[i] - top) - shift;
    });
}

void logsumexp(View x, Out out) {
    over_rows(x, with_last_axis(out), [](const auto* row, auto* e, auto* to, int64_t, int64_t count) {
        const auto top = finite_or_0(largest(row, count));
        *to = std::log(powers(row, top, e, count)) + top;
    });
}

// softmax of what `allowed` lets through, 0 elsewhere; a row of which nothing is left is all 0.
void masked_softmax(View x, View allowed, Out out) {
    allowed = expanded(allowed, x);
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = x.ndim - 1;
        const int64_t count = x.shape[last];
        T* e = static_cast<T*>(scratch(count * sizeof(T)));
        const auto run = [&](const auto& at) {
            const T* row = x.as<const T>() + at[0];
            const bool* open = allowed.as<const bool>() + at[1];
            T* to = out.as<T>() + at[2];
            for (int64_t i = 0; i < count; ++i) {
                const T hidden = -std::numeric_limits<T>::infinity();
                e[i] = open[i * allowed.strides[last]] ? row[i * x.strides[last]] : hidden;
            }
            const T sum = powers(e, finite_or_0(largest(e, count)), e, count);
            const T scale = sum == 0 ? T(0) : 1 / sum;
            for (int64_t i = 0; i < count; ++i) to[i * out.strides[last]] = e[i] * scale;
        };
        each_row(run, x, allowed, out);
    });
}

const Register<op::softmax> of_softmax("cpp", 1, floats, softmax);
const Register<op::log_softmax> of_log_softmax("cpp", 1, floats, log_softmax);
const Register<op::logsumexp> of_logsumexp("cpp", 1, floats, logsumexp);
const Register<op::masked_softmax> of_masked_softmax("cpp", 1, floats, masked_softmax);

}  // namespace
