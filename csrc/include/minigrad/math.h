// exp and tanh for float, written so that a compiler can do many at a time: no branch, no call.
// For double, and for all other functions, the standard library's are taken.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace minigrad {

// exp(x) to 1 ulp. x = n ln 2 + r with |r| <= ln 2 / 2: e^r by its series, then times 2^n. 2^n is
// made of two factors, since n may be beyond what one float's exponent holds.
inline float exp(float x) {
    x = x > 89.0f ? 89.0f : x;    // beyond, the result is inf
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
    const float near = x * ((21.0f * z + 1260.0f) * z + 10395.0f) /
                       (((z + 210.0f) * z + 4725.0f) * z + 10395.0f);
    const float far = std::copysign(1.0f - 2.0f / (exp(2.0f * size) + 1.0f), x);
    return size < 0.625f ? near : far;
}

inline double tanh(double x) { return std::tanh(x); }

}  // namespace minigrad
