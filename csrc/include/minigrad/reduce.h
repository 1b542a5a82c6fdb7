// Reductions: which numbers fall on which result, and in which order they are put together.
//
// `out` has the shape of x, with stride 0 along the axes that are reduced. So a walk over both
// tells which axes those are: the ones that `out` stands still on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "minigrad/kernel.h"
#include "minigrad/loops.h"

namespace minigrad {

// Axes around the rows: those that are kept, or those that are reduced.
struct Axes {
    int ndim = 0;
    std::int64_t shape[max_rank] = {}, of_x[max_rank] = {}, of_out[max_rank] = {};
    std::int64_t size = 1;

    void add(std::int64_t n, std::int64_t x, std::int64_t out) {
        shape[ndim] = n, of_x[ndim] = x, of_out[ndim] = out;
        ++ndim, size *= n;
    }
    // Where number `index` of all places stands in x and in out.
    std::pair<std::int64_t, std::int64_t> place(std::int64_t index) const {
        std::int64_t x = 0, out = 0;
        for (int axis = 0; axis < ndim; ++axis) {
            const std::int64_t i = index % shape[axis];
            index /= shape[axis];
            x += i * of_x[axis], out += i * of_out[axis];
        }
        return {x, out};
    }
};

// read(first) to read(last - 1) as one, in pairs of halves.
template <class By, class R, class F>
R halved(std::int64_t first, std::int64_t last, F read) {
    if (last - first == 1) return read(first);
    const std::int64_t middle = first + (last - first) / 2;
    return By::both(halved<By, R>(first, middle, read), halved<By, R>(middle, last, read));
}

// The same for `width` columns at once, into `sums`; `room` holds the other halves.
template <class By, class R, class F>
void halved(std::int64_t first, std::int64_t last, std::int64_t width, R* sums, R* room, F add) {
    if (last - first <= 8) {
        std::fill(sums, sums + width, By::template none<R>());
        for (std::int64_t i = first; i < last; ++i) add(i, sums);
        return;
    }
    const std::int64_t middle = first + (last - first) / 2;
    halved<By, R>(first, middle, width, sums, room, add);
    halved<By, R>(middle, last, width, room, room + width, add);
    for (std::int64_t j = 0; j < width; ++j) sums[j] = By::both(sums[j], room[j]);
}

// out = finish(all of x that falls on it, as one). By says what that is:
//
//     By::none<R>()                     of nothing
//     By::both(a, b)                    of two
//     By::row<R>(x, step, count, f)     of f(x[0]), f(x[step]), ...
//
// f(value, what stands in `out` there) says what counts of a number.
template <class By, class T, class R, class F, class G>
void reduce(const View& x, const Out& out, F f, G finish) {
    constexpr std::int64_t tile = 256;  // columns that are reduced together
    const auto walk = rows(x, out);
    const T* from = x.as<const T>();
    R* to = out.as<R>();
    Axes kept, reduced;
    for (int axis = 0; axis < walk.ndim; ++axis) {
        auto& axes = walk.strides[axis][1] == 0 ? reduced : kept;
        axes.add(walk.shape[axis], walk.strides[axis][0], walk.strides[axis][1]);
    }
    const std::int64_t step = walk.steps[0], next = walk.steps[1];
    const bool along = next == 0;  // the rows themselves are reduced
    for (std::int64_t k = 0; k < kept.size; ++k) {
        const auto [at, place] = kept.place(k);
        const T* start = from + at;
        R* result = to + place;
        if (along) {
            const auto one = [&](std::int64_t i) {
                return By::template row<R>(start + reduced.place(i).first, step, walk.count,
                                           [&](T v) { return f(v, *result); });
            };
            const bool empty = walk.count * reduced.size == 0;
            *result = finish(empty ? By::template none<R>() : halved<By, R>(0, reduced.size, one));
            continue;
        }
        for (std::int64_t left = 0; left < walk.count; left += tile) {
            const std::int64_t width = std::min(tile, walk.count - left);
            R sums[tile];
            R* room = static_cast<R*>(scratch(64 * tile * sizeof(R)));  // a row for each halving
            const R* there = result + left * next;
            halved<By, R>(0, reduced.size, width, sums, room, [&](std::int64_t i, R* into) {
                const T* column = start + reduced.place(i).first + left * step;
                for (std::int64_t j = 0; j < width; ++j)
                    into[j] = By::both(into[j], f(column[j * step], there[j * next]));
            });
            for (std::int64_t j = 0; j < width; ++j) result[(left + j) * next] = finish(sums[j]);
        }
    }
}

// How many elements of x go into one of out.
inline double counted(const View& x, const View& out) {
    double count = 1.0;
    for (int axis = 0; axis < out.ndim; ++axis)
        if (out.strides[axis] == 0) count *= static_cast<double>(x.shape[axis]);
    return count;
}

}  // namespace minigrad
