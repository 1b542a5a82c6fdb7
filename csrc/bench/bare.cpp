// A kernel called over and over from C++, without the door: how long `add` takes by itself.
// minigrad/bench/dispatch.py sets it beside the same call through Python.
#include <dlfcn.h>

#include <cstring>

#include "minigrad/abi.h"

using namespace minigrad;

// out = x + y, `count` floats, `repeats` times, on the kernel that a library has under this step.
// Gives 0, or 1 if there is no such library or kernel, or what the kernel itself gives.
extern "C" __attribute__((visibility("default"))) int bare_add(const char* library, int step,
                                                               float* x, float* y, float* out,
                                                               std::int64_t count,
                                                               std::int64_t repeats) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return 1;
    int ending = 1;
    if (const auto list = reinterpret_cast<Listing (*)()>(dlsym(handle, "minigrad_kernels"))) {
        const Listing listing = list();
        for (std::size_t i = 0; listing.abi == abi_version && i < listing.count; ++i) {
            const Entry& entry = listing.entries[i];
            if (std::strcmp(entry.op, "add") != 0 || entry.step != step) continue;
            View views[3];
            Argument given[3];
            float* const data[3] = {x, y, out};
            for (int k = 0; k < 3; ++k) {
                views[k].data = data[k];
                views[k].ndim = 1;
                views[k].shape[0] = count;
                views[k].strides[0] = 1;
                given[k].view = &views[k];
            }
            char words[256];
            ending = ran;
            for (std::int64_t r = 0; r < repeats && ending == ran; ++r) {
                ending = entry.run(entry.kernel, given, words, sizeof words);
            }
        }
    }
    dlclose(handle);
    return ending;
}
