// Hides instruction sets of x86 from a process that preloads it, and from the processes that it starts.
//
// Linux can have the CPUID instruction raise SIGSEGV (arch_prctl(2), ARCH_SET_CPUID). The handler here executes it in
// the program's place and clears the bits of what VERBATIM_CPUID_MASK does not name. Whoever asks the processor, every
// library and the compiler, is given the same answer. The C library itself has asked before this is loaded. Instructions
// that are hidden still run; so this shows what is chosen and computed, not that nothing else is executed.

#include <asm/prctl.h>
#include <cpuid.h>
#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef ARCH_SET_CPUID
#define ARCH_SET_CPUID 0x1012
#endif

namespace {

constexpr uint32_t bits() { return 0; }
template <typename... Others>
constexpr uint32_t bits(int first, Others... others) {
    return (uint32_t{1} << first) | bits(others...);
}

// What is cleared, by leaf and register (Intel's manual, volume 2A, CPUID; AMD's, volume 3, appendix E).
struct Hidden {
    uint32_t leaf_1_ecx = 0, leaf_7_ebx = 0, leaf_7_ecx = 0, leaf_7_edx = 0, leaf_7_1_eax = 0, leaf_7_1_edx = 0, extended_ecx = 0;
};

Hidden hidden;
struct sigaction followed;  // what the program has asked for: faults that are its own go there

using Sigaction = int (*)(int, const struct sigaction*, struct sigaction*);

Sigaction next_sigaction() {
    static const auto next = reinterpret_cast<Sigaction>(dlsym(RTLD_NEXT, "sigaction"));
    return next;
}

long let_cpuid_fault(bool does) { return syscall(SYS_arch_prctl, ARCH_SET_CPUID, does ? 0L : 1L); }

// Returns whether the name is known.
bool hide_above(const char* name) {
    static const char* const kNames[] = {"sse4_2", "avx2", "avx2_vnni", "avx512", "avx512_vnni", "avx512_bf16"};
    int level = 0;
    while (level < 6 && std::strcmp(name, kNames[level]) != 0) ++level;
    if (level == 6) return false;
    // AMX, AVX10 and all of leaf 7.1 but AVX512_BF16, and AVX-VNNI where it is the last set
    hidden.leaf_7_edx |= bits(22, 24, 25);
    hidden.leaf_7_1_eax = ~(level == 5 ? bits(5) : level == 2 ? bits(4) : 0);
    hidden.leaf_7_1_edx = ~uint32_t{0};
    // FP16
    if (level < 5) hidden.leaf_7_edx |= bits(23);
    // VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ; 4VNNIW, 4FMAPS, VP2INTERSECT
    if (level < 4) hidden.leaf_7_ecx |= bits(1, 6, 11, 12, 14), hidden.leaf_7_edx |= bits(2, 3, 8);
    // F, DQ, IFMA, PF, ER, CD, BW, VL
    if (level < 3) hidden.leaf_7_ebx |= bits(16, 17, 21, 26, 27, 28, 30, 31);
    if (level < 1) {
        hidden.leaf_1_ecx |= bits(12, 28, 29);  // FMA, AVX, F16C
        hidden.leaf_7_ebx |= bits(3, 5, 8);     // BMI1, AVX2, BMI2
        hidden.leaf_7_ecx |= bits(9, 10);       // VAES, VPCLMULQDQ
        hidden.extended_ecx |= bits(11, 16);    // XOP, FMA4
    }
    return true;
}

void answer(greg_t* registers) {
    const auto leaf = static_cast<uint32_t>(registers[REG_RAX]), part = static_cast<uint32_t>(registers[REG_RCX]);
    uint32_t eax, ebx, ecx, edx;
    let_cpuid_fault(false);
    __cpuid_count(leaf, part, eax, ebx, ecx, edx);
    let_cpuid_fault(true);
    if (leaf == 1) ecx &= ~hidden.leaf_1_ecx;
    if (leaf == 7 && part == 0) ebx &= ~hidden.leaf_7_ebx, ecx &= ~hidden.leaf_7_ecx, edx &= ~hidden.leaf_7_edx;
    if (leaf == 7 && part == 1) eax &= ~hidden.leaf_7_1_eax, edx &= ~hidden.leaf_7_1_edx;
    if (leaf == 0x80000001) ecx &= ~hidden.extended_ecx;
    registers[REG_RAX] = eax;
    registers[REG_RBX] = ebx;
    registers[REG_RCX] = ecx;
    registers[REG_RDX] = edx;
    registers[REG_RIP] += 2;
}

void handle(int signal, siginfo_t* info, void* context) {
    auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    // A fault of CPUID comes from the kernel, and names no address; then there is code to be read at RIP.
    if (info->si_code == SI_KERNEL) {
        const auto* code = reinterpret_cast<const uint8_t*>(registers[REG_RIP]);
        if (code[0] == 0x0f && code[1] == 0xa2) return answer(registers);
    }
    if (followed.sa_flags & SA_SIGINFO) return followed.sa_sigaction(signal, info, context);
    if (followed.sa_handler != SIG_DFL && followed.sa_handler != SIG_IGN) return followed.sa_handler(signal);
    struct sigaction fatal {};
    fatal.sa_handler = SIG_DFL;
    next_sigaction()(signal, &fatal, nullptr);  // on return the instruction faults again
}

[[noreturn]] void fail(const char* reason) {
    std::fprintf(stderr, "VERBATIM_CPUID_MASK: %s\n", reason);
    _exit(3);
}

__attribute__((constructor)) void start() {
    const char* name = std::getenv("VERBATIM_CPUID_MASK");
    if (!name || !*name) return;
    if (!hide_above(name)) fail("no such set of instructions");
    struct sigaction ours {};
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    if (next_sigaction()(SIGSEGV, &ours, &followed)) fail("SIGSEGV cannot be handled");
    if (let_cpuid_fault(true)) fail("CPUID cannot be made to fault here");
}

}  // namespace

// Others may handle SIGSEGV too (faulthandler and compilers do): their handlers come after ours.
extern "C" int sigaction(int number, const struct sigaction* wanted, struct sigaction* before) {
    if (number != SIGSEGV) return next_sigaction()(number, wanted, before);
    if (before) *before = followed;
    if (wanted) followed = *wanted;
    return 0;
}

extern "C" sighandler_t signal(int number, sighandler_t handler) {
    struct sigaction wanted {}, before {};
    wanted.sa_handler = handler;
    wanted.sa_flags = SA_RESTART;
    return sigaction(number, &wanted, &before) ? SIG_ERR : before.sa_handler;
}
