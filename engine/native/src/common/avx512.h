// Products of queries with keys, and sums of values, in registers of 512 bits; for decode_attention.cpp.
//
// Sixteen keys are taken at once, so that their products are summed across lanes together. Rounding differs
// from the portable loops in the order of sums alone.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "common/storage.h"

constexpr int64_t kLanes = 16;

inline __m512 load_lanes(const float* source) { return _mm512_loadu_ps(source); }

inline __m512 load_lanes(const Bfloat16* source) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}

template <typename T>
inline __m512 products(const T* query, const T* key, int64_t dim) {
    __m512 sum = _mm512_setzero_ps();
    for (int64_t d = 0; d < dim; d += kLanes)
        sum = _mm512_fmadd_ps(load_lanes(query + d), load_lanes(key + d), sum);
    return sum;
}

// The sum of each of sixteen vectors, in their order.
inline __m512 sum_each(const __m512 (&v)[kLanes]) {
    __m512 pairs[8], fours[4];
    for (int i = 0; i < 8; ++i)
        pairs[i] = _mm512_add_ps(_mm512_unpacklo_ps(v[2 * i], v[2 * i + 1]), _mm512_unpackhi_ps(v[2 * i], v[2 * i + 1]));
    for (int i = 0; i < 4; ++i) {
        const __m512d a = _mm512_castps_pd(pairs[2 * i]), b = _mm512_castps_pd(pairs[2 * i + 1]);
        fours[i] = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)), _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)));
    }
    const auto halves = [](__m512 a, __m512 b) {
        return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
    };
    return halves(halves(fours[0], fours[1]), halves(fours[2], fours[3]));
}

// Scores of one query and up to sixteen keys.
template <typename T, int64_t kDim>
inline void score_keys(const T* query, const T* const* keys, int64_t num_keys, int64_t dim, float scaling, float* scores) {
    __m512 sums[kLanes];
    for (int64_t i = 0; i < kLanes; ++i) sums[i] = products<T>(query, keys[i < num_keys ? i : 0], kDim ? kDim : dim);
    const __mmask16 mask = static_cast<__mmask16>((1u << num_keys) - 1u);
    _mm512_mask_storeu_ps(scores, mask, _mm512_mul_ps(sum_each(sums), _mm512_set1_ps(scaling)));
}

// Adds the values of some keys, by weight, for kHeads heads and 16 * kParts dimensions from `first` on; writes the sums.
template <typename T, int kHeads, int kParts>
inline void sum_values(const T* const* values, int64_t first, int64_t num_keys, const float* weights,
                       int64_t weights_stride, T* output, int64_t output_stride) {
    __m512 sums[kHeads][kParts];
    for (auto& head : sums)
        for (auto& part : head) part = _mm512_setzero_ps();
    for (int64_t key = 0; key < num_keys; ++key)
        for (int part = 0; part < kParts; ++part) {
            const __m512 value = load_lanes(values[key] + first + part * kLanes);
            for (int head = 0; head < kHeads; ++head)
                sums[head][part] = _mm512_fmadd_ps(_mm512_set1_ps(weights[head * weights_stride + key]), value, sums[head][part]);
        }
    for (int head = 0; head < kHeads; ++head)
        for (int part = 0; part < kParts; ++part) {
            float lanes[kLanes];
            _mm512_storeu_ps(lanes, sums[head][part]);
            for (int64_t i = 0; i < kLanes; ++i) store(lanes[i], output + head * output_stride + first + part * kLanes + i);
        }
}
