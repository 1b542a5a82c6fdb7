// elementwise step 1: one loop. What an op is, is one line; how to walk is written once.
// before: NumPy · next: 2_simd (several numbers at a time)
#include <algorithm>
#include <cmath>

#include "minigrad/kernel.h"
#include "minigrad/loops.h"
#include "minigrad/math.h"

namespace {
using namespace minigrad;

// out[i] = f(x[i]) for a row of `count` elements, `sx` and `so` elements apart.
template <class T, class R, class F>
void along(const T* x, std::int64_t sx, R* out, std::int64_t so, std::int64_t count, F f) {
    if (sx == 1 && so == 1) {  // said apart, for then the compiler does several at a time
        for (std::int64_t i = 0; i < count; ++i) out[i] = f(x[i]);
    } else {
        for (std::int64_t i = 0; i < count; ++i) out[i * so] = f(x[i * sx]);
    }
}

// out[i] = f(x[i], y[i]). A step of 0 is one number for the whole row.
template <class T, class R, class F>
void along(const T* x, std::int64_t sx, const T* y, std::int64_t sy, R* out, std::int64_t so,
           std::int64_t count, F f) {
    if (so == 1 && sx == 1 && sy == 1) {
        for (std::int64_t i = 0; i < count; ++i) out[i] = f(x[i], y[i]);
    } else if (so == 1 && sx == 1 && sy == 0) {
        const T right = *y;
        for (std::int64_t i = 0; i < count; ++i) out[i] = f(x[i], right);
    } else if (so == 1 && sx == 0 && sy == 1) {
        const T left = *x;
        for (std::int64_t i = 0; i < count; ++i) out[i] = f(left, y[i]);
    } else {
        for (std::int64_t i = 0; i < count; ++i) out[i * so] = f(x[i * sx], y[i * sy]);
    }
}

// f on every element; the result has the type of out.
template <unsigned Types, class F>
void map(const View& x, const Out& out, F f) {
    with_type<Types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        using R = std::conditional_t<std::is_same_v<decltype(f(zero)), bool>, bool, T>;
        const auto walk = rows(out, x);
        for_each_row(walk, [&](const auto& at) {
            along(x.as<const T>() + at[1], walk.steps[1], out.as<R>() + at[0], walk.steps[0],
                  walk.count, f);
        });
    });
}

template <unsigned Types, class F>
void map(const View& x, const View& y, const Out& out, F f) {
    with_type<Types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        using R = std::conditional_t<std::is_same_v<decltype(f(zero, zero)), bool>, bool, T>;
        const auto walk = rows(out, x, y);
        for_each_row(walk, [&](const auto& at) {
            along(x.as<const T>() + at[1], walk.steps[1], y.as<const T>() + at[2], walk.steps[2],
                  out.as<R>() + at[0], walk.steps[0], walk.count, f);
        });
    });
}

// of one

const Register<op::neg> neg("cpp", 1, numbers, [](View x, Out out) {
    map<numbers>(x, out, [](auto v) { return -v; });
});
const Register<op::abs> abs("cpp", 1, numbers, [](View x, Out out) {
    map<numbers>(x, out, [](auto v) { return v < 0 ? -v : v + 0; });  // -0.0 + 0 is 0.0
});
const Register<op::square> square("cpp", 1, numbers, [](View x, Out out) {
    map<numbers>(x, out, [](auto v) { return v * v; });
});
const Register<op::sqrt> sqrt("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return std::sqrt(v); });
});
const Register<op::rsqrt> rsqrt("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return 1 / std::sqrt(v); });
});
const Register<op::reciprocal> reciprocal("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return 1 / v; });
});
const Register<op::exp> exp_("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return minigrad::exp(v); });
});
const Register<op::tanh> tanh_("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return minigrad::tanh(v); });
});
const Register<op::relu> relu("cpp", 1, numbers, [](View x, Out out) {
    map<numbers>(x, out, [](auto v) { return v <= 0 ? 0 * (v == v) : v; });
});
const Register<op::gelu_tanh> gelu_tanh("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) {
        using T = decltype(v);
        constexpr T scale = T(0.79788456080286535588);  // sqrt(2 / pi)
        return T(0.5) * v * (1 + minigrad::tanh(scale * (v + T(0.044715) * v * v * v)));
    });
});
const Register<op::gelu_tanh_slope> gelu_tanh_slope("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) {
        using T = decltype(v);
        constexpr T scale = T(0.79788456080286535588), cubic = T(0.044715);
        const T t = minigrad::tanh(scale * (v + cubic * v * v * v));
        return T(0.5) * (1 + t) + T(0.5) * v * (1 - t * t) * scale * (1 + 3 * cubic * v * v);
    });
});

// of two

const Register<op::add> add("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a + b; });
});
const Register<op::sub> sub("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a - b; });
});
const Register<op::mul> mul("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a * b; });
});
const Register<op::div> div("cpp", 1, floats, [](View x, View y, Out out) {
    map<floats>(x, y, out, [](auto a, auto b) { return a / b; });
});
const Register<op::maximum> maximum("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a > b || a != a ? a : b; });
});
const Register<op::minimum> minimum("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a < b || a != a ? a : b; });
});
const Register<op::equal> equal("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a == b; });
});
const Register<op::less> less("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a < b; });
});

}  // namespace
