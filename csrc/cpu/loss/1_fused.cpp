// loss step 1: cross-entropy and its gradient, each in one pass over the scores while a row is in
// the cache.
// before: six ops, each with a pass over all rows · next: 2_simd
#include <algorithm>
#include <limits>
#include <numeric>

#include "minigrad/kernel.h"
#include "minigrad/math.h"
#include "minigrad/rows.h"
#include "minigrad/sums.h"

namespace {
using namespace minigrad;
using std::int64_t;

// Numbers that are worked on together: a register of them.
template <class T>
constexpr int64_t lanes = vector_bytes / sizeof(T);

// Calls f(i, done) for each register of a row: its first number, and how many of its numbers were
// done before. The last one reaches back, for numbers that are left over would be done one by one.
template <class T, class F>
void each_register(int64_t count, F f) {
    int64_t i = 0;
    for (; i + lanes<T> <= count; i += lanes<T>) f(i, int64_t{0});
    if (i < count) f(count - lanes<T>, i + lanes<T> - count);
}

// All lanes as one, in halves.
template <class T, class F>
T folded(T (&parts)[lanes<T>], F both) {
    for (int64_t width = lanes<T> / 2; width > 0; width /= 2)
        for (int64_t k = 0; k < width; ++k) parts[k] = both(parts[k], parts[k + width]);
    return parts[0];
}

// The largest of a row, which is taken off before exp. A NaN is not; it goes through exp.
template <class T>
T largest(const T* x, int64_t count) {
    const auto larger = [](T a, T b) { return b > a ? b : a; };
    if (count < lanes<T>) return std::accumulate(x, x + count, x[0], larger);
    T tops[lanes<T>];
    std::fill(tops, tops + lanes<T>, -std::numeric_limits<T>::infinity());
    each_register<T>(count, [&](int64_t i, int64_t) {
#pragma GCC unroll 1  // into a vector, not into single steps
        for (int64_t k = 0; k < lanes<T>; ++k) tops[k] = larger(tops[k], x[i + k]);
    });
    return folded<T>(tops, larger);
}

// The sum of exp(x - top).
template <class T>
T sum_of_powers(const T* x, T top, int64_t count) {
    T sums[lanes<T>] = {};
    if (count < lanes<T>) {
        for (int64_t i = 0; i < count; ++i) sums[i] = minigrad::exp(x[i] - top);
        return std::accumulate(sums, sums + count, T(0));
    }
    each_register<T>(count, [&](int64_t i, int64_t done) {
#pragma GCC unroll 1
        for (int64_t k = 0; k < lanes<T>; ++k) {
            const T power = minigrad::exp(x[i + k] - top);
            sums[k] += k < done ? T(0) : power;
        }
    });
    return folded<T>(sums, [](T a, T b) { return a + b; });
}

// loss = logsum - x[target], of a row without its largest, so that no digit is lost to that:
// logsum = log(sum(exp(x - max))). Smoothed by s, what is wanted of each class is s / classes, and
// 1 - s of the target on top: logsum - (1 - s) x[target] - s mean(x). Rows whose target is
// `ignored` have loss 0.
//
// logits (..., C), target (...) -> losses (...), logsums (...), which the way back needs.
void cross_entropy(View logits, View target, Out losses, Out logsums, double smoothing,
                   int64_t ignored) {
    require(logits.shape[logits.ndim - 1] > 0, "there are no classes");
    with_type<floats>(logits.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int64_t classes = logits.shape[logits.ndim - 1],
                      step = logits.strides[logits.ndim - 1];
        const T smooth = static_cast<T>(smoothing);
        T* room = static_cast<T*>(scratch(2 * classes * sizeof(T)));
        const auto run = [&](const auto& at) {
            const T* row = packed(logits.as<const T>() + at[0], step, classes, room);
            const int64_t right = target.as<const int64_t>()[at[1]];
            const T top = largest(row, classes);
            const T logsum = minigrad::log(sum_of_powers(row, top, classes));
            logsums.as<T>()[at[3]] = logsum;
            T loss = 0;
            if (right != ignored) {
                loss = logsum - (row[inside(right, classes)] - top);
                if (smooth > 0) {
                    const T all =
                        sum_of<T>(classes, [&](int64_t i) { return logsum - (row[i] - top); });
                    loss = (1 - smooth) * loss + smooth * all / static_cast<T>(classes);
                }
            }
            losses.as<T>()[at[2]] = loss;
        };
        each_row(run, logits, with_last_axis(target), with_last_axis(losses),
                 with_last_axis(logsums));
    });
}

// dx = g (softmax(x) - what was wanted); 0 for rows that are ignored. g (...): of each row's loss.
void cross_entropy_grad(View logits, View target, View logsums, View g, Out dx, double smoothing,
                        int64_t ignored) {
    require(logits.shape[logits.ndim - 1] > 0, "there are no classes");
    with_type<floats>(logits.dtype, [&](auto zero) {
        using T = decltype(zero);
        same_last(logits, dx);
        const int last = logits.ndim - 1;
        const int64_t classes = logits.shape[last], step = dx.strides[last];
        const T smooth = static_cast<T>(smoothing), each = smooth / static_cast<T>(classes);
        T* room = static_cast<T*>(scratch(2 * classes * sizeof(T)));
        const auto run = [&](const auto& at) {
            const int64_t right = target.as<const int64_t>()[at[1]];
            const T logsum = logsums.as<const T>()[at[2]], back = g.as<const T>()[at[3]];
            T* to = dx.as<T>() + at[4];
            if (right == ignored) {
                put(to, step, classes, [](int64_t) { return T(0); });
                return;
            }
            const T* row =
                packed(logits.as<const T>() + at[0], logits.strides[last], classes, room);
            const T top = largest(row, classes);
            T* __restrict slopes = step == 1 ? to : room + classes;
            const auto slope = [&](int64_t i) {
                return back * (minigrad::exp((row[i] - top) - logsum) - each);
            };
            if (classes < lanes<T>) {
                for (int64_t i = 0; i < classes; ++i) slopes[i] = slope(i);
            } else {
                each_register<T>(classes, [&](int64_t i, int64_t) {
#pragma GCC unroll 1
                    for (int64_t k = 0; k < lanes<T>; ++k) slopes[i + k] = slope(i + k);
                });
            }
            if (slopes != to) put(to, step, classes, [&](int64_t i) { return slopes[i]; });
            to[inside(right, classes) * step] -= back * (1 - smooth);
        };
        each_row(run, logits, with_last_axis(target), with_last_axis(logsums), with_last_axis(g),
                 dx);
    });
}

const Register<op::cross_entropy> of_forward("cpp", 1, floats, cross_entropy);
const Register<op::cross_entropy_grad> of_grad("cpp", 1, floats, cross_entropy_grad);

}  // namespace
