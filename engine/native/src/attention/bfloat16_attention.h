// One row's attention in bfloat16, by vdpbf16ps: scores of sixteen keys at a time, their weights, and sums of values.
//
// Weights are rounded to bfloat16, and the sum is divided by that of the rounded weights.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "common/exponential_lanes.h"
#include "common/storage.h"

constexpr int64_t kTileKeys = 16;
constexpr int64_t kTileDims = 32;  // that are transposed together

inline __m512bh pair_of(const Bfloat16* pair) {
    int32_t bits;
    std::memcpy(&bits, pair, sizeof bits);
    return (__m512bh)_mm512_set1_epi32(bits);
}

// tile[i]: of each of sixteen rows, its pair i of numbers.
inline void transpose_pairs(const Bfloat16* const* rows, int64_t first, __m512i (&tile)[16]) {
    __m512i a[16], b[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) a[i] = _mm512_loadu_si512(rows[i] + first);
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
        b[i] = _mm512_unpacklo_epi32(a[i], a[i + 1]);
        b[i + 1] = _mm512_unpackhi_epi32(a[i], a[i + 1]);
    }
    // a[4 * j + i]: pairs i, i + 4, i + 8 and i + 12 of rows 4 * j to 4 * j + 3, 128 bits each.
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {
        a[i] = _mm512_unpacklo_epi64(b[i], b[i + 2]);
        a[i + 1] = _mm512_unpackhi_epi64(b[i], b[i + 2]);
        a[i + 2] = _mm512_unpacklo_epi64(b[i + 1], b[i + 3]);
        a[i + 3] = _mm512_unpackhi_epi64(b[i + 1], b[i + 3]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        const __m512i low = _mm512_shuffle_i32x4(a[i], a[i + 4], 0x88), high = _mm512_shuffle_i32x4(a[i], a[i + 4], 0xdd);
        const __m512i low2 = _mm512_shuffle_i32x4(a[i + 8], a[i + 12], 0x88);
        const __m512i high2 = _mm512_shuffle_i32x4(a[i + 8], a[i + 12], 0xdd);
        tile[i] = _mm512_shuffle_i32x4(low, low2, 0x88);
        tile[i + 8] = _mm512_shuffle_i32x4(low, low2, 0xdd);
        tile[i + 4] = _mm512_shuffle_i32x4(high, high2, 0x88);
        tile[i + 12] = _mm512_shuffle_i32x4(high, high2, 0xdd);
    }
}

// Scores of kHeads queries and sixteen keys.
template <int kHeads>
inline void score_tile(const Bfloat16* query, int64_t query_stride, const Bfloat16* const* keys, int64_t dim, float scaling,
                       float* scores, int64_t scores_stride) {
    __m512 sums[kHeads];
#pragma GCC unroll 8
    for (int head = 0; head < kHeads; ++head) sums[head] = _mm512_setzero_ps();
    for (int64_t d = 0; d < dim; d += kTileDims) {
        __m512i tile[16];
        transpose_pairs(keys, d, tile);
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i)
#pragma GCC unroll 8
            for (int head = 0; head < kHeads; ++head)
                sums[head] = _mm512_dpbf16_ps(sums[head], (__m512bh)tile[i], pair_of(query + head * query_stride + d + 2 * i));
    }
#pragma GCC unroll 8
    for (int head = 0; head < kHeads; ++head)
        _mm512_storeu_ps(scores + head * scores_stride, _mm512_mul_ps(sums[head], _mm512_set1_ps(scaling)));
}

template <int kHeads>
inline void score_heads(int64_t num_heads, const Bfloat16* query, int64_t query_stride, const Bfloat16* const* keys,
                        int64_t dim, float scaling, float* scores, int64_t scores_stride) {
    if (num_heads == kHeads) return score_tile<kHeads>(query, query_stride, keys, dim, scaling, scores, scores_stride);
    if constexpr (kHeads > 1)
        score_heads<kHeads - 1>(num_heads, query, query_stride, keys, dim, scaling, scores, scores_stride);
}

