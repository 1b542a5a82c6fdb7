// gemm step 4: blocks are copied into the order in which they are read, and a tile of c is summed
// up in registers from beginning to end. before: 3_blocked (loads and stores c for every four
// products) · next: 5_microkernel (by hand)
#include <algorithm>

#include "minigrad/gemm.h"
#include "minigrad/kernel.h"

namespace {
using namespace minigrad;
using std::int64_t;

// A tile of c: its sums are twelve registers, which with what is loaded fit into the 16 that there
// are, and so the compiler keeps them there: all bounds are constants. Six rows of two registers
// load least. SSE cannot spread a number over a register while it loads it: fewer rows are better
// there.
constexpr int64_t tall = vector_bytes == 16 ? 2 : 6;
template <class T>
constexpr int64_t lanes = vector_bytes / sizeof(T);
constexpr int64_t across = 12 / tall;
template <class T>
constexpr int64_t wide = across * lanes<T>;

constexpr int64_t depth = 256;  // products that are summed up before c is touched
constexpr int64_t height = 96;  // rows of a that are packed together: 96 KiB of floats, for L2
constexpr int64_t width = 960;  // columns of b that are: 1 MiB of floats; whole tiles, as above

// A block of a, `tall` rows next to each other for each p: what a tile reads is one run of memory.
// Rows that a does not have are zeros.
template <class T>
void pack_rows(const Matrix<const T>& a, int64_t top, int64_t rows, int64_t first, int64_t count,
               T* __restrict to) {
    for (int64_t i = 0; i < rows; i += tall) {
        const int64_t some = std::min(tall, rows - i);
        const T* block = &a(top + i, first);
        if (some == tall) {
            for (int64_t p = 0; p < count; ++p)
                for (int64_t k = 0; k < tall; ++k)
                    to[p * tall + k] = block[k * a.down + p * a.across];
        } else {
            std::fill(to, to + tall * count, T(0));
            for (int64_t k = 0; k < some; ++k)
                for (int64_t p = 0; p < count; ++p)
                    to[p * tall + k] = block[k * a.down + p * a.across];
        }
        to += tall * count;
    }
}

// A block of b, `wide<T>` columns next to each other for each p. Read in the order in which b lies.
template <class T>
void pack_columns(const Matrix<const T>& b, int64_t first, int64_t count, int64_t left,
                  int64_t cols, T* __restrict to) {
    for (int64_t j = 0; j < cols; j += wide<T>) {
        const int64_t some = std::min(wide<T>, cols - j);
        if (some < wide<T>) std::fill(to, to + wide<T> * count, T(0));
        const T* block = &b(first, left + j);
        if (b.across == 1) {
            for (int64_t p = 0; p < count; ++p)
                std::copy(block + p * b.down, block + p * b.down + some, to + p * wide<T>);
        } else {
            for (int64_t k = 0; k < some; ++k)
                for (int64_t p = 0; p < count; ++p)
                    to[p * wide<T> + k] = block[k * b.across + p * b.down];
        }
        to += wide<T> * count;
    }
}

// c = (or +=, behind the first block of products) the sums of a tile, of which rows x cols are
// there.
template <class T>
void tile(const T* a, const T* b, int64_t count, const Matrix<T>& c, int64_t top, int64_t left,
          bool add) {
    T sums[tall][across][lanes<T>] = {};
    for (int64_t p = 0; p < count; ++p, a += tall, b += wide<T>) {
        for (int64_t i = 0; i < tall; ++i) {
            for (int64_t r = 0; r < across; ++r) {
#pragma GCC unroll 1  // into a vector; GCC would rather write out the steps one by one
                for (int64_t j = 0; j < lanes<T>; ++j) sums[i][r][j] += a[i] * b[r * lanes<T> + j];
            }
        }
    }
    const int64_t rows = std::min(tall, c.rows - top), cols = std::min(wide<T>, c.cols - left);
    for (int64_t i = 0; i < rows; ++i) {
        T* to = &c(top + i, left);
        const T* from = &sums[i][0][0];
        if (add) {
            for (int64_t j = 0; j < cols; ++j) to[j * c.across] += from[j];
        } else {
            for (int64_t j = 0; j < cols; ++j) to[j * c.across] = from[j];
        }
    }
}

template <class T>
void packed(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c) {
    T* rows_of_a = static_cast<T*>(scratch((height + width) * depth * sizeof(T)));
    T* cols_of_b = rows_of_a + height * depth;
    for (int64_t left = 0; left < c.cols; left += width) {
        const int64_t cols = std::min(width, c.cols - left);
        for (int64_t first = 0; first == 0 || first < a.cols; first += depth) {
            const int64_t count = std::min(depth, a.cols - first);
            pack_columns(b, first, count, left, cols, cols_of_b);
            for (int64_t top = 0; top < c.rows; top += height) {
                const int64_t rows = std::min(height, c.rows - top);
                pack_rows(a, top, rows, first, count, rows_of_a);
                for (int64_t j = 0; j < cols; j += wide<T>)
                    for (int64_t i = 0; i < rows; i += tall)
                        tile(rows_of_a + i * count, cols_of_b + j * count, count, c, top + i,
                             left + j, first > 0);
            }
        }
    }
}

void matmul(View x, View y, Out out) {
    with_type<numbers>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        for_each_matrix<T>(x, y, out, packed<T>);
    });
}

const Register<op::matmul> entry("cpp", 4, numbers, matmul);

}  // namespace
