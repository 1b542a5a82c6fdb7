// reduce step 1, what does not round, or rounds little: the largest, the smallest, any, all; and
// products.
// before: NumPy · next: 2_simd · beside it: 1_loop
#include <algorithm>
#include <limits>

#include "minigrad/kernel.h"
#include "minigrad/reduce.h"

namespace {
using namespace minigrad;
using std::int64_t;

// A row, in several results that do not wait for each other.
template <class By>
struct InLanes {
    template <class R, class T, class F>
    static R row(const T* x, int64_t step, int64_t count, F f) {
        constexpr int64_t lanes = 32;
        R parts[lanes];
        std::fill(parts, parts + lanes, By::template none<R>());
        int64_t i = 0;
        if (step == 1) {
            for (; i + lanes <= count; i += lanes)
                for (int64_t k = 0; k < lanes; ++k) parts[k] = By::both(parts[k], f(x[i + k]));
        }
        for (; i < count; ++i) parts[0] = By::both(parts[0], f(x[i * step]));
        for (int64_t k = 1; k < lanes; ++k) parts[0] = By::both(parts[0], parts[k]);
        return parts[0];
    }
};

struct Product : InLanes<Product> {
    template <class R>
    static constexpr R none() {
        return 1;
    }
    template <class R>
    static R both(R a, R b) {
        if constexpr (std::is_integral_v<R>) {  // wraps around, where signed numbers may not
            return static_cast<R>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
        } else {
            return a * b;
        }
    }
};

// A NaN wins, as in NumPy.
struct Max : InLanes<Max> {
    template <class R>
    static constexpr R none() {
        using Limits = std::numeric_limits<R>;
        return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    }
    template <class R>
    static R both(R a, R b) {
        return a > b || a != a ? a : b;
    }
};
struct Min : InLanes<Min> {
    template <class R>
    static constexpr R none() {
        using Limits = std::numeric_limits<R>;
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    }
    template <class R>
    static R both(R a, R b) {
        return a < b || a != a ? a : b;
    }
};

template <class By>
void extreme(View x, Out out) {
    with_type<numbers>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        reduce<By, T, T>(x, out, [](T v, const T&) { return v; }, [](T found) { return found; });
    });
}

void prod(View x, Out out) {
    with_type<all_types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        using R = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;
        reduce<Product, T, R>(
            x, out, [](T v, const R&) { return R(v); }, [](R found) { return found; });
    });
}

// Of bools, the largest is whether any is true.
template <class By>
void truth(View x, Out out) {
    with_type<all_types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        reduce<By, T, bool>(
            x, out, [](T v, const bool&) { return v != 0; }, [](bool found) { return found; });
    });
}

const Register<op::prod> of_prod("cpp", 1, all_types, prod);
const Register<op::max> of_max("cpp", 1, numbers, extreme<Max>);
const Register<op::min> of_min("cpp", 1, numbers, extreme<Min>);
const Register<op::any> of_any("cpp", 1, all_types, truth<Max>);
const Register<op::all> of_all("cpp", 1, all_types, truth<Min>);

}  // namespace
