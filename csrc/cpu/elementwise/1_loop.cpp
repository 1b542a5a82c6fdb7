// elementwise step 1: one loop. What an op is, is one line; how to walk a row is written once, and
// map.h calls it for each row that an array has.
// before: NumPy · next: 2_simd (several numbers at a time) · beside it: 1_functions, 1_gelu,
// 1_compare, 1_choose, whose loops are those of map.h
#include "minigrad/kernel.h"
#include "minigrad/map.h"

namespace {
using namespace minigrad;
using std::int64_t;

// out[i] = f(x[i]) for a row of `count` elements, `sx` and `so` elements apart.
template <class T, class R, class F>
void row(const T* x, int64_t sx, R* out, int64_t so, int64_t count, F f) {
    for (int64_t i = 0; i < count; ++i) out[i * so] = f(x[i * sx]);
}

// out[i] = f(x[i], y[i]).
template <class T, class R, class F>
void row(const T* x, int64_t sx, const T* y, int64_t sy, R* out, int64_t so, int64_t count, F f) {
    for (int64_t i = 0; i < count; ++i) out[i * so] = f(x[i * sx], y[i * sy]);
}

constexpr auto loop = [](auto... given) { row(given...); };

const Register<op::neg> of_neg("cpp", 1, numbers, [](View x, Out out) {
    map<numbers>(x, out, [](auto v) { return -v; }, loop);
});
const Register<op::square> of_square("cpp", 1, numbers, [](View x, Out out) {
    map<numbers>(x, out, [](auto v) { return v * v; }, loop);
});
const Register<op::add> of_add("cpp", 1, all_types, [](View x, View y, Out out) {
    map<all_types>(x, y, out, [](auto a, auto b) { return a + b; }, loop);  // of bools, a or b
});
const Register<op::sub> of_sub("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a - b; }, loop);
});
const Register<op::mul> of_mul("cpp", 1, all_types, [](View x, View y, Out out) {
    map<all_types>(x, y, out, [](auto a, auto b) { return a * b; }, loop);
});
const Register<op::div> of_div("cpp", 1, floats, [](View x, View y, Out out) {
    map<floats>(x, y, out, [](auto a, auto b) { return a / b; }, loop);
});

}  // namespace
