// What a kernel is given of an array: where its numbers are, of what type, and how to walk to them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace minigrad {

// The numbers are the same in Python (minigrad/kernels/native.py).
enum class DType : std::int32_t {
    bool_ = 0,
    uint8 = 1,
    int32 = 2,
    int64 = 3,
    float16 = 4,
    bfloat16 = 5,
    float32 = 6,
    float64 = 7,
};

constexpr int max_rank = 8;

// Element (i, j, ...) stands at data[i * strides[0] + j * strides[1] + ...]. Strides count elements;
// they may be 0 (one element repeated) or negative (walked backwards).
struct View {
    void* data = nullptr;
    DType dtype = DType::float32;
    std::int32_t ndim = 0;
    std::int64_t shape[max_rank] = {};
    std::int64_t strides[max_rank] = {};

    template <class T>
    T* as() const {
        return static_cast<T*>(data);
    }

    // How many elements there are.
    std::int64_t size() const {
        std::int64_t count = 1;
        for (int axis = 0; axis < ndim; ++axis) count *= shape[axis];
        return count;
    }
};

// A view that a kernel writes, every element of it; it never shares memory with the others.
struct Out : View {};

}  // namespace minigrad
