// reduce step 1: sums in pairs, so that rounding errors grow like log n and not like n; the mean
// and the variance are sums too. before: NumPy · next: 2_simd (several sums at a time) · beside it:
// 1_extremes
#include <algorithm>
#include <cmath>

#include "minigrad/kernel.h"
#include "minigrad/reduce.h"

namespace {
using namespace minigrad;
using std::int64_t;

constexpr int64_t leaf = 128;  // so many are added up one after the other,
constexpr int64_t lanes = 32;  // in so many sums that do not wait for each other

struct Sum {
    template <class R>
    static constexpr R none() {
        return 0;
    }
    template <class R>
    static R both(R a, R b) {
        return a + b;
    }
    // f(x[0]) + f(x[step]) + ...: of many, the sum of two halves.
    template <class R, class T, class F>
    static R row(const T* x, int64_t step, int64_t count, F f) {
        if (count > leaf) {
            const int64_t half = count / 2 / lanes * lanes;
            return row<R>(x, step, half, f) + row<R>(x + half * step, step, count - half, f);
        }
        R sums[lanes] = {};
        int64_t i = 0;
        if (step == 1) {
            for (; i + lanes <= count; i += lanes)
                for (int64_t k = 0; k < lanes; ++k) sums[k] += f(x[i + k]);
        }
        for (int64_t k = 0; i < count; ++i, k = (k + 1) % lanes) sums[k] += f(x[i * step]);
        for (int64_t width = lanes / 2; width > 0; width /= 2)
            for (int64_t k = 0; k < width; ++k) sums[k] += sums[k + width];
        return sums[0];
    }
};

// The sum of all x that fall on a number of out, over `share`.
void add_up(const View& x, const Out& out, double share) {
    with_type<all_types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        using R = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;
        const R over = static_cast<R>(share);
        reduce<Sum, T, R>(
            x, out, [](T v, const R&) { return R(v); }, [=](R total) { return total / over; });
    });
}

void sum(View x, Out out) { add_up(x, out, 1.0); }
void mean(View x, Out out) { add_up(x, out, counted(x, out)); }

// The squared distances from the mean, added up, over n - correction; their root if that is wanted.
// Two passes: the difference of two large sums would cancel.
void spread(const View& x, const Out& out, double correction, bool root) {
    mean(x, out);
    const double left = std::max(counted(x, out) - correction, 0.0);
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        reduce<Sum, T, T>(
            x, out, [](T v, const T& middle) { return (v - middle) * (v - middle); },
            [=](T total) {
                const T found = total / static_cast<T>(left);
                return root ? std::sqrt(found) : found;
            });
    });
}

void var(View x, Out out, double correction) { spread(x, out, correction, false); }
void std_(View x, Out out, double correction) { spread(x, out, correction, true); }

const Register<op::sum> of_sum("cpp", 1, all_types, sum);
const Register<op::mean> of_mean("cpp", 1, floats, mean);
const Register<op::var> of_var("cpp", 1, floats, var);
const Register<op::std> of_std("cpp", 1, floats, std_);

}  // namespace
