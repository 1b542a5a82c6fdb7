// reduce step 1: sums in pairs, so that rounding errors grow like log n and not like n.
// before: NumPy · next: 2_simd (several sums at a time)
//
// `out` has the shape of x, with stride 0 along the axes that are reduced. So a walk over both tells
// which axes those are: the ones that `out` stands still on.
#include <algorithm>
#include <cmath>
#include <limits>

#include "minigrad/kernel.h"
#include "minigrad/loops.h"

namespace {
using namespace minigrad;
using std::int64_t;

constexpr int64_t leaf = 128;   // so many are added up one after the other
constexpr int64_t lanes = 32;   // in so many sums that do not wait for each other
constexpr int64_t tile = 256;   // columns that are reduced together

struct Sum {
    template <class T> static constexpr T none() { return 0; }
    template <class T> static T both(T a, T b) { return a + b; }
};
struct Product {
    template <class T> static constexpr T none() { return 1; }
    template <class T> static T both(T a, T b) { return a * b; }
};
// The first NaN wins, as in NumPy.
struct Max {
    template <class T> static constexpr T none() {
        using Limits = std::numeric_limits<T>;
        return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    }
    template <class T> static T both(T a, T b) { return a > b || a != a ? a : b; }
};
struct Min {
    template <class T> static constexpr T none() {
        using Limits = std::numeric_limits<T>;
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    }
    template <class T> static T both(T a, T b) { return a < b || a != a ? a : b; }
};

// All of x, `step` apart, as one: f says what of each counts.
template <class By, class R, class T, class F>
R row(const T* x, int64_t step, int64_t count, F f) {
    if (count > leaf) {
        const int64_t half = count / 2 / lanes * lanes;
        return By::both(row<By, R>(x, step, half, f), row<By, R>(x + half * step, step, count - half, f));
    }
    R parts[lanes];
    std::fill(parts, parts + lanes, By::template none<R>());
    int64_t i = 0;
    if (step == 1) {
        for (; i + lanes <= count; i += lanes)
            for (int64_t k = 0; k < lanes; ++k) parts[k] = By::both(parts[k], f(x[i + k], 0));
    }
    for (int64_t k = 0; i < count; ++i, k = (k + 1) % lanes) parts[k] = By::both(parts[k], f(x[i * step], 0));
    for (int64_t width = lanes / 2; width > 0; width /= 2)
        for (int64_t k = 0; k < width; ++k) parts[k] = By::both(parts[k], parts[k + width]);
    return parts[0];
}

// The axes around the rows, told apart: those that are kept, and those that are reduced.
struct Axes {
    int ndim = 0;
    int64_t shape[max_rank] = {}, of_x[max_rank] = {}, of_out[max_rank] = {};
    int64_t size = 1;

