#include "minigrad/build_info.h"

#include "build_config.h"

namespace minigrad {

BuildInfo build_info() {
    return {
        .version = MINIGRAD_VERSION,
#if defined(__clang__)
        .compiler = "clang " __clang_version__,
#elif defined(__GNUC__)
        .compiler = "gcc " __VERSION__,
#else
        .compiler = "unknown",
#endif
        .flags = MINIGRAD_FLAGS,
        .build_type = MINIGRAD_BUILD_TYPE,
        .standard = std::to_string(__cplusplus),
#if defined(__x86_64__)
        .arch = "x86_64",
#elif defined(__aarch64__)
        .arch = "aarch64",
#else
        .arch = "other",
#endif
    };
}

}  // namespace minigrad
