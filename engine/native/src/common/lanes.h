// Vectors of float32 whose width is that of the target's registers: 16 lanes with AVX-512, 8 with AVX2, else 4 (NEON,
// SSE, and whatever the compiler makes of it elsewhere).
//
// They are vectors of the compiler (g++ and clang), so arithmetic, comparison and ?: are written with operators.
// Functions below do the rest. Intrinsics appear only where compilers find no good instructions by themselves.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include "common/storage.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define VERBATIM_LANES 16
#elif defined(__AVX2__) && defined(__FMA__)
#define VERBATIM_LANES 8
#else
#define VERBATIM_LANES 4
#endif

constexpr int64_t kNumLanes = VERBATIM_LANES;
#if VERBATIM_LANES == 16 || defined(__aarch64__)
constexpr int kNumRegisters = 32;
#else
constexpr int kNumRegisters = 16;
#endif

using Floats = float __attribute__((vector_size(4 * VERBATIM_LANES)));
using Integers = int32_t __attribute__((vector_size(4 * VERBATIM_LANES)));  // also what a comparison gives: -1 or 0
using Bits = uint32_t __attribute__((vector_size(4 * VERBATIM_LANES)));
using Shorts = int16_t __attribute__((vector_size(4 * VERBATIM_LANES)));
using Halves = uint16_t __attribute__((vector_size(2 * VERBATIM_LANES)));   // numbers of 16 bits, half a register
using FloatsInMemory = float __attribute__((vector_size(4 * VERBATIM_LANES), aligned(4), may_alias));

inline Floats everywhere(float value) { return value - Floats{}; }

// Memory of any alignment.
template <typename Vector>
inline Vector load_vector(const void* source) {
    Vector result;
    std::memcpy(&result, source, sizeof result);
    return result;
}

// g++ 12 converts half a register in two parts when it is left to it.
inline Floats widen(Halves bfloat16) {
#if VERBATIM_LANES == 16
    return (Floats)_mm512_slli_epi32(_mm512_cvtepu16_epi32((__m256i)bfloat16), 16);
#elif VERBATIM_LANES == 8
    return (Floats)_mm256_slli_epi32(_mm256_cvtepu16_epi32((__m128i)bfloat16), 16);
#else
    return (Floats)(__builtin_convertvector(bfloat16, Bits) << 16);
#endif
}

// Of finite numbers. Without instructions, the exponent is moved to its place and scaled; numbers below 2^-14 become
// numbers that float32 holds as such ones, too.
inline Floats widen_float16(Halves float16) {
#if VERBATIM_LANES == 16
    return (Floats)_mm512_cvtph_ps((__m256i)float16);
#elif VERBATIM_LANES == 8 && defined(__F16C__)
    return (Floats)_mm256_cvtph_ps((__m128i)float16);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (Floats)vcvt_f32_f16((float16x4_t)float16);
#else
    const Bits bits = __builtin_convertvector(float16, Bits);
    const Floats magnitude = (Floats)((bits & 0x7fffu) << 13) * everywhere(0x1p112f);
    return (Floats)((Bits)magnitude | (bits & 0x8000u) << 16);
#endif
}

// Rounds to nearest even; a NaN stays one.
inline Halves narrow(Floats values) {
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
    return (Halves)vcvt_bf16_f32((float32x4_t)values);
#else
    const Bits bits = (Bits)values, rounded = bits + ((bits >> 16 & 1u) + 0x7fffu);
    const Bits is_nan = (Bits)(values != values);
    return __builtin_convertvector(((is_nan & (bits | 0x400000u)) | (~is_nan & rounded)) >> 16, Halves);
#endif
}

inline Floats load_lanes_of(const float* source) { return *reinterpret_cast<const FloatsInMemory*>(source); }
inline Floats load_lanes_of(const Bfloat16* source) { return widen(load_vector<Halves>(source)); }
inline Floats load_lanes_of(const Float16* source) { return widen_float16(load_vector<Halves>(source)); }

inline void store_lanes(Floats values, float* place) { *reinterpret_cast<FloatsInMemory*>(place) = values; }

inline void store_lanes(Floats values, Bfloat16* place) {
    const Halves halves = narrow(values);
    std::memcpy(place, &halves, sizeof halves);
}

// The first `num` lanes, 0 to kNumLanes; the others are zero. Nothing past them is read.
template <typename T>
inline Floats load_first_lanes(const T* source, int64_t num) {
    if (num >= kNumLanes) return load_lanes_of(source);
    T some[kNumLanes] = {};
    std::memcpy(some, source, static_cast<size_t>(num) * sizeof *some);
    return load_lanes_of(some);
}

// Nothing past the first `num` lanes is written.
template <typename T>
inline void store_first_lanes(Floats values, T* place, int64_t num) {
    if (num >= kNumLanes) return store_lanes(values, place);
    T some[kNumLanes];
    store_lanes(values, some);
    std::memcpy(place, some, static_cast<size_t>(num) * sizeof *some);
}

