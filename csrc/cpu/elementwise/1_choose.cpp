// elementwise step 1, choices: the larger, the smaller, what lies between bounds, one of two; and
// powers, which are chosen by whether they are whole.
// before: NumPy · next: 2_simd · beside it: 1_loop
#include <cmath>

#include "minigrad/kernel.h"
#include "minigrad/map.h"

namespace {
using namespace minigrad;
using std::int64_t;

// out[i] = condition[i] ? x[i] : y[i]
void where(View condition, View x, View y, Out out) {
    with_type<all_types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const auto walk = rows(out, condition, x, y);
        const int64_t so = walk.steps[0], sc = walk.steps[1];
        const int64_t sx = walk.steps[2], sy = walk.steps[3];
        for_each_row(walk, [&](const auto& at) {
            const bool* asked = condition.as<const bool>() + at[1];
            const Pieces<T> left(x.as<const T>() + at[2], sx, walk.count);
            const Pieces<T> right(y.as<const T>() + at[3], sy, walk.count);
            T* to = out.as<T>() + at[0];
            const int64_t size = sx == 0 || sy == 0 ? Pieces<T>::size : walk.count;
            for (int64_t i = 0; i < walk.count; i += size) {
                const int64_t count = std::min(size, walk.count - i);
                const T *a = left.from(i), *b = right.from(i);
                const bool* yes = asked + i * sc;
                T* piece = to + i * so;
                for (int64_t k = 0; k < count; ++k) {
                    const T chosen = a[k * left.step], other = b[k * right.step];
                    piece[k * so] = yes[k * sc] ? chosen : other;
                }
            }
        });
    });
}

// x to a whole power of 0 or more, by squaring.
int64_t power(int64_t x, int64_t y) {
    if (y < 0)
        throw std::invalid_argument(
            "a whole number to a power below 0 is no whole number; use floats.");
    std::uint64_t out = 1, square = static_cast<std::uint64_t>(x);  // wraps around, as int64 does
    for (; y > 0; y /= 2, square *= square) out *= y % 2 == 1 ? square : 1;
    return static_cast<int64_t>(out);
}
template <class T>
T power(T x, T y) {
    return std::pow(x, y);
}

const Register<op::where> of_where("cpp", 1, set_of(DType::bool_), where);

const Register<op::maximum> of_maximum("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a > b || a != a ? a : b; });
});
const Register<op::minimum> of_minimum("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a < b || a != a ? a : b; });
});
const Register<op::clip> of_clip("cpp", 1, floats, [](View x, Out out, double low, double high) {
    map<floats>(x, out, [=](auto v) {  // nothing is below or above a NaN
        using T = decltype(v);
        const T bottom = v < T(low) ? T(low) : v;
        return bottom > T(high) ? T(high) : bottom;
    });
});
const Register<op::pow> of_pow("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return power(a, b); });
});

}  // namespace
