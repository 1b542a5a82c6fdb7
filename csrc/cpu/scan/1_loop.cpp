// scan step 1: running sums along the last axis, each from the one before it.
// before: NumPy · next: nothing yet
#include "minigrad/kernel.h"
#include "minigrad/rows.h"

namespace {
using namespace minigrad;
using std::int64_t;

void cumsum(View x, Out out) {
    same_last(x, out);
    with_type<all_types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        using R = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;  // of bools: counts
        const int last = x.ndim - 1;
        const int64_t count = x.shape[last], sx = x.strides[last], so = out.strides[last];
        const auto run = [&](const auto& at) {
            const T* from = x.as<const T>() + at[0];
            R* to = out.as<R>() + at[1];
            R sum = 0;
            for (int64_t i = 0; i < count; ++i) {
                sum = i == 0 ? R(from[0]) : sum + R(from[i * sx]);  // 0 + -0.0 would be 0.0
                to[i * so] = sum;
            }
        };
        each_row(run, x, out);
    });
}

const Register<op::cumsum> entry("cpp", 1, all_types, cumsum);

}  // namespace