    void add(int64_t n, int64_t x, int64_t out) {
        shape[ndim] = n, of_x[ndim] = x, of_out[ndim] = out;
        ++ndim, size *= n;
    }
    // Where number `index` of all places stands in x and in out.
    std::pair<int64_t, int64_t> place(int64_t index) const {
        int64_t x = 0, out = 0;
        for (int axis = 0; axis < ndim; ++axis) {
            const int64_t i = index % shape[axis];
            index /= shape[axis];
            x += i * of_x[axis], out += i * of_out[axis];
        }
        return {x, out};
    }
};

// Reduced places [first, last) of `x`, pairwise, each by read(start of it).
template <class By, class R, class F>
R pairwise(int64_t first, int64_t last, F read) {
    if (last - first == 1) return read(first);
    const int64_t middle = first + (last - first) / 2;
    return By::both(pairwise<By, R>(first, middle, read), pairwise<By, R>(middle, last, read));
}

// The same for `width` columns at once, into `sums`; `room` holds the other halves.
template <class By, class R, class F>
void pairwise(int64_t first, int64_t last, int64_t width, R* sums, R* room, F add) {
    if (last - first <= 8) {
        std::fill(sums, sums + width, By::template none<R>());
        for (int64_t i = first; i < last; ++i) add(i, sums);
        return;
    }
    const int64_t middle = first + (last - first) / 2;
    pairwise<By, R>(first, middle, width, sums, room, add);
    pairwise<By, R>(middle, last, width, room, room + width, add);
    for (int64_t j = 0; j < width; ++j) sums[j] = By::both(sums[j], room[j]);
}

// out = all of x that falls on it. f(value, what stands in `given` there), then finish(result).
template <class By, class T, class R, class F, class G>
void reduce(const View& x, const Out& out, F f, G finish) {
    const auto walk = rows(x, out);
    const T* from = x.as<const T>();
    R* to = out.as<R>();
    Axes kept, reduced;
    for (int axis = 0; axis < walk.ndim; ++axis) {
        auto& axes = walk.strides[axis][1] == 0 ? reduced : kept;
        axes.add(walk.shape[axis], walk.strides[axis][0], walk.strides[axis][1]);
    }
    const bool along = walk.steps[1] == 0;  // the rows themselves are reduced
    const int64_t step = walk.steps[0], next = walk.steps[1];
    const bool empty = walk.count * reduced.size == 0;
    for (int64_t k = 0; k < kept.size; ++k) {
        const auto [at, place] = kept.place(k);
        const T* start = from + at;
        R* result = to + place;
        if (along) {
            const auto one = [&, mean = *result](int64_t i) {
                return row<By, R>(start + reduced.place(i).first, step, walk.count,
                                  [&](T v, int64_t) { return f(v, mean); });
            };
            *result = finish(empty ? By::template none<R>() : pairwise<By, R>(0, reduced.size, one));
            continue;
        }
        for (int64_t left = 0; left < walk.count; left += tile) {
            const int64_t width = std::min(tile, walk.count - left);
            R sums[tile];
            R* room = static_cast<R*>(scratch(64 * tile * sizeof(R)));  // a row for each halving
            const R* before = result + left * next;
            pairwise<By, R>(0, reduced.size, width, sums, room, [&](int64_t i, R* into) {
                const T* column = start + reduced.place(i).first + left * step;
                if (step == 1 && next == 1) {
                    for (int64_t j = 0; j < width; ++j) into[j] = By::both(into[j], f(column[j], before[j]));
                } else {
                    for (int64_t j = 0; j < width; ++j)
                        into[j] = By::both(into[j], f(column[j * step], before[j * next]));
                }
            });
            for (int64_t j = 0; j < width; ++j) result[(left + j) * next] = finish(sums[j]);
        }
    }
}

// How many elements of x go into one of out.
double counted(const View& x, const View& out) {
    double count = 1.0;
    for (int axis = 0; axis < out.ndim; ++axis)
        if (out.strides[axis] == 0) count *= static_cast<double>(x.shape[axis]);
    return count;
}

constexpr auto itself = [](auto v, auto) { return v; };
constexpr auto as_it_is = [](auto v) { return v; };

template <unsigned Types, class By>
void same_type(View x, Out out) {
    with_type<Types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        reduce<By, T, T>(x, out, itself, as_it_is);
    });
}

void sum(View x, Out out) {
    with_type<all_types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        using R = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;
        reduce<Sum, T, R>(x, out, [](auto v, auto) { return R(v); }, as_it_is);
    });
}

void mean(View x, Out out) {
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const T count = static_cast<T>(counted(x, out));
        reduce<Sum, T, T>(x, out, itself, [&](T total) { return total / count; });
    });
}

// The mean of the squared distances from the mean, in two passes: the difference of two large sums
// would cancel.
template <class F>
void spread(const View& x, const Out& out, double correction, F finish) {
    mean(x, out);
    with_type<floats>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const T count = static_cast<T>(std::max(counted(x, out) - correction, 0.0));
        reduce<Sum, T, T>(x, out, [](T v, T middle) { return (v - middle) * (v - middle); },
                          [&](T total) { return finish(total / count); });
    });
}

void var(View x, Out out, double correction) { spread(x, out, correction, as_it_is); }

void std_(View x, Out out, double correction) {
    spread(x, out, correction, [](auto v) { return std::sqrt(v); });
}

template <class By>
void truth(View x, Out out) {
    with_type<all_types>(x.dtype, [&](auto zero) {
        reduce<By, decltype(zero), bool>(x, out, [](auto v, auto) { return v != 0; }, as_it_is);
    });
}

const Register<op::sum> of_sum("cpp", 1, all_types, sum);
const Register<op::mean> of_mean("cpp", 1, floats, mean);
const Register<op::var> of_var("cpp", 1, floats, var);
const Register<op::std> of_std("cpp", 1, floats, std_);
const Register<op::prod> of_prod("cpp", 1, numbers, same_type<numbers, Product>);
const Register<op::max> of_max("cpp", 1, numbers, same_type<numbers, Max>);
const Register<op::min> of_min("cpp", 1, numbers, same_type<numbers, Min>);
const Register<op::any> of_any("cpp", 1, all_types, truth<Max>);
const Register<op::all> of_all("cpp", 1, all_types, truth<Min>);

}  // namespace
