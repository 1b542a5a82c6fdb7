// What this machine can do at most: multiply-adds that never leave the registers, and memory that
// is walked through from one end to the other. minigrad/bench/limits.py compiles this file for each
// instruction set and divides by the time.
#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace {
using std::int64_t;

// Bytes in a register.
#if defined(__AVX512F__)
constexpr int bytes = 64;
#elif defined(__AVX__)
constexpr int bytes = 32;
#else
constexpr int bytes = 16;
#endif
using Floats __attribute__((vector_size(bytes))) = float;
using Doubles __attribute__((vector_size(bytes))) = double;
constexpr int64_t floats = bytes / sizeof(float);

// Twelve sums: more than a multiply-add takes steps times the units that there are (4 x 2 today).
constexpr int sums = 12;

// The compiler must take it that the value is looked at and changed here.
template <class V>
void keep(V& value) {
#if defined(__x86_64__)
    asm volatile("" : "+x"(value));  // one of the first 16 registers will do
#elif defined(__aarch64__)
    asm volatile("" : "+w"(value));
#else
    asm volatile("" : "+m"(value));
#endif
}

template <class V>
int64_t multiply_add(int64_t repeats) {
    V total[sums], x = V{} + 0.999f, y = V{} + 0.001f;
    for (V& t : total) t = V{} + 1;
    keep(x), keep(y);
    for (int64_t r = 0; r < repeats; ++r) {
#pragma GCC unroll 12
        for (int i = 0; i < sums; ++i) total[i] = total[i] * x + y;
    }
    for (int i = 1; i < sums; ++i) total[0] += total[i];
    keep(total[0]);
    return repeats * sums * 2 * static_cast<int64_t>(sizeof(V) / sizeof(V{}[0]));
}

Floats& at(float* data, int64_t i) { return *reinterpret_cast<Floats*>(data + i); }

}  // namespace

#define MG_LIMIT extern "C" __attribute__((visibility("default")))

// Each gives how many operations, or how many bytes, it has gone through. `count` floats, a
// multiple of 8 registers, at addresses that 64 divides.
MG_LIMIT int64_t fma_float32(int64_t repeats) { return multiply_add<Floats>(repeats); }
MG_LIMIT int64_t fma_float64(int64_t repeats) { return multiply_add<Doubles>(repeats); }

MG_LIMIT int64_t read(float* data, float*, float*, int64_t count, int64_t repeats) {
    Floats total[8] = {};
    for (int64_t r = 0; r < repeats; ++r) {
        for (int64_t i = 0; i < count; i += 8 * floats) {
#pragma GCC unroll 8
            for (int k = 0; k < 8; ++k) total[k] += at(data, i + k * floats);
        }
        for (Floats& t : total) keep(t);
    }
    return repeats * count * 4;
}

MG_LIMIT int64_t write(float* data, float*, float*, int64_t count, int64_t repeats) {
    Floats value = Floats{} + 1.5f;
    for (int64_t r = 0; r < repeats; ++r) {
        keep(value);
        for (int64_t i = 0; i < count; i += 8 * floats) {
#pragma GCC unroll 8
            for (int k = 0; k < 8; ++k) at(data, i + k * floats) = value;
            asm volatile("" ::: "memory");
        }
    }
    return repeats * count * 4;
}

// Past the caches, straight to memory; 0 where this architecture has no such store.
MG_LIMIT int64_t write_nontemporal(float* data, float*, float*, int64_t count, int64_t repeats) {
#if defined(__SSE2__)
    for (int64_t r = 0; r < repeats; ++r) {
        for (int64_t i = 0; i < count; i += floats) {
#if defined(__AVX512F__)
            _mm512_stream_ps(data + i, _mm512_set1_ps(1.5f));
#elif defined(__AVX__)
            _mm256_stream_ps(data + i, _mm256_set1_ps(1.5f));
#else
            _mm_stream_ps(data + i, _mm_set1_ps(1.5f));
#endif
        }
        _mm_sfence();
    }
    return repeats * count * 4;
#else
    return static_cast<void>(data), static_cast<void>(count), static_cast<void>(repeats), 0;
#endif
}

// z = x + 3 y: three streams at once, which is more than reading or writing alone can do.
MG_LIMIT int64_t triad(float* x, float* y, float* z, int64_t count, int64_t repeats) {
    Floats three = Floats{} + 3.0f;
    for (int64_t r = 0; r < repeats; ++r) {
        keep(three);
        for (int64_t i = 0; i < count; i += 8 * floats) {
#pragma GCC unroll 8
            for (int k = 0; k < 8; ++k) {
                const int64_t j = i + k * floats;
                at(z, j) = at(x, j) + three * at(y, j);
            }
            asm volatile("" ::: "memory");
        }
    }
    return repeats * count * 12;
}
