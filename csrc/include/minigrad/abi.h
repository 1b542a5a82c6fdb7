// The border between the framework and a library of kernels, in plain C types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "minigrad/view.h"

namespace minigrad {

// A library that was built for another border is not called.
constexpr int abi_version = 2;

// What a kernel is called with, one after the other: views, then numbers.
union Argument {
    const View* view;
    const Views* views;
    double number;
    std::int64_t integer;
};

// How a call ended. In all but the first case, words say why.
enum Ending : int { ran = 0, still_open = 1, bad_input = 2, no_memory = 3, failed = 4 };

using Run = int (*)(void (*kernel)(), const Argument* given, char* words,
                    std::size_t room) noexcept;

// A kernel: run(kernel, ...) calls it.
struct Entry {
    const char* op;
    const char* backend;
    int step;
    unsigned types;
    Run run;
    void (*kernel)();
};

struct Listing {
    int abi;
    std::size_t count;
    const Entry* entries;
};

}  // namespace minigrad
