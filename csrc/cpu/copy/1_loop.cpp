// copy step 1: one number after the other, in the order of out; a cast where the types differ.
// before: NumPy · next: 2_blocked (for a transposed view: tile by tile)
#include "minigrad/kernel.h"
#include "minigrad/loops.h"

namespace {
using namespace minigrad;

void copy(View x, Out out) {
    with_type<all_types>(x.dtype, [&](auto from) {
        with_type<all_types>(out.dtype, [&](auto to) {
            using From = decltype(from);
            using To = decltype(to);
            const auto walk = rows(out, x);
            for_each_row(walk, [&](const auto& at) {
                To* target = out.as<To>() + at[0];
                const From* source = x.as<const From>() + at[1];
                const auto so = walk.steps[0], sx = walk.steps[1];
                if (so == 1 && sx == 1) {
                    for (std::int64_t i = 0; i < walk.count; ++i) target[i] = static_cast<To>(source[i]);
                } else {
                    for (std::int64_t i = 0; i < walk.count; ++i) target[i * so] = static_cast<To>(source[i * sx]);
                }
            });
        });
    });
}

const Register<op::copy> entry("cpp", 1, all_types, copy);

}  // namespace
