// Which instruction sets this machine's processor and operating system offer, found out at run
// time: kernels are compiled for several of them, and the best that runs here is taken.
#pragma once

namespace minigrad {

// A set that widens the registers counts only if the operating system saves those registers.
struct CpuFeatures {
    bool sse4_2 = false;
    bool avx = false;
    bool avx2 = false;
    bool fma = false;
    bool f16c = false;
    bool avx512f = false;
    bool avx512bw = false;
    bool avx512dq = false;
    bool avx512vl = false;
    bool avx512_bf16 = false;
    bool avx512_vnni = false;
    bool amx_tile = false;
    bool amx_int8 = false;
    bool amx_bf16 = false;
    bool neon = false;
    bool sve = false;
};

// Detected once, on the first call.
const CpuFeatures& cpu_features();

// Calls visit(name, value) for each feature, under the names of Linux's /proc/cpuinfo where it has
// one.
template <class Visit>
void for_each_feature(const CpuFeatures& f, Visit&& visit) {
    visit("sse4_2", f.sse4_2);
    visit("avx", f.avx);
    visit("avx2", f.avx2);
    visit("fma", f.fma);
    visit("f16c", f.f16c);
    visit("avx512f", f.avx512f);
    visit("avx512bw", f.avx512bw);
    visit("avx512dq", f.avx512dq);
    visit("avx512vl", f.avx512vl);
    visit("avx512_bf16", f.avx512_bf16);
    visit("avx512_vnni", f.avx512_vnni);
    visit("amx_tile", f.amx_tile);
    visit("amx_int8", f.amx_int8);
    visit("amx_bf16", f.amx_bf16);
    visit("neon", f.neon);
    visit("sve", f.sve);
}

}  // namespace minigrad
