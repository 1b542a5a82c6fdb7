// gemm step 4: blocks are copied into the order in which they are read, and a tile of c is summed up
// in registers from beginning to end.
// before: 3_blocked (loads and stores c for every four products) · next: 5_microkernel (by hand)
#include <algorithm>

#include "minigrad/gemm.h"
#include "minigrad/kernel.h"

namespace {
using namespace minigrad;
using std::int64_t;

// A tile of c: six rows, two registers wide<T>. With what is loaded that is 15 registers, and even SSE
// and AVX2 have 16. Its loops have constant bounds, and so the compiler keeps the sums there.
constexpr int64_t tall = 6;
template <class T>
constexpr int64_t wide = 2 * vector_bytes / sizeof(T);

constexpr int64_t depth = 256;  // products that are summed up before c is touched
constexpr int64_t height = 96;  // rows of a that are packed together: 96 KiB of floats, for L2
constexpr int64_t width = 1024; // columns of b that are: 1 MiB of floats

// A block of a, `tall` rows next to each other for each p: what a tile reads is one run of memory.
// Rows that a does not have are zeros.
template <class T>
void pack_rows(const Matrix<const T>& a, int64_t top, int64_t rows, int64_t first, int64_t count, T* to) {
    for (int64_t i = 0; i < rows; i += tall) {
        const int64_t some = std::min(tall, rows - i);
        for (int64_t p = 0; p < count; ++p) {
            for (int64_t k = 0; k < tall; ++k) *to++ = k < some ? a(top + i + k, first + p) : T(0);
        }
    }
}

// A block of b, `wide<T>` columns next to each other for each p.
template <class T>
void pack_columns(const Matrix<const T>& b, int64_t first, int64_t count, int64_t left, int64_t cols, T* to) {
    for (int64_t j = 0; j < cols; j += wide<T>) {
        const int64_t some = std::min(wide<T>, cols - j);
        for (int64_t p = 0; p < count; ++p) {
            const T* row = &b(first + p, left + j);
            if (some == wide<T> && b.across == 1) {
                to = std::copy(row, row + wide<T>, to);
            } else {
                for (int64_t k = 0; k < wide<T>; ++k) *to++ = k < some ? row[k * b.across] : T(0);
            }
        }
    }
}

// c = (or +=, behind the first block of products) the sums of a tile, of which rows x cols are there.
template <class T>
void tile(const T* a, const T* b, int64_t count, const Matrix<T>& c, int64_t top, int64_t left, bool add) {
    T sums[tall][wide<T>] = {};
    for (int64_t p = 0; p < count; ++p, a += tall, b += wide<T>) {
        for (int64_t i = 0; i < tall; ++i) {
#pragma GCC unroll 1  // into vectors; GCC would rather write out 16 steps one by one
            for (int64_t j = 0; j < wide<T>; ++j) sums[i][j] += a[i] * b[j];
        }
    }
    const int64_t rows = std::min(tall, c.rows - top), cols = std::min(wide<T>, c.cols - left);
    for (int64_t i = 0; i < rows; ++i) {
        T* to = &c(top + i, left);
        if (add) {
            for (int64_t j = 0; j < cols; ++j) to[j * c.across] += sums[i][j];
        } else {
            for (int64_t j = 0; j < cols; ++j) to[j * c.across] = sums[i][j];
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
                        tile(rows_of_a + i * count, cols_of_b + j * count, count, c, top + i, left + j, first > 0);
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
