// Uses libminigrad_core as a C++ program would, without any Python: prints what it detected.
#include <cstdio>

#include "minigrad/build_info.h"
#include "minigrad/cpu_features.h"

int main() {
    std::printf("version %s\n", minigrad::build_info().version.c_str());
    minigrad::for_each_feature(minigrad::cpu_features(), [](const char* name, bool value) {
        std::printf("%s %d\n", name, value ? 1 : 0);
    });
}
