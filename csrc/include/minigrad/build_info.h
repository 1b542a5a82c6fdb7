// How the native code was built, for `minigrad doctor` and for reports of a benchmark.
#pragma once

#include <string>

namespace minigrad {

struct BuildInfo {
    std::string version;     // of minigrad, "0.1.0"
    std::string compiler;    // name and version
    std::string flags;       // beyond the language standard and warnings
    std::string build_type;  // "Release"
    std::string standard;    // value of __cplusplus
    std::string arch;        // "x86_64", "aarch64" or "other"
};

BuildInfo build_info();

}  // namespace minigrad
