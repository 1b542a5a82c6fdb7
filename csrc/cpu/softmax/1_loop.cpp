// softmax step 1: a row at a time: its largest, the exponentials and their sum, the division.
// before: NumPy (a pass over all rows for each of these) · next: 2_simd (all in vectors)
#include <cmath>
#include <limits>

#include "minigrad/kernel.h"
#include "minigrad/math.h"
#include "minigrad/rows.h"
#include "minigrad/sums.h"

namespace {
using namespace minigrad;
using std::int64_t;

// The largest; NaN if there is one, -inf if there is nothing.
template <class T>
T largest(const T* x, int64_t count) {
    constexpr int64_t lanes = 32;
    T tops[lanes];
    for (T& top : tops) top = -std::numeric_limits<T>::infinity();
    const auto larger = [](T a, T b) { return a > b || a != a ? a : b; };
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (int64_t k = 0; k < lanes; ++k) tops[k] = larger(tops[k], x[i + k]);
    for (; i < count; ++i) tops[0] = larger(tops[0], x[i]);
    for (int64_t width = lanes / 2; width > 0; width /= 2)
        for (int64_t k = 0; k < width; ++k) tops[k] = larger(tops[k], tops[k + width]);
    return tops[0];
}

// exp(x - top) for each, into e; their sum.
template <class T>
T powers(const T* x, T top, T* e, int64_t count) {
    put(e, 1, count, [&](int64_t i) { return minigrad::exp(x[i] - top); });
    return sum_of<T>(count, [&](int64_t i) { return e[i]; });
}

// Numbers that are taken off a row must be finite: inf - inf is NaN.
template <class T>
T finite_or_0(T top) {
    return std::isfinite(top) ? top : T(0);
}

// f(row, its e, its result, the step of that, count) for each row; e has room for a row.
template <class F>
void over_rows(const View& x, const View& out, F f) {
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = x.ndim - 1;
        const int64_t count = x.shape[last];
        T* room = static_cast<T*>(scratch(2 * count * sizeof(T)));
        const auto run = [&](const auto& at) {
            const T* row = packed(x.as<const T>() + at[0], x.strides[last], count, room);
            f(row, room + count, out.as<T>() + at[1], out.strides[last], count);
        };
        each_row(run, x, out);
    });
}

void softmax(View x, Out out) {
    same_last(x, out);
    over_rows(x, out, []<class T>(const T* row, T* e, T* to, int64_t step, int64_t count) {
        const T sum = powers(row, largest(row, count), e, count);
        const T scale = 1 / sum;
        put(to, step, count, [&](int64_t i) { return e[i] * scale; });
    });
}

void log_softmax(View x, Out out) {
    same_last(x, out);
    over_rows(x, out, []<class T>(const T* row, T* e, T* to, int64_t step, int64_t count) {
        const T top = largest(row, count);
        const T shift = std::log(powers(row, top, e, count));
        put(to, step, count, [&](int64_t i) { return (row[i] - top) - shift; });
    });
}

void logsumexp(View x, Out out) {
    over_rows(x, with_last_axis(out),
              []<class T>(const T* row, T* e, T* to, int64_t, int64_t count) {
                  const T top = finite_or_0(largest(row, count));
                  *to = std::log(powers(row, top, e, count)) + top;
              });
}

// softmax of what `allowed` lets through, 0 elsewhere; a row of which nothing is left is all 0.
void masked_softmax(View x, View allowed, Out out) {
    same_last(x, out);
    allowed = expanded(allowed, x);
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = x.ndim - 1;
        const int64_t count = x.shape[last], between = allowed.strides[last];
        T* e = static_cast<T*>(scratch(2 * count * sizeof(T)));
        const auto run = [&](const auto& at) {
            const T* row = packed(x.as<const T>() + at[0], x.strides[last], count, e + count);
            const bool* open = allowed.as<const bool>() + at[1];
            constexpr T hidden = -std::numeric_limits<T>::infinity();
            put(e, 1, count, [&](int64_t i) { return open[i * between] ? row[i] : hidden; });
            const T sum = powers(e, finite_or_0(largest(e, count)), e, count);
            const T scale = sum == 0 ? T(0) : 1 / sum;
            put(out.as<T>() + at[2], out.strides[last], count,
                [&](int64_t i) { return e[i] * scale; });
        };
        each_row(run, x, allowed, out);
    });
}

// dx = y (g - sum(g y)), with y what softmax, or masked_softmax, gave.
void softmax_grad(View y, View g, Out dx) {
    same_last(y, g, dx);
    with_type<floats>(y.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = y.ndim - 1;
        const int64_t count = y.shape[last];
        T* room = static_cast<T*>(scratch(2 * count * sizeof(T)));
        const auto run = [&](const auto& at) {
            const T* p = packed(y.as<const T>() + at[0], y.strides[last], count, room);
            const T* back = packed(g.as<const T>() + at[1], g.strides[last], count, room + count);
            const T along = sum_of<T>(count, [&](int64_t i) { return p[i] * back[i]; });
            put(dx.as<T>() + at[2], dx.strides[last], count,
                [&](int64_t i) { return p[i] * (back[i] - along); });
        };
        each_row(run, y, g, dx);
    });
}

const Register<op::softmax> of_softmax("cpp", 1, floats, softmax);
const Register<op::log_softmax> of_log_softmax("cpp", 1, floats, log_softmax);
const Register<op::logsumexp> of_logsumexp("cpp", 1, floats, logsumexp);
const Register<op::masked_softmax> of_masked_softmax("cpp", 1, floats, masked_softmax);
const Register<op::softmax_grad> of_softmax_grad("cpp", 1, floats, softmax_grad);

}  // namespace
