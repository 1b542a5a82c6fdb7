// minigrad._native: the door from Python to the C++ core. Types of its functions:
// minigrad/_native.pyi.
#include <pybind11/pybind11.h>

#include "kernels.h"
#include "minigrad/build_info.h"
#include "minigrad/cpu_features.h"

namespace py = pybind11;

PYBIND11_MODULE(_native, m) {
    m.doc() = "The C++ core of minigrad. Import it through minigrad.native.load().";

    m.def(
        "cpu_features",
        [] {
            py::dict features;
            minigrad::for_each_feature(minigrad::cpu_features(), [&](const char* name, bool value) {
                features[name] = value;
            });
            return features;
        },
        "Which instruction sets this processor and operating system offer, by name.");

    m.def(
        "build_info",
        [] {
            const minigrad::BuildInfo info = minigrad::build_info();
            py::dict entries;
            entries["version"] = info.version;
            entries["compiler"] = info.compiler;
            entries["flags"] = info.flags;
            entries["build_type"] = info.build_type;
            entries["standard"] = info.standard;
            entries["arch"] = info.arch;
            return entries;
        },
        "How this module was built.");

    minigrad::bind_kernels(m);
}
