// Sums of products of a group of inputs with weights of 4, 5, 6 or 8 bits, as whole numbers: exact on every target.
//
// Weights are unsigned in memory: of 4 to 6 bits from 0 on, their low halves two in a byte, and of 8 bits 128 more than they
// are. So VNNI takes them, and a sum begins with what takes the middle off. Without VNNI two products of 4 bits are added in
// 16 bits, which hold the sums of a chunk of 32 inputs: 8 * 2 * 15 * 127 = 30,480. Two of 6 bits are 16,002 at most, and four
// are added in 32 bits. Weights of 8 bits are multiplied there as common/byte_products.h has it.
#pragma once

#include <cstdint>

#include "common/byte_products.h"
#include "common/lanes.h"
#include "linear/panels.h"

using UnsignedBytes = uint8_t __attribute__((vector_size(4 * VERBATIM_LANES)));
using UnsignedShorts = uint16_t __attribute__((vector_size(4 * VERBATIM_LANES)));

// Inputs whose products 16 bits hold, and those of the smallest groups.
constexpr int64_t kChunk = 32, kLeastGroup = 16;

constexpr int64_t kQuadInputs = 4, kVectorBytes = kPanelOutputs * kQuadInputs;

// Each byte of a vector moved down by some bits, or up if there are fewer than none. What comes from its neighbour is to be
// masked.
inline UnsignedBytes moved_down(UnsignedBytes bytes, int64_t bits) {
#if defined(__aarch64__)
    return bits < 0 ? bytes << -bits : bytes >> bits;
#else
    const UnsignedShorts shorts = (UnsignedShorts)bytes;  // x86 moves no bytes
    return (UnsignedBytes)(bits < 0 ? shorts << -bits : shorts >> bits);
#endif
}

// Adds the four products of each lane of unsigned weights, of 6 bits at most unless there is VNNI, with signed inputs.
inline void add_unsigned_products(Integers& sums, UnsignedBytes weights, Bytes inputs) {
#ifdef VERBATIM_VNNI
    __asm__(VERBATIM_VNNI " %2, %1, %0" : "+v"(sums) : "v"(weights), "v"(inputs));
#elif defined(__SSSE3__) && VERBATIM_LANES > 4
    Shorts products;
    __asm__("vpmaddubsw %[inputs], %[weights], %[products]\n\t"
            "vpmaddwd %[ones], %[products], %[products]\n\t"
            "vpaddd %[products], %[sums], %[sums]"
            : [sums] "+v"(sums), [products] "=&v"(products)
            : [inputs] "v"(inputs), [weights] "v"(weights), [ones] "v"(Shorts{} + 1));
#elif defined(__SSSE3__)
    sums += (Integers)_mm_madd_epi16(_mm_maddubs_epi16((__m128i)weights, (__m128i)inputs), _mm_set1_epi16(1));
    __asm__("" : "+x"(sums));
#elif defined(__ARM_FEATURE_DOTPROD)
    sums = (Integers)vdotq_s32((int32x4_t)sums, (int8x16_t)weights, (int8x16_t)inputs);
#elif defined(__aarch64__)
    const int8x16_t values = (int8x16_t)weights;
    const int16x8_t low = vmull_s8(vget_low_s8(values), vget_low_s8((int8x16_t)inputs));
    sums = (Integers)vpadalq_s16((int32x4_t)sums, vpaddq_s16(low, vmull_high_s8(values, (int8x16_t)inputs)));
#else
    for (int64_t i = 0; i < 4 * kNumLanes; ++i) sums[i / 4] += weights[i] * inputs[i];
#endif
}

// Sums begin with a number, which is added by begin() or total(), as is cheaper. kHoldGroup: whether they hold those of a
// group of any size; others hold those of a chunk.

// Weights of 4 bits: a vector in memory has those of one quad of inputs in its low halves, and those of the next in its
// high ones.
struct FourBits {
    static constexpr int64_t kVectorsOfStep = 1, kQuadsOfStep = 2, kBits = 4;
    static constexpr int32_t kMiddle = 8;  // of weights without mins
    using Weights = UnsignedBytes;

    static Weights load(const uint8_t* place, int64_t quad) {
        const UnsignedBytes both = load_vector<UnsignedBytes>(place);
        return (quad ? moved_down(both, 4) : both) & 15;
    }

#if defined(VERBATIM_VNNI) || defined(__ARM_FEATURE_DOTPROD)
    static constexpr int kRegistersOfSum = 1, kSpare = 3;
    static constexpr bool kHoldGroup = true;
    using Sums = Integers;

    static void add(Sums& sums, const Weights& weights, Bytes inputs) { add_unsigned_products(sums, weights, inputs); }

    static Sums begin(int32_t number) { return number - Sums{}; }
    static Integers total(const Sums& sums, Integers) { return sums; }
#elif defined(__SSSE3__)
    static constexpr int kRegistersOfSum = 1, kSpare = 4;
    static constexpr bool kHoldGroup = false;
    using Sums = Shorts;

