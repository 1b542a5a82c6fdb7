// search step 1: where the largest or smallest stand, row by row.
// before: NumPy · next: nothing yet
#include <algorithm>
#include <utility>

#include "minigrad/kernel.h"
#include "minigrad/rows.h"

namespace {
using namespace minigrad;
using std::int64_t;

// Whether v is no number: only floats can be.
template <class T>
bool is_nan(T v) {
    if constexpr (std::is_floating_point_v<T>) return v != v;
    return false;
}

// The view with `axis` as its last one; the others keep their order.
View with_last(View v, int axis) {
    const int64_t size = v.shape[axis], step = v.strides[axis];
    for (; axis + 1 < std::min<int>(v.ndim, max_rank); ++axis) {
        v.shape[axis] = v.shape[axis + 1];
        v.strides[axis] = v.strides[axis + 1];
    }
    v.shape[axis] = size, v.strides[axis] = step;
    return v;
}

// Where along the one axis that out repeats the first of the extreme numbers stands, or the first
// NaN. beats(a, b): whether a is more extreme.
template <class F>
void first_extreme(const View& x, const Out& out, F beats) {
    int axis = -1;
    for (int a = 0; a < out.ndim; ++a)
        if (out.strides[a] == 0 && out.shape[a] > 1) axis = a;
    if (axis < 0) {  // there is one to choose from
        const auto walk = rows(static_cast<const View&>(out));
        for_each_row(walk, [&](const auto& at) {
            for (int64_t i = 0; i < walk.count; ++i)
                out.as<int64_t>()[at[0] + i * walk.steps[0]] = 0;
        });
        return;
    }
    const View from = with_last(x, axis), to = with_last(out, axis);
    const int64_t count = from.shape[from.ndim - 1], step = from.strides[from.ndim - 1];
    with_type<all_types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const auto run = [&](const auto& at) {
            const T* row = from.as<const T>() + at[0];
            T best = row[0];
            int64_t place = 0;
            for (int64_t i = 1; i < count && !is_nan(best); ++i) {
                const T next = row[i * step];
                if (beats(next, best) || is_nan(next)) best = next, place = i;
            }
            out.as<int64_t>()[at[1]] = place;
        };
        each_row(run, from, to);
    });
}

void argmax(View x, Out out) {
    first_extreme(x, out, [](auto a, auto b) { return a > b; });
}
void argmin(View x, Out out) {
    first_extreme(x, out, [](auto a, auto b) { return a < b; });
}

// Where the largest of each row stand, as many as out has room for, falling; of equal ones the
// first comes first, NaN before all.
void topk(View x, Out out) {
    require(out.shape[out.ndim - 1] <= x.shape[x.ndim - 1], "more are wanted than there are");
    with_type<all_types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = x.ndim - 1;
        const int64_t count = x.shape[last], wanted = out.shape[last];
        int64_t* places = static_cast<int64_t*>(scratch(count * sizeof(int64_t)));
        const auto run = [&](const auto& at) {
            const T* row = x.as<const T>() + at[0];
            const auto before = [&](int64_t i, int64_t j) {
                const T a = row[i * x.strides[last]], b = row[j * x.strides[last]];
                if (is_nan(a) || is_nan(b)) return is_nan(a) && (!is_nan(b) || i < j);
                return a > b || (a == b && i < j);
            };
            for (int64_t i = 0; i < count; ++i) places[i] = i;
            std::partial_sort(places, places + wanted, places + count, before);
            int64_t* to = out.as<int64_t>() + at[1];
            for (int64_t k = 0; k < wanted; ++k) to[k * out.strides[last]] = places[k];
        };
        each_row(run, x, out);
    });
}

const Register<op::argmax> of_argmax("cpp", 1, all_types, argmax);
const Register<op::argmin> of_argmin("cpp", 1, all_types, argmin);
const Register<op::topk> of_topk("cpp", 1, all_types, topk);

}  // namespace
