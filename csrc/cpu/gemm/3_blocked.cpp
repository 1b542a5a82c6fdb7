// gemm step 3: blocks. A block of b stays in the cache while all rows of a pass over it, and every
// number that is loaded is used by four rows at once.
// before: 2_reordered (streams all of b from memory, for every row of a) · next: 4_packed
#include <algorithm>

#include "minigrad/gemm.h"
#include "minigrad/kernel.h"

namespace {
using namespace minigrad;
using std::int64_t;

constexpr int64_t depth = 64;   // rows of b in a block, and
constexpr int64_t width = 512;  // its columns: 128 KiB of floats, which fit into L2
constexpr int64_t tall = 4;     // rows of a that share what is loaded

// Four rows of c, `c_down` apart, += four numbers in each of four rows of a, times four rows of b.
// A row of c is loaded and stored once for four products. __restrict promises that writing to c
// changes nothing in b; without it, no number could be loaded before the last one is stored.
template <class T>
void four_by_four(const T (&f)[tall][4], const T* b, int64_t b_down, T* __restrict c,
                  int64_t c_down, int64_t count) {
    T* __restrict c1 = c + c_down, * __restrict c2 = c1 + c_down, * __restrict c3 = c2 + c_down;
    const T *r0 = b, *r1 = r0 + b_down, *r2 = r1 + b_down, *r3 = r2 + b_down;
    for (int64_t j = 0; j < count; ++j) {
        const T b0 = r0[j], b1 = r1[j], b2 = r2[j], b3 = r3[j];
        c[j] += f[0][0] * b0 + f[0][1] * b1 + f[0][2] * b2 + f[0][3] * b3;
        c1[j] += f[1][0] * b0 + f[1][1] * b1 + f[1][2] * b2 + f[1][3] * b3;
        c2[j] += f[2][0] * b0 + f[2][1] * b1 + f[2][2] * b2 + f[2][3] * b3;
        c3[j] += f[3][0] * b0 + f[3][1] * b1 + f[3][2] * b2 + f[3][3] * b3;
    }
}

// The part of c that begins at (top, left), `rows` by `cols`, += a's columns [first, last) times
// b's rows [first, last).
template <class T>
void block(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c, int64_t top,
           int64_t rows, int64_t left, int64_t cols, int64_t first, int64_t last) {
    int64_t p = first;
    for (; rows == tall && p + 4 <= last; p += 4) {
        T f[tall][4];
        for (int64_t i = 0; i < tall; ++i)
            for (int64_t k = 0; k < 4; ++k) f[i][k] = a(top + i, p + k);
        four_by_four(f, &b(p, left), b.down, &c(top, left), c.down, cols);
    }
    for (; p < last; ++p) {
        for (int64_t i = 0; i < rows; ++i) {
            const T factor = a(top + i, p);
            const T* from = &b(p, left);
            T* to = &c(top + i, left);
            for (int64_t j = 0; j < cols; ++j) to[j] += factor * from[j];
        }
    }
}

template <class T>
void along_rows(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c) {
    for (int64_t i = 0; i < c.rows; ++i)
        for (int64_t j = 0; j < c.cols; ++j) c(i, j) = 0;
    for (int64_t left = 0; left < c.cols; left += width) {
        const int64_t cols = std::min(width, c.cols - left);
        for (int64_t first = 0; first < a.cols; first += depth) {
            const int64_t last = std::min(first + depth, a.cols);
            for (int64_t top = 0; top < c.rows; top += tall)
                block(a, b, c, top, std::min(tall, c.rows - top), left, cols, first, last);
        }
    }
}

// Rows of a and columns of b lie in memory: two rows and four columns at once, so that what is
// loaded is used four times, or twice.
template <class T>
void along_inner(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c) {
    constexpr int64_t lanes =
        vector_bytes / sizeof(T);  // a register each: the eight sums stay there
    for (int64_t left = 0; left < c.cols; left += 4) {
        for (int64_t top = 0; top < c.rows; top += 2) {
            T sums[2][4][lanes] = {};
            const int64_t rows = std::min<int64_t>(2, c.rows - top),
                          cols = std::min<int64_t>(4, c.cols - left);
            const T *x[2], *y[4];  // at the edge, the last one again
            for (int64_t i = 0; i < 2; ++i) x[i] = &a(top + std::min(i, rows - 1), 0);
            for (int64_t j = 0; j < 4; ++j) y[j] = &b(0, left + std::min(j, cols - 1));
            int64_t p = 0;
            for (; p + lanes <= a.cols; p += lanes)
                for (int64_t i = 0; i < 2; ++i)
                    for (int64_t j = 0; j < 4; ++j)
#pragma GCC unroll 1  // into vectors, not into single steps
                        for (int64_t k = 0; k < lanes; ++k)
                            sums[i][j][k] += x[i][p + k] * y[j][p + k];
            for (int64_t i = 0; i < rows; ++i) {
                for (int64_t j = 0; j < cols; ++j) {
                    T(&s)[lanes] = sums[i][j];
                    for (int64_t q = p, k = 0; q < a.cols; ++q, ++k) s[k] += x[i][q] * y[j][q];
                    for (int64_t half = lanes / 2; half > 0; half /= 2)
                        for (int64_t k = 0; k < half; ++k) s[k] += s[k + half];
                    c(top + i, left + j) = s[0];
                }
            }
        }
    }
}

template <class T>
void blocked(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c) {
    if (a.cols == 0 || (b.across == 1 && c.across == 1)) return along_rows(a, b, c);
    if (a.across == 1 && b.down == 1) return along_inner(a, b, c);
    for (int64_t i = 0; i < c.rows; ++i) {
        for (int64_t j = 0; j < c.cols; ++j) {
            T sum = 0;
            for (int64_t p = 0; p < a.cols; ++p) sum += a(i, p) * b(p, j);
            c(i, j) = sum;
        }
    }
}

void matmul(View x, View y, Out out) {
    with_type<numbers>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        for_each_matrix<T>(x, y, out, blocked<T>);
    });
}

const Register<op::matmul> entry("cpp", 3, numbers, matmul);

}  // namespace
