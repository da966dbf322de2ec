// Products of a few rows with 32 channels of weights, in registers of 512 bits; for int8_linear.cpp.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "common/fetch_ahead.h"
#include "linear/int8_rows.h"
#include "linear/int8_weight.h"
#include "common/storage.h"

constexpr int64_t kQuadBytes = kChannels * kQuad;
// 24 sums, two registers of weights and some of activations: all 32.
constexpr int kMostRows = 12;

// What becomes of the sums of a panel's channels. bias: null where there is none.
struct Channels {
    const float *scales, *bias;
    int64_t num;
};

inline void store_some(__m512 values, __mmask16 mask, float* place) { _mm512_mask_storeu_ps(place, mask, values); }

// Rounds to nearest even; a NaN stays one.
inline void store_some(__m512 values, __mmask16 mask, Bfloat16* place) {
    const __m512i bits = _mm512_castps_si512(values);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    const __mmask16 is_nan = _mm512_cmp_ps_mask(values, values, _CMP_UNORD_Q);
    const __m512i kept = _mm512_mask_or_epi32(rounded, is_nan, bits, _mm512_set1_epi32(0x400000));
    _mm256_mask_storeu_epi16(place, mask, _mm512_cvtepi32_epi16(_mm512_srli_epi32(kept, 16)));
}

// Adds the products of unsigned and signed bytes, four at a time. g++ 12 keeps sums in memory when it is given
// the intrinsic in a loop over rows, which halves the speed.
inline void add_products(__m512i& sums, __m512i weights, __m512i inputs) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(weights), "v"(inputs));
}

// panel: [num_quads, 32, 4]
template <int kRows>
inline void sum_products(const uint8_t* panel, int64_t num_quads, FetchAhead ahead, const int8_t* rows, int64_t stride,
                         __m512i (&sums)[kRows][2]) {
    for (int64_t quad = 0; quad < num_quads; ++quad, panel += kQuadBytes, rows += kQuad) {
        ahead.fetch();
        const __m512i left = _mm512_loadu_si512(panel), right = _mm512_loadu_si512(panel + 64);
#pragma GCC unroll 12
        for (int row = 0; row < kRows; ++row) {
            int32_t four;
            std::memcpy(&four, rows + row * stride, sizeof four);
            const __m512i inputs = _mm512_set1_epi32(four);
            add_products(sums[row][0], left, inputs);
            add_products(sums[row][1], right, inputs);
        }
    }
}

// Writes up to 32 channels of kRows rows from `first` on. output: where the first of them goes.
template <typename T, int kRows>
void multiply_rows(const uint8_t* panel, int64_t num_quads, FetchAhead ahead, const Channels& channels,
                   const Int8Rows& rows, int64_t first, T* output, int64_t output_stride) {
    __m512i sums[kRows][2];
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row)
        sums[row][0] = sums[row][1] = _mm512_set1_epi32(rows.corrections[first + row]);
    sum_products<kRows>(panel, num_quads, ahead, rows.values + first * rows.stride, rows.stride, sums);
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
        const int64_t channel = 16 * half;
        const __mmask16 mask = first_lanes(std::max<int64_t>(channels.num - channel, 0));
        const __m512 scales = _mm512_maskz_loadu_ps(mask, channels.scales + channel);
        const __m512 bias = channels.bias ? _mm512_maskz_loadu_ps(mask, channels.bias + channel) : _mm512_setzero_ps();
#pragma GCC unroll 12
        for (int row = 0; row < kRows; ++row) {
            const __m512 scale = _mm512_set1_ps(rows.scales[first + row]);
            const __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[row][half]), scale);
            store_some(_mm512_fmadd_ps(scaled, scales, bias), mask, output + row * output_stride + channel);
        }
    }
}
