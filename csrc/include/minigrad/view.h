// What a kernel is given of an array: where its numbers are, of what type, and how to walk to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

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

// The dtype whose numbers are T.
template <class T>
constexpr DType dtype_of() {
    if constexpr (std::is_same_v<T, bool>) return DType::bool_;
    if constexpr (std::is_same_v<T, std::uint8_t>) return DType::uint8;
    if constexpr (std::is_same_v<T, std::int32_t>) return DType::int32;
    if constexpr (std::is_same_v<T, std::int64_t>) return DType::int64;
    if constexpr (std::is_same_v<T, float>) return DType::float32;
    if constexpr (std::is_same_v<T, double>) return DType::float64;
}

// What a kernel takes for granted of its views, said where it counts on it: words for whoever calls
// it with others.
inline void require(bool holds, const char* words) {
    if (!holds) throw std::invalid_argument(words);
}

// Element (i, j, ...) stands at data[i * strides[0] + j * strides[1] + ...]. Strides count
// elements; they may be 0 (one element repeated) or negative (walked backwards).
struct View {
    void* data = nullptr;
    DType dtype = DType::float32;
    std::int32_t ndim = 0;
    std::int64_t shape[max_rank] = {};
    std::int64_t strides[max_rank] = {};

    // The first element, as what it is. Raises for another type.
    template <class T>
    T* as() const {
        require(dtype == dtype_of<std::remove_const_t<T>>(),
                "views of dtypes that do not go together");
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

// Several views: the gradients of all parameters, say. They need not have one shape.
struct Views {
    const View* first = nullptr;
    std::int64_t count = 0;

    const View& operator[](std::int64_t i) const { return first[i]; }
};

// Several views that a kernel brings up to date: it may read them too.
struct Outs : Views {};

}  // namespace minigrad