    static void add(Sums& sums, const Weights& weights, Bytes inputs) {
        Shorts products;
#if VERBATIM_LANES > 4
        __asm__("vpmaddubsw %[inputs], %[weights], %[products]\n\t"
                "vpaddw %[products], %[sums], %[sums]"
                : [sums] "+v"(sums), [products] "=&v"(products)
                : [inputs] "v"(inputs), [weights] "v"(weights));
#else
        products = (Shorts)_mm_maddubs_epi16((__m128i)weights, (__m128i)inputs);
        sums += products;
        __asm__("" : "+x"(sums));
#endif
    }

    static Sums begin(int32_t) { return Sums{}; }

    static Integers total(const Sums& sums, Integers begun) {
#if VERBATIM_LANES == 16
        return (Integers)_mm512_madd_epi16((__m512i)sums, _mm512_set1_epi16(1)) + begun;
#elif VERBATIM_LANES == 8
        return (Integers)_mm256_madd_epi16((__m256i)sums, _mm256_set1_epi16(1)) + begun;
#else
        return (Integers)_mm_madd_epi16((__m128i)sums, _mm_set1_epi16(1)) + begun;
#endif
    }
#elif defined(__aarch64__)
    static constexpr int kRegistersOfSum = 2, kSpare = 3;
    static constexpr bool kHoldGroup = false;
    struct Sums {
        int16x8_t low, high;
    };

    static void add(Sums& sums, const Weights& weights, Bytes inputs) {
        const int8x16_t values = (int8x16_t)weights;
        sums.low = vmlal_s8(sums.low, vget_low_s8(values), vget_low_s8((int8x16_t)inputs));
        sums.high = vmlal_high_s8(sums.high, values, (int8x16_t)inputs);
    }

    static Sums begin(int32_t) { return {vdupq_n_s16(0), vdupq_n_s16(0)}; }

    static Integers total(const Sums& sums, Integers begun) {
        return (Integers)vpaddlq_s16(vpaddq_s16(sums.low, sums.high)) + begun;
    }
#else
    static constexpr int kRegistersOfSum = 1, kSpare = 3;
    static constexpr bool kHoldGroup = true;
    using Sums = Integers;

    static void add(Sums& sums, const Weights& weights, Bytes inputs) { add_unsigned_products(sums, weights, inputs); }

    static Sums begin(int32_t number) { return number - Sums{}; }
    static Integers total(const Sums& sums, Integers) { return sums; }
#endif
};

// Weights of 5 or 6 bits: of each step of 8 or 4 quads the low halves, as those of 4 bits, and behind them one vector of the
// high bits, in each byte those of the first quad lowest.
template <int kHighBits>
struct MoreBits {
    static constexpr int64_t kQuadsOfStep = 8 / kHighBits, kVectorsOfStep = kQuadsOfStep / 2 + 1, kBits = 4 + kHighBits;
    static constexpr int kRegistersOfSum = 1;
    static constexpr bool kHoldGroup = true;
#if defined(VERBATIM_VNNI) || defined(__aarch64__)
    static constexpr int kSpare = 4;
#else
    static constexpr int kSpare = 6;
#endif
    using Weights = UnsignedBytes;
    using Sums = Integers;

    static Weights load(const uint8_t* place, int64_t quad) {
        const UnsignedBytes low = FourBits::load(place + quad / 2 * kVectorBytes, quad % 2);
        const UnsignedBytes high = load_vector<UnsignedBytes>(place + kQuadsOfStep / 2 * kVectorBytes);
        return low | (moved_down(high, quad * kHighBits - 4) & static_cast<uint8_t>((1 << kBits) - 16));
    }

    static void add(Sums& sums, const Weights& weights, Bytes inputs) { add_unsigned_products(sums, weights, inputs); }
    static Sums begin(int32_t number) { return number - Sums{}; }
    static Integers total(const Sums& sums, Integers) { return sums; }
};

using FiveBits = MoreBits<1>;
using SixBits = MoreBits<2>;

// Weights of 8 bits.
struct EightBits {
    static constexpr int64_t kVectorsOfStep = 1, kQuadsOfStep = 1, kBits = 8;
    static constexpr int kRegistersOfSum = 1;
    static constexpr bool kHoldGroup = true;
    using Sums = Integers;

    static Sums begin(int32_t number) { return number - Sums{}; }
    static Integers total(const Sums& sums, Integers) { return sums; }

#ifdef VERBATIM_VNNI
    static constexpr int32_t kAdded = 128;  // to each weight as it is multiplied
    static constexpr int kSpare = 3;
    using Weights = UnsignedBytes;

    static Weights load(const uint8_t* place, int64_t) { return load_vector<UnsignedBytes>(place); }

    static void add(Sums& sums, const Weights& weights, Bytes inputs) { add_unsigned_products(sums, weights, inputs); }
#else
    static constexpr int32_t kAdded = 0;
    static constexpr int kSpare = 4 + kWeightRegisters;
    using Weights = Quads;

    static Weights load(const uint8_t* place, int64_t) {
        return quads_of((Bytes)(load_vector<UnsignedBytes>(place) ^ 128));
    }

    static void add(Sums& sums, const Weights& weights, Bytes inputs) { add_products(sums, weights, inputs); }
#endif
};
