// elementwise step 1: one loop. What an op is, is one line; how to walk is written once (map.h).
// before: NumPy · next: 2_simd (several numbers at a time) · beside it: 1_functions, 1_gelu,
// 1_compare, 1_choose
#include "minigrad/kernel.h"
#include "minigrad/map.h"

namespace {
using namespace minigrad;

const Register<op::neg> neg("cpp", 1, numbers, [](View x, Out out) {
    map<numbers>(x, out, [](auto v) { return -v; });
});
const Register<op::square> square("cpp", 1, numbers, [](View x, Out out) {
    map<numbers>(x, out, [](auto v) { return v * v; });
});
const Register<op::add> add("cpp", 1, all_types, [](View x, View y, Out out) {
    map<all_types>(x, y, out, [](auto a, auto b) { return a + b; });  // of bools, a or b
});
const Register<op::sub> sub("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a - b; });
});
const Register<op::mul> mul("cpp", 1, all_types, [](View x, View y, Out out) {
    map<all_types>(x, y, out, [](auto a, auto b) { return a * b; });
});
const Register<op::div> div("cpp", 1, floats, [](View x, View y, Out out) {
    map<floats>(x, y, out, [](auto a, auto b) { return a / b; });
});

}  // namespace
