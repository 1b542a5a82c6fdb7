// elementwise step 1, questions: comparisons and logic, whose results are bools.
// before: NumPy · next: 2_simd · beside it: 1_loop
#include "minigrad/kernel.h"
#include "minigrad/map.h"

namespace {
using namespace minigrad;

const Register<op::equal> of_equal("cpp", 1, all_types, [](View x, View y, Out out) {
    map<all_types>(x, y, out, [](auto a, auto b) { return a == b; });
});
const Register<op::not_equal> of_not_equal("cpp", 1, all_types, [](View x, View y, Out out) {
    map<all_types>(x, y, out, [](auto a, auto b) { return a != b; });
});
const Register<op::less> of_less("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a < b; });
});
const Register<op::less_equal> of_less_equal("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a <= b; });
});
const Register<op::greater> of_greater("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a > b; });
});
const Register<op::greater_equal> of_greater_equal("cpp", 1, numbers, [](View x, View y, Out out) {
    map<numbers>(x, y, out, [](auto a, auto b) { return a >= b; });
});
const Register<op::logical_and> of_and("cpp", 1, all_types, [](View x, View y, Out out) {
    map<all_types>(x, y, out, [](auto a, auto b) { return (a != 0) & (b != 0) ? true : false; });
});
const Register<op::logical_or> of_or("cpp", 1, all_types, [](View x, View y, Out out) {
    map<all_types>(x, y, out, [](auto a, auto b) { return (a != 0) | (b != 0) ? true : false; });
});
const Register<op::logical_xor> of_xor("cpp", 1, all_types, [](View x, View y, Out out) {
    map<all_types>(x, y, out, [](auto a, auto b) { return (a != 0) != (b != 0); });
});

}  // namespace
