// All that a file of kernels needs:
//
//     #include "minigrad/kernel.h"
//
//     namespace {
//     using namespace minigrad;
//
//     void add(View x, View y, Out out) { ... }
//
//     const Register<op::add> entry("cpp", 1, floats, add);
//     }
//
// Such a file is compiled alone into a library of its own, which is opened beside the others.
#pragma once

#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "minigrad/abi.h"
#include "minigrad/view.h"

namespace minigrad {

// op::add and so on: a type for each line of ops.def, with the type of its kernels.
namespace op {
using std::int64_t;  // one of the ops is called std
#define MG_OP(op_name, signature)                     \
    struct op_name {                                  \
        static constexpr const char* name = #op_name; \
        using Kernel = void signature;                \
    };
#include "minigrad/ops.def"
#undef MG_OP
}  // namespace op

// What the start body of an exercise does.
struct Todo {
    const char* exercise;
};
#define MG_TODO(exercise) \
    throw minigrad::Todo { exercise }

// Bytes in a register of the instruction set that this file is compiled for.
#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

// Which types of numbers a kernel takes, as a set of bits; its first view decides.
constexpr unsigned set_of(DType dtype) { return 1u << static_cast<int>(dtype); }
constexpr unsigned floats = set_of(DType::float32) | set_of(DType::float64);
constexpr unsigned numbers = floats | set_of(DType::int64);
constexpr unsigned all_types = numbers | set_of(DType::bool_);

// Calls f with a value of the type that a dtype stands for: with_type(x.dtype, [&](auto zero) {
// using T = decltype(zero); ... }). Raises for types outside `Types`.
template <unsigned Types, class F>
void with_type(DType dtype, F&& f) {
    if constexpr ((Types & set_of(DType::float32)) != 0) {
        if (dtype == DType::float32) return f(float{});
    }
    if constexpr ((Types & set_of(DType::float64)) != 0) {
        if (dtype == DType::float64) return f(double{});
    }
    if constexpr ((Types & set_of(DType::int64)) != 0) {
        if (dtype == DType::int64) return f(std::int64_t{});
    }
    if constexpr ((Types & set_of(DType::bool_)) != 0) {
        if (dtype == DType::bool_) return f(bool{});
    }
    throw std::invalid_argument("this kernel does not take numbers of this type");
}

// Memory for what a kernel needs in between: at least `bytes`, at an address that 64 divides. It
// belongs to the thread, and the next call hands out the same again; so take all at once.
inline void* scratch(std::size_t bytes) {
    struct Room {
        void* start = nullptr;
        std::size_t bytes = 0;
        ~Room() { std::free(start); }
    };
    static thread_local Room room;
    if (room.bytes < bytes) {
        std::free(room.start);
        room = {nullptr, 0};
        const std::size_t whole = (bytes + 63) / 64 * 64;
        room.start = std::aligned_alloc(64, whole);
        if (room.start == nullptr) throw std::bad_alloc();
        room.bytes = whole;
    }
    return room.start;
}

// The kernels of this library, in the order in which they were entered.
inline std::vector<Entry>& entries() {
    static std::vector<Entry> all;
    return all;
}

namespace detail {

// One argument, as the type that the kernel declares for it.
template <class T>
T argument(const Argument& given) {
    if constexpr (std::is_same_v<T, View>) {
        return *given.view;
    } else if constexpr (std::is_same_v<T, Out>) {
        return Out{*given.view};
    } else if constexpr (std::is_same_v<T, Views>) {
        return *given.views;
    } else if constexpr (std::is_same_v<T, Outs>) {
        return Outs{*given.views};
    } else if constexpr (std::is_same_v<T, double>) {
        return given.number;
    } else {
        static_assert(std::is_same_v<T, std::int64_t>,
                      "ops.def: View(s), Out(s), double or int64_t");
        return given.integer;
    }
}

template <class... T, std::size_t... I>
void apply(void (*kernel)(T...), const Argument* given, std::index_sequence<I...>) {
    kernel(argument<T>(given[I])...);
}

template <class... T>
void apply(void (*kernel)(T...), const Argument* given) {
    apply(kernel, given, std::index_sequence_for<T...>());
}

// Nothing is thrown across the border of a library: what happened goes out as a number and words.
template <class Op>
int run(void (*erased)(), const Argument* given, char* words, std::size_t room) noexcept {
    const auto say = [&](const char* text) {
        std::size_t end = 0;
        for (; text[end] != '\0' && end + 1 < room; ++end) words[end] = text[end];
        words[end] = '\0';
    };
    try {
        apply(reinterpret_cast<typename Op::Kernel*>(erased), given);
        return ran;
    } catch (const Todo& todo) {
        say(todo.exercise);
        return still_open;
    } catch (const std::invalid_argument& error) {
        say(error.what());
        return bad_input;
    } catch (const std::bad_alloc&) {
        say("no memory for what is needed in between");
        return no_memory;
    } catch (const std::exception& error) {
        say(error.what());
        return failed;
    } catch (...) {
        say("something was thrown that is no std::exception");
        return failed;
    }
}

}  // namespace detail

// Enters a kernel into the table of its library, which the framework's table takes it from.
template <class Op>
struct Register {
    Register(const char* backend, int step, unsigned types, typename Op::Kernel* kernel) {
        entries().push_back({Op::name, backend, step, types, &detail::run<Op>,
                             reinterpret_cast<void (*)()>(kernel)});
    }
};

}  // namespace minigrad

// What the framework asks a library for. Weak: several files may be linked into one.
extern "C" __attribute__((visibility("default"), weak)) minigrad::Listing minigrad_kernels() {
    return {minigrad::abi_version, minigrad::entries().size(), minigrad::entries().data()};
}
