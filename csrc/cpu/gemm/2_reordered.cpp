// gemm step 2: the same sums in an order that memory likes: the innermost loop runs along what lies
// in memory one number behind the other, so that several are done at a time.
// before: 1_naive (down a column of b: a new cache line for every product) · next: 3_blocked
#include "minigrad/gemm.h"
#include "minigrad/kernel.h"

namespace {
using namespace minigrad;
using std::int64_t;

// Rows of b lie in memory: a number of a, times all of a row of b, added to a row of c.
template <class T>
void along_rows(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c) {
    for (int64_t i = 0; i < c.rows; ++i) {
        T* sums = &c(i, 0);
        for (int64_t j = 0; j < c.cols; ++j) sums[j] = 0;
        for (int64_t p = 0; p < a.cols; ++p) {
            const T factor = a(i, p);
            const T* row = &b(p, 0);
            for (int64_t j = 0; j < c.cols; ++j) sums[j] += factor * row[j];
        }
    }
}

// Columns of b lie in memory, and rows of a: both are walked along, into several sums that do not
// wait for each other.
template <class T>
void along_inner(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c) {
    constexpr int64_t lanes = 64;
    for (int64_t i = 0; i < c.rows; ++i) {
        const T* row = &a(i, 0);
        for (int64_t j = 0; j < c.cols; ++j) {
            const T* column = &b(0, j);
            T sums[lanes] = {};
            int64_t p = 0;
            for (; p + lanes <= a.cols; p += lanes)
                for (int64_t k = 0; k < lanes; ++k) sums[k] += row[p + k] * column[p + k];
            for (int64_t k = 0; p < a.cols; ++p, ++k) sums[k] += row[p] * column[p];
            for (int64_t width = lanes / 2; width > 0; width /= 2)
                for (int64_t k = 0; k < width; ++k) sums[k] += sums[k + width];
            c(i, j) = sums[0];
        }
    }
}

// Neither lies well: one sum after the other, as in step 1.
template <class T>
void anyhow(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c) {
    for (int64_t i = 0; i < c.rows; ++i) {
        for (int64_t j = 0; j < c.cols; ++j) {
            T sum = 0;
            for (int64_t p = 0; p < a.cols; ++p) sum += a(i, p) * b(p, j);
            c(i, j) = sum;
        }
    }
}

template <class T>
void reordered(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c) {
    if (b.across == 1 && c.across == 1) return along_rows(a, b, c);
    if (a.across == 1 && b.down == 1) return along_inner(a, b, c);
    anyhow(a, b, c);
}

void matmul(View x, View y, Out out) {
    with_type<numbers>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        for_each_matrix<T>(x, y, out, reordered<T>);
    });
}

const Register<op::matmul> entry("cpp", 2, numbers, matmul);

}  // namespace
