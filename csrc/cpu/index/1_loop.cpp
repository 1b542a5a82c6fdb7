// index step 1: reading and adding at indices, in the order in which they come.
// before: NumPy · next: nothing yet
#include "minigrad/kernel.h"
#include "minigrad/rows.h"

namespace {
using namespace minigrad;
using std::int64_t;

// out[k] = x[index[k]]: rows of a table (N, M), by index (K,), to (K, M).
void take(View x, View index, Out out) {
    require(out.ndim == 2 && x.ndim == 2 && index.ndim == 1 && index.shape[0] == out.shape[0] &&
                x.shape[1] == out.shape[1],
            "the sizes do not fit");
    with_type<all_types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t k = 0; k < out.shape[0]; ++k) {
            const int64_t row = inside(index.as<const int64_t>()[k * index.strides[0]], x.shape[0]);
            const T* from = x.as<const T>() + row * x.strides[0];
            T* to = out.as<T>() + k * out.strides[0];
            for (int64_t j = 0; j < out.shape[1]; ++j)
                to[j * out.strides[1]] = from[j * x.strides[1]];
        }
    });
}

// out[index[k]] += values[k], from zeros: the gradient of take.
void index_add(View values, View index, Out out) {
    require(out.ndim == 2 && values.ndim == 2 && index.ndim == 1 &&
                index.shape[0] == values.shape[0] && values.shape[1] == out.shape[1],
            "the sizes do not fit");
    with_type<numbers>(values.dtype, [&](auto zero) {
        using T = decltype(zero);
        T* table = out.as<T>();
        for (int64_t i = 0; i < out.shape[0]; ++i)
            for (int64_t j = 0; j < out.shape[1]; ++j)
                table[i * out.strides[0] + j * out.strides[1]] = 0;
        for (int64_t k = 0; k < values.shape[0]; ++k) {
            const int64_t row =
                inside(index.as<const int64_t>()[k * index.strides[0]], out.shape[0]);
            T* to = table + row * out.strides[0];
            const T* from = values.as<const T>() + k * values.strides[0];
            for (int64_t j = 0; j < out.shape[1]; ++j)
                to[j * out.strides[1]] += from[j * values.strides[1]];
        }
    });
}

// out[..., k] = x[..., index[..., k]]
void gather(View x, View index, Out out) {
    require(index.shape[index.ndim - 1] == out.shape[out.ndim - 1], "the sizes do not fit");
    with_type<all_types>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = out.ndim - 1;
        const auto run = [&](const auto& at) {
            const T* row = x.as<const T>() + at[1];
            const int64_t* places = index.as<const int64_t>() + at[2];
            T* to = out.as<T>() + at[0];
            for (int64_t k = 0; k < out.shape[last]; ++k)
                to[k * out.strides[last]] =
                    row[inside(places[k * index.strides[last]], x.shape[last]) * x.strides[last]];
        };
        each_row(run, out, x, index);
    });
}

// x, with values[..., k] added at [..., index[..., k]], in the order of k.
void scatter_add(View x, View index, View values, Out out) {
    require(index.shape[index.ndim - 1] == values.shape[values.ndim - 1] &&
                x.shape[x.ndim - 1] == out.shape[out.ndim - 1],
            "the sizes do not fit");
    with_type<numbers>(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const int last = out.ndim - 1;
        const auto run = [&](const auto& at) {
            const T* row = x.as<const T>() + at[1];
            const int64_t* places = index.as<const int64_t>() + at[2];
            const T* parts = values.as<const T>() + at[3];
            T* to = out.as<T>() + at[0];
            for (int64_t i = 0; i < out.shape[last]; ++i)
                to[i * out.strides[last]] = row[i * x.strides[last]];
            for (int64_t k = 0; k < values.shape[last]; ++k)
                to[inside(places[k * index.strides[last]], out.shape[last]) * out.strides[last]] +=
                    parts[k * values.strides[last]];
        };
        each_row(run, out, x, index, values);
    });
}

const Register<op::take> of_take("cpp", 1, all_types, take);
const Register<op::index_add> of_index_add("cpp", 1, numbers, index_add);
const Register<op::gather> of_gather("cpp", 1, all_types, gather);
const Register<op::scatter_add> of_scatter_add("cpp", 1, numbers, scatter_add);

}  // namespace
