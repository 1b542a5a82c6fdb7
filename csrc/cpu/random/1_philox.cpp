// random step 1: Philox4x32-10, many blocks at a time. The same numbers as minigrad/random.py,
// which says how they are made: number i is a function of (seed, kind, i) alone. before: NumPy
// (twenty passes over all words) · next: nothing yet
#include <algorithm>
#include <cmath>
#include <limits>

#include "minigrad/kernel.h"

namespace {
using namespace minigrad;
using std::int64_t;
using std::uint32_t;
using std::uint64_t;

enum Kind : uint32_t {
    uniform32,
    uniform64,
    normal32,
    normal64,
    integers,
    permutation,
    bernoulli_
};

constexpr int64_t many = 64;  // blocks at a time

// The words of `many` blocks from block `first` on: word j of block b is words[j][b].
void philox(uint64_t seed, uint64_t first, uint32_t kind, uint32_t (&words)[4][many]) {
    auto& [a, b, c, d] = words;
    for (int64_t i = 0; i < many; ++i) {
        const uint64_t block = first + static_cast<uint64_t>(i);
        a[i] = static_cast<uint32_t>(block), b[i] = static_cast<uint32_t>(block >> 32);
        c[i] = kind, d[i] = 0;
    }
    uint32_t left = static_cast<uint32_t>(seed), right = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round, left += 0x9E3779B9u, right += 0xBB67AE85u) {
        for (int64_t i = 0; i < many; ++i) {
            const uint64_t x = uint64_t{a[i]} * 0xD2511F53u, y = uint64_t{c[i]} * 0xCD9E8D57u;
            a[i] = static_cast<uint32_t>(y >> 32) ^ b[i] ^ left;
            c[i] = static_cast<uint32_t>(x >> 32) ^ d[i] ^ right;
            b[i] = static_cast<uint32_t>(y), d[i] = static_cast<uint32_t>(x);
        }
    }
}

// Calls f(words, block, where in it, which number of out) for each number from `offset` on, of
// which a block holds `per`; and writes what f gives.
template <class T, class F>
void draw(const Out& out, int64_t seed, int64_t offset, uint32_t kind, uint64_t per, F f) {
    const uint64_t start = static_cast<uint64_t>(offset);
    const int64_t count = out.size();
    const bool row = out.ndim <= 1;
    if (!row) {  // numbers come in row-major order
        int64_t step = 1;
        for (int axis = out.ndim - 1; axis >= 0; step *= out.shape[axis--])
            if (out.shape[axis] != 1 && out.strides[axis] != step)
                throw std::invalid_argument("random numbers are written to one run of memory");
    }
    const int64_t step = out.ndim == 1 ? out.strides[0] : 1;
    uint32_t words[4][many];
    T* to = out.as<T>();
    int64_t i = 0;
    for (uint64_t block = start / per; i < count; block += many) {
        philox(static_cast<uint64_t>(seed), block, kind, words);
        uint64_t at = start + static_cast<uint64_t>(i) - block * per;
        for (; at < many * per && i < count; ++at, ++i)
            to[i * step] = f(words, static_cast<int64_t>(at / per), static_cast<int64_t>(at % per));
    }
}

// Word pair `k` of a block as a number of 64 bits, low word first.
uint64_t both(const uint32_t (&words)[4][many], int64_t block, int64_t k) {
    return words[2 * k][block] | uint64_t{words[2 * k + 1][block]} << 32;
}

// low + (high - low) u, each step rounded to the type: the sum is a pass of its own, or a compiler
// would round both at once. Where that gives `high`, the number below it.
template <class T>
void scaled(const Out& out, T low, T high) {
    const T last = std::nextafter(high, low);
    const int64_t count = out.size(), step = out.ndim == 1 ? out.strides[0] : 1;
    T* to = out.as<T>();
    for (int64_t i = 0; i < count; ++i) to[i * step] = std::min(to[i * step] + low, last);
}

void uniform(Out out, int64_t seed, int64_t offset, double low, double high) {
    if (out.dtype == DType::float32) {
        const float start = static_cast<float>(low), end = static_cast<float>(high);
        draw<float>(out, seed, offset, uniform32, 4,
                    [width = end - start](const auto& words, int64_t b, int64_t k) {
                        return static_cast<float>(words[k][b] >> 8) * 0x1p-24f * width;
                    });
        scaled(out, start, end);
    } else {
        draw<double>(out, seed, offset, uniform64, 2,
                     [width = high - low](const auto& words, int64_t b, int64_t k) {
                         return static_cast<double>(both(words, b, k) >> 11) * 0x1p-53 * width;
                     });
        scaled(out, low, high);
    }
}

// Box-Muller: of two numbers u and v, radius cos(2 pi v) and radius sin(2 pi v), in float64.
double one_of_two(double u, double v, double unit, int64_t k) {
    constexpr double pi = 3.14159265358979323846;
    const double radius = std::sqrt(-2.0 * std::log((u + 1.0) * unit));
    const double angle = v * (unit * 2.0 * pi);
    return radius * (k % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

void normal(Out out, int64_t seed, int64_t offset, double mean, double std) {
    if (out.dtype == DType::float32) {
        draw<float>(out, seed, offset, normal32, 4, [=](const auto& words, int64_t b, int64_t k) {
            const double u = words[k / 2 * 2][b], v = words[k / 2 * 2 + 1][b];
            return static_cast<float>(one_of_two(u, v, 0x1p-32, k) * std + mean);
        });
    } else {
        draw<double>(out, seed, offset, normal64, 2, [=](const auto& words, int64_t b, int64_t k) {
            const auto u = static_cast<double>(both(words, b, 0) >> 11);
            const auto v = static_cast<double>(both(words, b, 1) >> 11);
            return one_of_two(u, v, 0x1p-53, k) * std + mean;
        });
    }
}

// True with probability p, which counts in steps of 2^-32.
void bernoulli(Out out, int64_t seed, int64_t offset, double p) {
    const auto limit = static_cast<uint64_t>(std::nearbyint(p * 0x1p32));
    draw<bool>(out, seed, offset, bernoulli_, 4,
               [=](const auto& words, int64_t b, int64_t k) { return words[k][b] < limit; });
}

const Register<op::uniform> of_uniform("cpp", 1, floats, uniform);
const Register<op::normal> of_normal("cpp", 1, floats, normal);
const Register<op::bernoulli> of_bernoulli("cpp", 1, set_of(DType::bool_), bernoulli);

}  // namespace
