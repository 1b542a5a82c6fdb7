// A function on every element: how elementwise kernels walk, written once for all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "minigrad/kernel.h"
#include "minigrad/loops.h"

namespace minigrad {

// out[i] = f(x[i]) for a row of `count` elements, `sx` and `so` elements apart. Where both are 1
// the compiler does several at a time: it makes a loop of its own for that.
template <class T, class R, class F>
void along(const T* x, std::int64_t sx, R* out, std::int64_t so, std::int64_t count, F f) {
    for (std::int64_t i = 0; i < count; ++i) out[i * so] = f(x[i * sx]);
}

// out[i] = f(x[i], y[i]).
template <class T, class R, class F>
void along(const T* x, std::int64_t sx, const T* y, std::int64_t sy, R* out, std::int64_t so,
           std::int64_t count, F f) {
    for (std::int64_t i = 0; i < count; ++i) out[i * so] = f(x[i * sx], y[i * sy]);
}

// The loops above, as what `map` is given; a file may hand over its own.
constexpr auto the_loops = [](auto... given) { along(given...); };

// Numbers of a row, piece by piece. One number that is repeated (step 0) is written out once, so
// that it can be read like a row: then the fast loop serves for x * 2 as well.
template <class T>
struct Pieces {
    static constexpr std::int64_t size = 256;  // elements in a piece, if something is repeated
    T written[size];
    const T* start;
    std::int64_t step;
    bool repeated;

    Pieces(const T* row, std::int64_t step, std::int64_t count)
        : start(row), step(step), repeated(step == 0 && count > 1) {
        if (!repeated) return;
        std::fill(written, written + std::min(size, count), *row);
        start = written, this->step = 1;
    }
    const T* from(std::int64_t i) const { return repeated ? start : start + i * step; }
};

// f on every element. The result has the type of x, or bool if f says so.
template <unsigned Types, class F, class Loop = decltype(the_loops)>
void map(const View& x, const Out& out, F f, Loop loop = the_loops) {
    with_type<Types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        using R = std::conditional_t<std::is_same_v<decltype(f(zero)), bool>, bool, T>;
        const auto walk = rows(out, x);
        for_each_row(walk, [&](const auto& at) {
            loop(x.as<const T>() + at[1], walk.steps[1], out.as<R>() + at[0], walk.steps[0],
                 walk.count, f);
        });
    });
}

// f on every pair of elements.
template <unsigned Types, class F, class Loop = decltype(the_loops)>
void map(const View& x, const View& y, const Out& out, F f, Loop loop = the_loops) {
    with_type<Types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        using R = std::conditional_t<std::is_same_v<decltype(f(zero, zero)), bool>, bool, T>;
        const auto walk = rows(out, x, y);
        const std::int64_t so = walk.steps[0], sx = walk.steps[1], sy = walk.steps[2];
        const std::int64_t size = sx == 0 || sy == 0 ? Pieces<T>::size : walk.count;
        for_each_row(walk, [&](const auto& at) {
            const Pieces<T> left(x.as<const T>() + at[1], sx, walk.count);
            const Pieces<T> right(y.as<const T>() + at[2], sy, walk.count);
            R* to = out.as<R>() + at[0];
            for (std::int64_t i = 0; i < walk.count; i += size) {
                loop(left.from(i), left.step, right.from(i), right.step, to + i * so, so,
                     std::min(size, walk.count - i), f);
            }
        });
    });
}

}  // namespace minigrad
