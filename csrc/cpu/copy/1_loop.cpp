// copy step 1: one number after the other, in the order of out; a cast where the types differ.
// before: NumPy · next: 2_blocked (for a transposed view: tile by tile)
#include "minigrad/kernel.h"
#include "minigrad/map.h"

namespace {
using namespace minigrad;

template <class From, class To>
void copied(const View& x, const Out& out) {
    const auto walk = rows(out, x);
    for_each_row(walk, [&](const auto& at) {
        along(x.as<const From>() + at[1], walk.steps[1], out.as<To>() + at[0], walk.steps[0],
              walk.count, [](From v) { return static_cast<To>(v); });
    });
}

void copy(View x, Out out) {
    with_type<all_types>(x.dtype, [&](auto from) {
        with_type<all_types>(out.dtype,
                             [&](auto to) { copied<decltype(from), decltype(to)>(x, out); });
    });
}

const Register<op::copy> entry("cpp", 1, all_types, copy);

}  // namespace
