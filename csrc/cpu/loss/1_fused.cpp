// loss step 1: cross-entropy and its gradient, each in one pass over the scores while a row is in
// the cache. before: six ops, each with a pass over all rows · next: 2_simd
#include <cmath>
#include <limits>

#include "minigrad/kernel.h"
#include "minigrad/math.h"
#include "minigrad/rows.h"
#include "minigrad/sums.h"

namespace {
using namespace minigrad;
using std::int64_t;

// The largest of a row, which is taken off before exp. A NaN is not; it goes through exp.
template <class T>
T largest(const T* x, int64_t count) {
    constexpr int64_t lanes = 32;
    T tops[lanes];
    for (T& top : tops) top = -std::numeric_limits<T>::infinity();
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (int64_t k = 0; k < lanes; ++k) tops[k] = x[i + k] > tops[k] ? x[i + k] : tops[k];
    for (int64_t k = 0; i < count; ++i, ++k) tops[k] = x[i] > tops[k] ? x[i] : tops[k];
    for (int64_t width = lanes / 2; width > 0; width /= 2)
        for (int64_t k = 0; k < width; ++k)
            tops[k] = tops[k + width] > tops[k] ? tops[k + width] : tops[k];
    return tops[0];
}

// loss = logsum - x[target], of a row without its largest, so that no digit is lost to that:
// logsum = log(sum(exp(x - max))). Smoothed by s, what is wanted of each class is s / classes, and
// 1 - s of the target on top: logsum - (1 - s) x[target] - s mean(x). Rows whose target is
// `ignored` have loss 0.
//
// logits (..., C), target (...) -> losses (...), logsums (...), which the way back needs.
void cross_entropy(View logits, View target, Out losses, Out logsums, double smoothing,
                   int64_t ignored) {
    with_type<floats>(logits.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = logits.ndim - 1;
        const int64_t classes = logits.shape[last], step = logits.strides[last];
        const T smooth = static_cast<T>(smoothing);
        T* e = static_cast<T*>(scratch(2 * classes * sizeof(T)));
        const auto run = [&](const auto& at) {
            const T* row = packed(logits.as<const T>() + at[0], step, classes, e + classes);
            const int64_t right = target.as<const int64_t>()[at[1]];
            const T top = largest(row, classes);
            put(e, 1, classes, [&](int64_t i) { return minigrad::exp(row[i] - top); });
            const T logsum = std::log(sum_of<T>(classes, [&](int64_t i) { return e[i]; }));
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
    with_type<floats>(logits.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = logits.ndim - 1;
        same_last(logits, dx);
        const int64_t classes = logits.shape[last], step = dx.strides[last];
        const T smooth = static_cast<T>(smoothing), each = smooth / static_cast<T>(classes);
        T* room = static_cast<T*>(scratch(classes * sizeof(T)));
        const auto run = [&](const auto& at) {
            const T* row =
                packed(logits.as<const T>() + at[0], logits.strides[last], classes, room);
            const int64_t right = target.as<const int64_t>()[at[1]];
            const T logsum = logsums.as<const T>()[at[2]], back = g.as<const T>()[at[3]];
            T* to = dx.as<T>() + at[4];
            const T top = largest(row, classes);
            if (right == ignored) {
                put(to, step, classes, [](int64_t) { return T(0); });
                return;
            }
            put(to, step, classes,
                [&](int64_t i) { return back * (minigrad::exp((row[i] - top) - logsum) - each); });
            to[inside(right, classes) * step] -= back * (1 - smooth);
        };
        each_row(run, logits, with_last_axis(target), with_last_axis(logsums), with_last_axis(g),
                 dx);
    });
}

const Register<op::cross_entropy> of_forward("cpp", 1, floats, cross_entropy);
const Register<op::cross_entropy_grad> of_grad("cpp", 1, floats, cross_entropy_grad);

}  // namespace
