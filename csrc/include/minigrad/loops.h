// Walking several views of one shape at once: an innermost loop with fixed steps, and the rows
// around it.
#pragma once

#include <array>
#include <cstdint>

#include "minigrad/view.h"

namespace minigrad {

// The view as one of the axes of `to`: those in front that it lacks, and those of size 1, stand
// still.
inline View expanded(const View& v, const View& to) {
    View wide = to;
    wide.data = v.data;
    wide.dtype = v.dtype;
    for (int axis = 0; axis < to.ndim; ++axis) {
        const int own = axis - (to.ndim - v.ndim);
        const bool moves = own >= 0 && v.shape[own] != 1;
        require(!moves || v.shape[own] == to.shape[axis], "views whose shapes do not broadcast");
        wide.strides[axis] = moves ? v.strides[own] : 0;
    }
    return wide;
}

// N views of one shape as rows of `count` elements. Axes that follow each other in memory in all of
// the views count as one, so that a plain array is a single row.
template <int N>
struct Rows {
    std::int64_t count = 1;               // elements in a row
    std::array<std::int64_t, N> steps{};  // from one element of a row to the next, for each view
    int ndim = 0;                         // axes around the rows
    std::int64_t shape[max_rank] = {};
    std::array<std::int64_t, N> strides[max_rank] = {};
};

// All views have the shape of the first. Raises if one has not.
template <class... V>
auto rows(const View& first, const V&... others) {
    constexpr int N = 1 + sizeof...(V);
    const std::array<const View*, N> views{&first, &others...};
    for (const View* v : views) {
        require(v->ndim == first.ndim, "views of different numbers of axes");
        for (int axis = 0; axis < first.ndim; ++axis)
            require(v->shape[axis] == first.shape[axis], "views of different shapes");
    }
    Rows<N> walk;
    // From the last axis outwards: an axis joins the one inside it, or begins a new one.
    bool begun = false;
    for (int axis = first.ndim - 1; axis >= 0; --axis) {
        const std::int64_t n = first.shape[axis];
        if (n == 1) continue;
        std::array<std::int64_t, N> steps;
        for (int k = 0; k < N; ++k) steps[k] = views[k]->strides[axis];
        std::int64_t& inner = walk.ndim == 0 ? walk.count : walk.shape[walk.ndim - 1];
        const auto& inner_steps = walk.ndim == 0 ? walk.steps : walk.strides[walk.ndim - 1];
        bool joins = begun;
        for (int k = 0; k < N; ++k) joins = joins && steps[k] == inner * inner_steps[k];
        if (joins) {
            inner *= n;
        } else if (!begun) {
            walk.count = n;
            walk.steps = steps;
            begun = true;
        } else {
            walk.shape[walk.ndim] = n;
            walk.strides[walk.ndim] = steps;
            ++walk.ndim;
        }
    }
    return walk;
}

// Calls f(offsets) for each row, where a row begins in each view.
template <int N, class F>
void for_each_row(const Rows<N>& walk, F&& f) {
    std::int64_t total = walk.count == 0 ? 0 : 1;
    for (int axis = 0; axis < walk.ndim; ++axis) total *= walk.shape[axis];
    std::array<std::int64_t, N> at{};
    std::int64_t index[max_rank] = {};
    for (std::int64_t row = 0; row < total; ++row) {
        f(at);
        // On to the next row, as a counter does: axis 0 is the innermost here.
        for (int axis = 0; axis < walk.ndim; ++axis) {
            for (int k = 0; k < N; ++k) at[k] += walk.strides[axis][k];
            if (++index[axis] < walk.shape[axis]) break;
            for (int k = 0; k < N; ++k) at[k] -= walk.strides[axis][k] * walk.shape[axis];
            index[axis] = 0;
        }
    }
}

}  // namespace minigrad
