// Sums of products of bytes, four to a lane of 32 bits: exact on every target, so the same on all. (Processors of ARM with
// instructions for it take linear/octets.h.)
//
// VNNI multiplies unsigned bytes by signed ones, and so do lesser sets of x86, which add two such products in 16 bits
// first. With VNNI (of 512 bits, or AVX-VNNI's of 256), inputs are kept as 128 more than they are, and sums begin with what takes that off. Without it, a
// weight's sign is moved to the input that it meets: two products are then 2 * 127 * 127 = 32,258 at most, which 16 bits
// hold.
#pragma once

#include <cstdint>

#include "common/lanes.h"

// How the instruction is written: assemblers take the one of AVX-512 where they are not asked for AVX-VNNI's.
#if VERBATIM_LANES == 16 && defined(__AVX512VNNI__)
#define VERBATIM_VNNI "vpdpbusd"
#elif VERBATIM_LANES == 8 && defined(__AVXVNNI__)
#define VERBATIM_VNNI "%{vex%} vpdpbusd"
#endif

using Bytes = int8_t __attribute__((vector_size(4 * VERBATIM_LANES)));

// Added to each input in memory.
#ifdef VERBATIM_VNNI
constexpr int32_t kInputShift = 128;
#else
constexpr int32_t kInputShift = 0;
#endif

// The registers that a vector of weights takes, and those that a loop of products needs beside sums and weights.
#if defined(VERBATIM_VNNI) || defined(__aarch64__)
constexpr int kWeightRegisters = 1, kSpareRegisters = VERBATIM_LANES == 8 ? 2 : 3;
#elif VERBATIM_LANES == 16
constexpr int kWeightRegisters = 1, kSpareRegisters = 4;  // signs are masks
#else
constexpr int kWeightRegisters = 2, kSpareRegisters = VERBATIM_LANES == 8 ? 2 : 3;
#endif

// The weights of four inputs to as many outputs as there are lanes.
struct Quads {
#if defined(VERBATIM_VNNI) || defined(__aarch64__)
    Bytes values;
#elif VERBATIM_LANES == 16
    __m512i magnitudes;
    __mmask64 are_negative;
#else
    Bytes values, magnitudes;
#endif
};

inline Quads quads_of(Bytes values) {
#if defined(VERBATIM_VNNI) || defined(__aarch64__)
    return {values};
#elif VERBATIM_LANES == 16
    return {_mm512_abs_epi8((__m512i)values), _mm512_movepi8_mask((__m512i)values)};
#elif VERBATIM_LANES == 8
    return {values, (Bytes)_mm256_abs_epi8((__m256i)values)};
#elif defined(__SSSE3__)
    return {values, (Bytes)_mm_abs_epi8((__m128i)values)};
#else
    return {values, Bytes{}};
#endif
}

inline Quads load_quads(const int8_t* source) { return quads_of(load_vector<Bytes>(source)); }

// Four inputs in each lane.
inline Bytes quad_everywhere(const int8_t* inputs) {
    int32_t quad;
    std::memcpy(&quad, inputs, sizeof quad);
    return (Bytes)(quad - Integers{});
}

// Adds the four products of each lane. g++ 12 keeps sums in memory when it is given intrinsics in a loop over rows, which
// halves the speed.
inline void add_products(Integers& sums, const Quads& weights, Bytes inputs) {
#ifdef VERBATIM_VNNI
    __asm__(VERBATIM_VNNI " %2, %1, %0" : "+v"(sums) : "v"(inputs), "v"(weights.values));
#elif VERBATIM_LANES == 16
    Bytes products;
    __asm__("vmovdqa64 %[inputs], %[products]\n\t"
            "vpsubb %[inputs], %[zeros], %[products]%{%[are_negative]%}\n\t"
            "vpmaddubsw %[products], %[magnitudes], %[products]\n\t"
            "vpmaddwd %[ones], %[products], %[products]\n\t"
            "vpaddd %[products], %[sums], %[sums]"
            : [sums] "+v"(sums), [products] "=&v"(products)
            : [inputs] "v"(inputs), [zeros] "v"(Bytes{}), [are_negative] "Yk"(weights.are_negative),
              [magnitudes] "v"(weights.magnitudes), [ones] "v"(_mm512_set1_epi16(1)));
#elif VERBATIM_LANES == 8
    Bytes products;
    __asm__("vpsignb %[values], %[inputs], %[products]\n\t"
            "vpmaddubsw %[products], %[magnitudes], %[products]\n\t"
            "vpmaddwd %[ones], %[products], %[products]\n\t"
            "vpaddd %[products], %[sums], %[sums]"
            : [sums] "+x"(sums), [products] "=&x"(products)
            : [inputs] "x"(inputs), [values] "x"(weights.values), [magnitudes] "x"(weights.magnitudes),
              [ones] "xm"(_mm256_set1_epi16(1)));
#elif defined(__SSSE3__)
    const __m128i signed_inputs = _mm_sign_epi8((__m128i)inputs, (__m128i)weights.values);
    const __m128i pairs = _mm_maddubs_epi16((__m128i)weights.magnitudes, signed_inputs);
    sums += (Integers)_mm_madd_epi16(pairs, _mm_set1_epi16(1));
    __asm__("" : "+x"(sums));
#elif defined(__aarch64__)
    const int8x16_t values = (int8x16_t)weights.values;
    const int16x8_t low = vmull_s8(vget_low_s8(values), vget_low_s8((int8x16_t)inputs));
    sums = (Integers)vpadalq_s16((int32x4_t)sums, vpaddq_s16(low, vmull_high_s8(values, (int8x16_t)inputs)));
#else
    for (int64_t i = 0; i < 4 * kNumLanes; ++i) sums[i / 4] += weights.values[i] * inputs[i];
#endif
}

// Rounds to nearest even. The result for a NaN is any number.
inline Integers round_lanes(Floats values) {
#if VERBATIM_LANES == 16
    return (Integers)_mm512_cvtps_epi32((__m512)values);
#elif VERBATIM_LANES == 8
    return (Integers)_mm256_cvtps_epi32((__m256)values);
#elif defined(__SSE2__)
    return (Integers)_mm_cvtps_epi32((__m128)values);
#elif defined(__aarch64__)
    return (Integers)vcvtnq_s32_f32((float32x4_t)values);
#else
    constexpr float kNoFraction = 12582912.0f;  // 1.5 * 2^23: the next number is larger by 1
    Floats shifted = values + everywhere(kNoFraction);
    __asm__("" : "+m"(shifted));
    return (Integers)shifted - (Integers)everywhere(kNoFraction);
#endif
}

// Writes the low byte of each lane.
inline void store_low_bytes(Integers values, int8_t* place) {
#if VERBATIM_LANES == 16
    _mm_storeu_si128(reinterpret_cast<__m128i*>(place), _mm512_cvtepi32_epi8((__m512i)values));
#else
    using Low = int8_t __attribute__((vector_size(VERBATIM_LANES)));
    const Low low = __builtin_convertvector(values, Low);
    std::memcpy(place, &low, sizeof low);
#endif
}

// The same number; the compiler neither fuses nor reorders the operations before and after, so that all targets round
// alike.
inline Floats as_rounded(Floats value) {
#if defined(__x86_64__)
    __asm__("" : "+v"(value));
#elif defined(__aarch64__)
    __asm__("" : "+w"(value));
#else
    __asm__("" : "+m"(value));
#endif
    return value;
}
