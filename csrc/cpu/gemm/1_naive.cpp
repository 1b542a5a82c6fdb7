// gemm step 1: each number of the result is a sum of products, one after the other.
// before: NumPy's BLAS · next: 2_reordered (the same sums in an order that memory likes)
#include "minigrad/gemm.h"
#include "minigrad/kernel.h"

namespace {
using namespace minigrad;

template <class T>
void naive(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c) {
    for (std::int64_t i = 0; i < c.rows; ++i) {
        for (std::int64_t j = 0; j < c.cols; ++j) {
            T sum = 0;
            for (std::int64_t p = 0; p < a.cols; ++p) sum += a(i, p) * b(p, j);
            c(i, j) = sum;
        }
    }
}

void matmul(View x, View y, Out out) {
    with_type<numbers>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        for_each_matrix<T>(x, y, out, naive<T>);
    });
}

const Register<op::matmul> entry("cpp", 1, numbers, matmul);

}  // namespace