// Weights of scores, of which there are some tiles; returns what a sum by them is to be multiplied by.
inline float weigh(const float* scores, int64_t num_scores, const float* sink, Bfloat16* weights) {
    __m512 largest = _mm512_set1_ps(sink ? *sink : -std::numeric_limits<float>::infinity());
    for (int64_t i = 0; i < num_scores; i += kTileKeys) largest = _mm512_max_ps(_mm512_loadu_ps(scores + i), largest);
    const float best = _mm512_reduce_max_ps(largest);
    __m512 total = _mm512_setzero_ps();
    for (int64_t i = 0; i < num_scores; i += kTileKeys) {
        const __m512 weight = exp_negative(_mm512_sub_ps(_mm512_loadu_ps(scores + i), _mm512_set1_ps(best)));
        const __m256i rounded = (__m256i)_mm512_cvtneps_pbh(weight);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(weights + i), rounded);
        total = _mm512_add_ps(total, _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(rounded), 16)));
    }
    const float rest = sink ? _mm512_cvtss_f32(exp_negative(_mm512_set1_ps(*sink - best))) : 0.0f;
    return 1.0f / (_mm512_reduce_add_ps(total) + rest);
}

// Of pairs of keys the values by weight, for kHeads heads and kParts times 32 dimensions from `first` on.
template <int kHeads, int kParts>
inline void sum_pairs(const Bfloat16* const* values, int64_t first, int64_t num_keys, const Bfloat16* weights,
                      int64_t weights_stride, const float* factors, Bfloat16* output, int64_t output_stride) {
    __m512 sums[kHeads][kParts][2];
#pragma GCC unroll 4
    for (int head = 0; head < kHeads; ++head)
#pragma GCC unroll 2
        for (int part = 0; part < kParts; ++part) sums[head][part][0] = sums[head][part][1] = _mm512_setzero_ps();
    for (int64_t key = 0; key < num_keys; key += 2) {
#pragma GCC unroll 2
        for (int part = 0; part < kParts; ++part) {
            const __m512i even = _mm512_loadu_si512(values[key] + first + part * kTileDims);
            const __m512i odd = _mm512_loadu_si512(values[key + 1] + first + part * kTileDims);
            const __m512bh low = (__m512bh)_mm512_unpacklo_epi16(even, odd), high = (__m512bh)_mm512_unpackhi_epi16(even, odd);
#pragma GCC unroll 4
            for (int head = 0; head < kHeads; ++head) {
                const __m512bh pair = pair_of(weights + head * weights_stride + key);
                sums[head][part][0] = _mm512_dpbf16_ps(sums[head][part][0], low, pair);
                sums[head][part][1] = _mm512_dpbf16_ps(sums[head][part][1], high, pair);
            }
        }
    }
    // Of each eight numbers, the first half is in one register and the second in the other.
    const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
#pragma GCC unroll 4
    for (int head = 0; head < kHeads; ++head)
#pragma GCC unroll 2
        for (int part = 0; part < kParts; ++part) {
            const __m512 factor = _mm512_set1_ps(factors[head]);
            const __m512i both = (__m512i)_mm512_cvtne2ps_pbh(_mm512_mul_ps(sums[head][part][1], factor),
                                                              _mm512_mul_ps(sums[head][part][0], factor));
            _mm512_storeu_si512(output + head * output_stride + first + part * kTileDims, _mm512_permutexvar_epi64(order, both));
        }
}

template <int kHeads>
inline void sum_dims(const Bfloat16* const* values, int64_t dim, int64_t num_keys, const Bfloat16* weights,
                     int64_t weights_stride, const float* factors, Bfloat16* output) {
    int64_t first = 0;
    for (; first + 2 * kTileDims <= dim; first += 2 * kTileDims)
        sum_pairs<kHeads, 2>(values, first, num_keys, weights, weights_stride, factors, output, dim);
    if (first < dim) sum_pairs<kHeads, 1>(values, first, num_keys, weights, weights_stride, factors, output, dim);
}

template <int kHeads>
inline void sum_heads_by_pairs(int64_t num_heads, const Bfloat16* const* values, int64_t dim, int64_t num_keys,
                               const Bfloat16* weights, int64_t weights_stride, const float* factors, Bfloat16* output) {
    if (num_heads == kHeads) return sum_dims<kHeads>(values, dim, num_keys, weights, weights_stride, factors, output);
    if constexpr (kHeads > 1)
        sum_heads_by_pairs<kHeads - 1>(num_heads, values, dim, num_keys, weights, weights_stride, factors, output);
}