// Writes numbers as float32.
template <typename T>
inline void widen_numbers(const T* numbers, int64_t num, float* wide) {
    int64_t i = 0;
    for (; i + kNumLanes <= num; i += kNumLanes) store_lanes(load_lanes_of(numbers + i), wide + i);
    for (; i < num; ++i) wide[i] = load(numbers[i]);
}

// Pairs of bfloat16 in a lane each: the first numbers (lower addresses), and the second ones.
inline Floats first_of_pairs(Bits pairs) { return (Floats)(pairs << 16); }
inline Floats second_of_pairs(Bits pairs) { return (Floats)(pairs & 0xffff0000u); }

// a * b + c; rounded once where the target has such an instruction.
inline Floats multiply_add(Floats a, Floats b, Floats c) {
#if VERBATIM_LANES == 16
    return (Floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif VERBATIM_LANES == 8
    return (Floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (Floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}

// sum += a * b, for loops that keep many sums in registers: g++ 12 spills them when it may choose which of the three
// registers an instruction overwrites.
inline void accumulate(Floats& sum, Floats a, Floats b) {
#if VERBATIM_LANES > 4
    __asm__("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
#else
    sum = multiply_add(a, b, sum);
#ifdef __SSE__
    __asm__("" : "+x"(sum));  // else g++ adds some products to one another first, and not the same in every loop
#endif
#endif
}

// As accumulate(), with b in memory, read by the same instruction where the target has such ones.
inline void accumulate_from(Floats& sum, Floats a, const float* b) {
#if VERBATIM_LANES > 4
    __asm__("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "m"(*reinterpret_cast<const FloatsInMemory*>(b)));
#else
    accumulate(sum, a, load_lanes_of(b));
#endif
}

// As accumulate(), with the number at b in all lanes.
inline void accumulate_everywhere(Floats& sum, Floats a, const float* b) {
#if VERBATIM_LANES == 16
    __asm__("vfmadd231ps %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(a), "m"(*b));
#else
    accumulate(sum, a, everywhere(*b));
#endif
}

// The larger of both in each lane; `b` where either is NaN, as MAXPS has it.
inline Floats larger(Floats a, Floats b) {
#if VERBATIM_LANES == 16
    return (Floats)_mm512_max_ps((__m512)a, (__m512)b);
#elif VERBATIM_LANES == 8
    return (Floats)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return a > b ? a : b;
#endif
}

inline Floats magnitude(Floats values) { return (Floats)((Bits)values & 0x7fffffffu); }

inline float sum_lanes(Floats values) {
#if VERBATIM_LANES == 16
    return _mm512_reduce_add_ps((__m512)values);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return vaddvq_f32((float32x4_t)values);
#else
    float lanes[kNumLanes];
    std::memcpy(lanes, &values, sizeof values);
    for (int64_t half = kNumLanes / 2; half > 0; half /= 2)
        for (int64_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    return lanes[0];
#endif
}

// Of lanes that are no NaN.
inline float largest_lane(Floats values) {
#if VERBATIM_LANES == 16
    return _mm512_reduce_max_ps((__m512)values);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return vmaxvq_f32((float32x4_t)values);
#else
    float lanes[kNumLanes];
    std::memcpy(lanes, &values, sizeof values);
    for (int64_t half = kNumLanes / 2; half > 0; half /= 2)
        for (int64_t i = 0; i < half; ++i) lanes[i] = lanes[i] > lanes[i + half] ? lanes[i] : lanes[i + half];
    return lanes[0];
#endif
}

// The lanes of both by turns: their first halves, and their second ones. g++ and clang name it differently.
#if defined(__clang__)
#define VERBATIM_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define VERBATIM_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, Integers{__VA_ARGS__})
#endif

inline void interleave(Floats a, Floats b, Floats& first, Floats& second) {
#if VERBATIM_LANES == 16
    first = VERBATIM_SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    second = VERBATIM_SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#elif VERBATIM_LANES == 8
    first = VERBATIM_SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    second = VERBATIM_SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else
    first = VERBATIM_SHUFFLE(a, b, 0, 4, 1, 5);
    second = VERBATIM_SHUFFLE(a, b, 2, 6, 3, 7);
#endif
}

// Lane j of vector i becomes lane i of vector j.
inline void transpose(Floats (&v)[kNumLanes]) {
    constexpr int kHalf = kNumLanes / 2;
#pragma GCC unroll 4
    for (int width = 1; width < kNumLanes; width *= 2) {
        Floats w[kNumLanes];
#pragma GCC unroll 8
        for (int i = 0; i < kHalf; ++i) interleave(v[i], v[i + kHalf], w[2 * i], w[2 * i + 1]);
#pragma GCC unroll 16
        for (int i = 0; i < kNumLanes; ++i) v[i] = w[i];
    }
}
