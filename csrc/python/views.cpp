#include "views.h"

#include <algorithm>
#include <string>

namespace py = pybind11;

namespace minigrad {
namespace {

// From NumPy's own numbers for its types, of which two can be the same 64-bit integer.
DType dtype_of(const py::dtype& type, const std::string& call) {
    const char kind = type.kind();
    const auto size = type.itemsize();
    if (type.byteorder() == '=' || type.byteorder() == '|') {
        if (kind == 'f' && size == 4) return DType::float32;
        if (kind == 'f' && size == 8) return DType::float64;
        if (kind == 'i' && size == 8) return DType::int64;
        if (kind == 'b') return DType::bool_;
        if (kind == 'i' && size == 4) return DType::int32;
        if (kind == 'u' && size == 1) return DType::uint8;
        if (kind == 'f' && size == 2) return DType::float16;
    }
    throw py::type_error(call + ": kernels take no arrays of " +
                         std::string(py::str(static_cast<py::handle>(type))) + ".");
}

struct Span {
    const char *first, *end;  // one behind the last byte
};

Span bytes_of(const View& view, std::int64_t itemsize) {
    std::int64_t low = 0, high = 0;
    for (int axis = 0; axis < view.ndim; ++axis) {
        const std::int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
        (reach < 0 ? low : high) += reach;
    }
    const char* data = static_cast<const char*>(view.data);
    return {data + low * itemsize, data + (high + 1) * itemsize};
}

}  // namespace

std::int64_t itemsize(DType dtype) {
    switch (dtype) {
        case DType::bool_:
        case DType::uint8:
            return 1;
        case DType::float16:
        case DType::bfloat16:
            return 2;
        case DType::int32:
        case DType::float32:
            return 4;
        case DType::int64:
        case DType::float64:
            return 8;
    }
    return 0;
}

View view_of(py::handle given, const char* call) {
    const std::string name = call;
    if (!py::isinstance<py::array>(given)) {
        throw py::type_error(name + ": expected an ndarray, got " +
                             std::string(py::str(py::type::handle_of(given).attr("__name__"))) +
                             ".");
    }
    const auto array = py::reinterpret_borrow<py::array>(given);
    if (array.ndim() > max_rank) {
        throw py::value_error(name + ": an array of " + std::to_string(array.ndim()) +
                              " axes; kernels take " + std::to_string(max_rank) + " at most.");
    }
    View view;
    view.dtype = dtype_of(array.dtype(), name);
    view.data = const_cast<void*>(array.data());
    view.ndim = static_cast<int>(array.ndim());
    const std::int64_t size = array.itemsize();
    bool whole = reinterpret_cast<std::uintptr_t>(view.data) % size == 0;
    for (int axis = 0; axis < view.ndim; ++axis) {
        view.shape[axis] = array.shape(axis);
        view.strides[axis] = array.strides(axis) / size;
        whole = whole && array.strides(axis) % size == 0;
    }
    if (!whole) {
        throw py::value_error(name +
                              ": the elements of an array do not stand at whole multiples of " +
                              std::to_string(size) + " bytes; give a copy of it.");
    }
    return view;
}

bool overlap(const std::vector<View>& views, const std::vector<bool>& written) {
    struct Part {
        Span span;
        bool written;
    };
    std::vector<Part> parts;
    for (std::size_t i = 0; i < views.size(); ++i) {
        if (views[i].size() > 0)
            parts.push_back({bytes_of(views[i], itemsize(views[i].dtype)), written[i]});
    }
    // In the order in which they begin, each meets one before it if that ends behind its beginning.
    std::sort(parts.begin(), parts.end(),
              [](const Part& a, const Part& b) { return a.span.first < b.span.first; });
    const char *end = nullptr, *end_of_written = nullptr;
    for (const Part& part : parts) {
        if (part.span.first < (part.written ? end : end_of_written)) return true;
        end = std::max(end, part.span.end);
        if (part.written) end_of_written = std::max(end_of_written, part.span.end);
    }
    return false;
}

}  // namespace minigrad
