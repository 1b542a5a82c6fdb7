// elementwise step 1, activations: relu and its smooth relatives, each in one pass over x.
// before: NumPy (a pass for each step of a formula) · next: 2_simd · beside it: 1_loop
#include <cmath>

#include "minigrad/kernel.h"
#include "minigrad/map.h"
#include "minigrad/math.h"

namespace {
using namespace minigrad;

// 1 / (1 + exp(-x)); exp sees no number above 0, so that nothing overflows.
constexpr auto sigmoid = [](auto v) {
    const auto tail = minigrad::exp(-std::fabs(v));
    return (v < 0 ? tail : 1) / (1 + tail);
};

const Register<op::relu> of_relu("cpp", 1, numbers, [](View x, Out out) {
    map<numbers>(x, out, [](auto v) { return v <= 0 ? decltype(v)(0) : v; });  // a NaN stays
});
const Register<op::sigmoid> of_sigmoid("cpp", 1, floats,
                                       [](View x, Out out) { map<floats>(x, out, sigmoid); });
const Register<op::silu> of_silu("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return v * sigmoid(v); });
});
const Register<op::softplus> of_softplus("cpp", 1, floats, [](View x, Out out) {
    // log(1 + exp(x)); a NaN is not above 0, and so it goes through both.
    map<floats>(x, out, [](auto v) {
        return (v <= 0 ? decltype(v)(0) : v) + minigrad::log1p(minigrad::exp(-std::fabs(v)));
    });
});

const Register<op::gelu> of_gelu("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) {
        using T = decltype(v);
        return T(0.5) * v * (1 + std::erf(v * T(0.70710678118654752440)));
    });
});

// gelu by tanh is x (1 + tanh(u)) / 2 with u = scale (x + cubic x^3), and (1 + tanh(u)) / 2 is the
// sigmoid of 2 u: one exp and one division.
template <class T>
constexpr T twice_scale = T(1.59576912160573071176);  // 2 sqrt(2 / pi)
template <class T>
constexpr T cubic = T(0.044715);

constexpr auto below = [](auto v) {
    using T = decltype(v);
    return 1 / (1 + minigrad::exp(-twice_scale<T> * (v + cubic<T> * v * v * v)));
};

const Register<op::gelu_tanh> of_gelu_tanh("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return v * below(v); });
});
constexpr auto slope = [](auto v) {
    using T = decltype(v);
    const T s = below(v);
    return s + v * s * (1 - s) * (twice_scale<T> * (1 + 3 * cubic<T> * v * v));
};
const Register<op::gelu_tanh_slope> of_slope("cpp", 1, floats,
                                             [](View x, Out out) { map<floats>(x, out, slope); });
const Register<op::gelu_tanh_grad> of_grad("cpp", 1, floats, [](View x, View g, Out out) {
    map<floats>(x, g, out, [](auto v, auto back) { return back * slope(v); });
});

}  // namespace
