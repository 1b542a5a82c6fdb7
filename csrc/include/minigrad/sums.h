// A row added up in several sums that do not wait for each other, and a row written.
#pragma once

#include <cstdint>

namespace minigrad {

// The sum of f(0) to f(count - 1).
template <class T, class F>
T sum_of(std::int64_t count, F f) {
    constexpr std::int64_t lanes = 32;
    T sums[lanes] = {};
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (std::int64_t k = 0; k < lanes; ++k) sums[k] += f(i + k);
    }
    for (std::int64_t k = 0; i < count; ++i, ++k) sums[k] += f(i);
    for (std::int64_t width = lanes / 2; width > 0; width /= 2) {
        for (std::int64_t k = 0; k < width; ++k) sums[k] += sums[k + width];
    }
    return sums[0];
}

// to[0], to[step], ... = f(0), f(1), ...
template <class T, class F>
void put(T* to, std::int64_t step, std::int64_t count, F f) {
    if (step == 1) {
        for (std::int64_t i = 0; i < count; ++i) to[i] = f(i);
    } else {
        for (std::int64_t i = 0; i < count; ++i) to[i * step] = f(i);
    }
}

}  // namespace minigrad
