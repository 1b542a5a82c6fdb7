#include "minigrad/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include <cstdint>

namespace minigrad {
namespace {

#if defined(__x86_64__)

struct Leaf {
    std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// All zeros for a leaf that this processor does not have.
Leaf leaf(std::uint32_t number, std::uint32_t sub = 0) {
    Leaf l;
    __get_cpuid_count(number, sub, &l.eax, &l.ebx, &l.ecx, &l.edx);
    return l;
}

bool bit(std::uint64_t word, int index) { return (word >> index) & 1; }

// The register files that the operating system saves at a switch of threads. Written as an
// instruction: the intrinsic would need this file to be compiled with -mxsave.
std::uint64_t saved_registers() {
    std::uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (std::uint64_t{high} << 32) | low;
}

// Bits: Intel, Software Developer's Manual, volume 2A, CPUID, and volume 1, section 13.1 (XCR0).
CpuFeatures detect() {
    const Leaf basic = leaf(1);
    const Leaf extended = leaf(7, 0);
    const Leaf more = leaf(7, 1);
    const bool has_xgetbv = bit(basic.ecx, 27);
    const std::uint64_t saved = has_xgetbv ? saved_registers() : 0;
    const bool ymm = (saved & 0x6) == 0x6;
    const bool zmm = ymm && (saved & 0xe0) == 0xe0;
    const bool tiles = (saved & 0x60000) == 0x60000;

    CpuFeatures f;
    f.sse4_2 = bit(basic.ecx, 20);
    f.avx = ymm && bit(basic.ecx, 28);
    f.fma = ymm && bit(basic.ecx, 12);
    f.f16c = ymm && bit(basic.ecx, 29);
    f.avx2 = ymm && bit(extended.ebx, 5);
    f.avx512f = zmm && bit(extended.ebx, 16);
    f.avx512dq = zmm && bit(extended.ebx, 17);
    f.avx512bw = zmm && bit(extended.ebx, 30);
    f.avx512vl = zmm && bit(extended.ebx, 31);
    f.avx512_vnni = zmm && bit(extended.ecx, 11);
    f.avx512_bf16 = zmm && bit(more.eax, 5);
    f.amx_bf16 = tiles && bit(extended.edx, 22);
    f.amx_tile = tiles && bit(extended.edx, 24);
    f.amx_int8 = tiles && bit(extended.edx, 25);
    return f;
}

#elif defined(__aarch64__)

CpuFeatures detect() {
    CpuFeatures f;
#if defined(__linux__)
    const unsigned long capabilities = getauxval(AT_HWCAP);
    f.neon = (capabilities & HWCAP_ASIMD) != 0;
    f.sve = (capabilities & HWCAP_SVE) != 0;
#else
    f.neon = true;  // every 64-bit ARM outside the kernel's own world has it
#endif
    return f;
}

#else

CpuFeatures detect() { return {}; }

#endif

}  // namespace

const CpuFeatures& cpu_features() {
    static const CpuFeatures found = detect();
    return found;
}

}  // namespace minigrad
