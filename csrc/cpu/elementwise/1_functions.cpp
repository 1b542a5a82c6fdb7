// elementwise step 1, functions of one number: exp, log, tanh by math.h, which a compiler can do
// many at a time; the others by the standard library, one after the other. before: NumPy · next:
// 2_simd · beside it: 1_loop
#include <cmath>

#include "minigrad/kernel.h"
#include "minigrad/map.h"
#include "minigrad/math.h"

namespace {
using namespace minigrad;

const Register<op::abs> of_abs("cpp", 1, numbers, [](View x, Out out) {
    map<numbers>(x, out, [](auto v) { return v < 0 ? -v : v + 0; });  // -0.0 + 0 is 0.0
});
const Register<op::sign> of_sign("cpp", 1, numbers, [](View x, Out out) {
    map<numbers>(x, out, [](auto v) {
        using T = decltype(v);
        return v > 0 ? T(1) : v < 0 ? T(-1) : v == 0 ? T(0) : v;  // a NaN stays
    });
});
const Register<op::sqrt> of_sqrt("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return std::sqrt(v); });
});
const Register<op::rsqrt> of_rsqrt("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return 1 / std::sqrt(v); });
});
const Register<op::reciprocal> of_reciprocal("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return 1 / v; });
});
const Register<op::exp> of_exp("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return minigrad::exp(v); });
});
const Register<op::expm1> of_expm1("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return std::expm1(v); });
});
const Register<op::log> of_log("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return minigrad::log(v); });
});
const Register<op::log1p> of_log1p("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return minigrad::log1p(v); });
});
const Register<op::sin> of_sin("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return std::sin(v); });
});
const Register<op::cos> of_cos("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return std::cos(v); });
});
const Register<op::tanh> of_tanh("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return minigrad::tanh(v); });
});
const Register<op::erf> of_erf("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return std::erf(v); });
});
const Register<op::floor> of_floor("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return std::floor(v); });
});
const Register<op::ceil> of_ceil("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return std::ceil(v); });
});
const Register<op::round> of_round("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return std::nearbyint(v); });  // of two, the even one
});
const Register<op::isnan> of_isnan("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return v != v; });
});
const Register<op::isinf> of_isinf("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return std::isinf(v); });
});
const Register<op::isfinite> of_isfinite("cpp", 1, floats, [](View x, Out out) {
    map<floats>(x, out, [](auto v) { return std::isfinite(v); });
});
const Register<op::logical_not> of_not("cpp", 1, all_types, [](View x, Out out) {
    map<all_types>(x, out, [](auto v) { return v == 0; });
});

}  // namespace
