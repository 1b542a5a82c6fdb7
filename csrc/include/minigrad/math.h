// exp, log and tanh for float, written so that a compiler can do many at a time: no branch, no
// call. For double, and for all other functions, the standard library's are taken.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace minigrad {

// exp(x) to 1 ulp. x = n ln 2 + r with |r| <= ln 2 / 2: e^r by its series, then times 2^n. 2^n is
// made of two factors, since n may be beyond what one float's exponent holds.
inline float exp(float x) {
    x = x > 89.0f ? 89.0f : x;      // beyond, the result is inf
    x = x < -104.0f ? -104.0f : x;  // and 0; a NaN passes both
    // Adding this number leaves the nearest whole number in the lowest bits of the sum.
    constexpr float shift = 12582912.0f;
    const float sum = x * 1.44269504f + shift;
    const float n = sum - shift;
    const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;  // ln 2 in two parts
    float p = 1.0f / 5040.0f;
    p = p * r + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    const auto whole = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(sum) -
                                                 std::bit_cast<std::uint32_t>(shift));
    const std::int32_t half = whole >> 1;
    const auto power = [](std::int32_t k) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(k + 127) << 23);
    };
    return p * power(half) * power(whole - half);
}

inline double exp(double x) { return std::exp(x); }

// tanh(x) to 3 ulp. Near 0 by Lambert's continued fraction, x / (1 + x^2 / (3 + x^2 / (5 + ...))),
// whose terms behind the 11 do not show in a float; from there on 1 - 2 / (e^2x + 1).
inline float tanh(float x) {
    const float size = std::fabs(x), z = x * x;
    const float near =
        x * ((21.0f * z + 1260.0f) * z + 10395.0f) / (((z + 210.0f) * z + 4725.0f) * z + 10395.0f);
    const float far = std::copysign(1.0f - 2.0f / (exp(2.0f * size) + 1.0f), x);
    return size < 0.625f ? near : far;
}

inline double tanh(double x) { return std::tanh(x); }

// log(x) to 1 ulp. x = m 2^n with m from sqrt(1/2) to sqrt(2): log m = 2 artanh(s) by its series,
// for s = (m - 1) / (m + 1), which is small; plus n ln 2.
inline float log(float x) {
    const bool tiny = x < 1.17549435e-38f;  // a denormal, or none of those that have a log
    const float y = tiny ? x * 8388608.0f : x;
    // The bits of a float count in its exponent from 2^23 on: those of sqrt(1/2) are taken off.
    const auto bits = std::bit_cast<std::int32_t>(y);
    const std::int32_t power = (bits - 0x3f3504f3) >> 23;
    const float m = std::bit_cast<float>(
        bits - static_cast<std::int32_t>(static_cast<std::uint32_t>(power) << 23));
    const float n = static_cast<float>(power) - (tiny ? 23.0f : 0.0f);
    const float s = (m - 1.0f) / (m + 1.0f), z = s * s;
    float p = 2.0f / 9.0f;
    p = p * z + 2.0f / 7.0f;
    p = p * z + 2.0f / 5.0f;
    p = p * z + 2.0f / 3.0f;
    // log m = 2 s + s^3 p, and 2 s = (m - 1) - s (m - 1): the larger part is exact.
    const float f = m - 1.0f;
    const float near = n * 0.693359375f + (f - (s * (f - z * p) + n * 2.12194440e-4f));
    const float above = x > 3.4028235e38f ? x : near;  // inf, or a NaN by what follows
    const float at_zero = x == 0.0f ? -std::numeric_limits<float>::infinity() : above;
    return x >= 0.0f ? at_zero : std::numeric_limits<float>::quiet_NaN();
}

inline double log(double x) { return std::log(x); }

// log(1 + x), exact also near 0: what 1 + x loses of x is made up for (Kahan's way).
inline float log1p(float x) {
    const float y = 1.0f + x, kept = y - 1.0f;
    const float near = log(y) * (x / kept);
    const float found = kept == 0.0f ? x : near;
    return x > 1e9f ? log(x) : found;
}

inline double log1p(double x) { return std::log1p(x); }

}  // namespace minigrad
