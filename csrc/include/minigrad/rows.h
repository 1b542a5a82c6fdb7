// Kernels that work on the last axis take their arrays row by row.
#pragma once

#include <cstdint>

#include "minigrad/kernel.h"
#include "minigrad/loops.h"

namespace minigrad {

// The same elements without the last axis: where each row begins.
inline View heads(View v) {
    v.shape[v.ndim - 1] = 1;
    return v;
}

// A view (...) of one number a row, as if it had a last axis of size 1.
inline View with_last_axis(View v) {
    v.shape[v.ndim] = 1;
    v.strides[v.ndim] = 0;
    ++v.ndim;
    return v;
}

// Calls f(offsets) for each row: where it begins in each of the views. They agree in all axes but
// the last.
template <class F, class... V>
void each_row(F&& f, const V&... views) {
    const auto walk = rows(heads(views)...);
    for_each_row(walk, [&](auto at) {
        for (std::int64_t r = 0; r < walk.count; ++r) {
            f(at);
            for (std::size_t k = 0; k < at.size(); ++k) at[k] += walk.steps[k];
        }
    });
}

// Raises unless all rows have one size.
template <class... V>
void same_last(const View& first, const V&... others) {
    const auto fits = [&](const View& v) {
        return v.ndim == first.ndim && v.shape[v.ndim - 1] == first.shape[first.ndim - 1];
    };
    require(first.ndim >= 1 && (fits(others) && ...), "views whose last axes differ");
}

// An index, which must be one of 0 to size - 1.
inline std::int64_t inside(std::int64_t index, std::int64_t size) {
    require(index >= 0 && index < size, "an index lies outside of what it counts");
    return index;
}

// A row as an array: itself if its elements lie one behind the other, else copied to `room`.
template <class T>
const T* packed(const T* row, std::int64_t step, std::int64_t count, T* room) {
    if (step == 1) return row;
    for (std::int64_t i = 0; i < count; ++i) room[i] = row[i * step];
    return room;
}

}  // namespace minigrad
