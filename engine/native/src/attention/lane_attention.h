// One row's attention in float32, for processors of every kind: scores of some keys at a time, their weights, and sums of
// values. Keys and values of bfloat16 are widened in registers, once for several heads.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/exponential_lanes.h"
#include "common/lanes.h"
#include "common/storage.h"

constexpr int kHeadsAtOnce = 4;  // for which a key or a value is loaded once

// The sum of each of as many vectors as there are lanes, in their order. Adding pairs of lanes while they are brought
// together takes half as many instructions as summing vector by vector.
#if VERBATIM_LANES == 16

inline Floats sum_each(const Floats (&v)[kNumLanes]) {
    __m512 pairs[8], fours[4];
    for (int i = 0; i < 8; ++i) {
        const __m512 a = (__m512)v[2 * i], b = (__m512)v[2 * i + 1];
        pairs[i] = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    }
    for (int i = 0; i < 4; ++i) {
        const __m512d a = _mm512_castps_pd(pairs[2 * i]), b = _mm512_castps_pd(pairs[2 * i + 1]);
        fours[i] = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)), _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)));
    }
    const auto halves = [](__m512 a, __m512 b) {
        return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
    };
    return (Floats)halves(halves(fours[0], fours[1]), halves(fours[2], fours[3]));
}

#elif VERBATIM_LANES == 8

inline Floats sum_each(const Floats (&v)[kNumLanes]) {
    const auto pairs = [&](int i) { return _mm256_hadd_ps((__m256)v[i], (__m256)v[i + 1]); };
    // Each half of these has the sums of its four lanes: of vectors 0 to 3, and of 4 to 7.
    const __m256 first = _mm256_hadd_ps(pairs(0), pairs(2)), last = _mm256_hadd_ps(pairs(4), pairs(6));
    return (Floats)_mm256_add_ps(_mm256_permute2f128_ps(first, last, 0x20), _mm256_permute2f128_ps(first, last, 0x31));
}

#elif defined(__SSE3__)

inline Floats sum_each(const Floats (&v)[kNumLanes]) {
    const auto pairs = [&](int i) { return _mm_hadd_ps((__m128)v[i], (__m128)v[i + 1]); };
    return (Floats)_mm_hadd_ps(pairs(0), pairs(2));
}

#elif defined(__ARM_NEON) && defined(__aarch64__)

inline Floats sum_each(const Floats (&v)[kNumLanes]) {
    const auto pairs = [&](int i) { return vpaddq_f32((float32x4_t)v[i], (float32x4_t)v[i + 1]); };
    return (Floats)vpaddq_f32(pairs(0), pairs(2));
}

#else

inline Floats sum_each(const Floats (&v)[kNumLanes]) {
    Floats sums{};
    for (int64_t i = 0; i < kNumLanes; ++i) sums[i] = sum_lanes(v[i]);
    return sums;
}

#endif

// Calls call() with a number of heads as a constant; num: 1 to kHeads.
template <int kHeads = kHeadsAtOnce, typename Call>
inline void with_num_heads(int64_t num, Call call) {
    if (num == kHeads) return call(std::integral_constant<int, kHeads>());
    if constexpr (kHeads > 1) with_num_heads<kHeads - 1>(num, call);
}

// Adds the products of kHeads queries with one register of a key. Loops over sums are unrolled, else g++ keeps these in
// memory.
template <int kHeads>
inline void add_products(const float* queries, int64_t query_stride, Floats numbers, Floats (&sums)[kHeads]) {
#pragma GCC unroll 4
    for (int head = 0; head < kHeads; ++head) accumulate(sums[head], numbers, load_lanes_of(queries + head * query_stride));
}

// Scores of kHeads queries and as many keys as there are lanes. queries: padded with zeros to whole registers.
template <int kHeads, typename T>
[[gnu::noinline]] inline void score_keys(const float* queries, int64_t query_stride, const T* const* keys, int64_t dim, float scaling,
                       float* scores, int64_t scores_stride) {
    Floats products[kHeads][kNumLanes];
#pragma GCC unroll 1
    for (int64_t key = 0; key < kNumLanes; ++key) {
        Floats sums[kHeads];
#pragma GCC unroll 4
        for (int head = 0; head < kHeads; ++head) sums[head] = Floats{};
        int64_t d = 0;
        for (; d + kNumLanes <= dim; d += kNumLanes) add_products<kHeads>(queries + d, query_stride, load_lanes_of(keys[key] + d), sums);
        if (d < dim) add_products<kHeads>(queries + d, query_stride, load_first_lanes(keys[key] + d, dim - d), sums);
#pragma GCC unroll 4
        for (int head = 0; head < kHeads; ++head) products[head][key] = sums[head];
    }
    for (int head = 0; head < kHeads; ++head)
        store_lanes(sum_each(products[head]) * everywhere(scaling), scores + head * scores_stride);
}

// Turns scores into weights relative to the best of them; returns the factor for sums by these weights. size: a multiple
// of the number of lanes. sink: a score without a value, or null.
inline float weigh_lanes(float* scores, int64_t size, const float* sink) {
    Floats bests = everywhere(sink ? *sink : -std::numeric_limits<float>::infinity());
    for (int64_t i = 0; i < size; i += kNumLanes) bests = larger(load_lanes_of(scores + i), bests);
    const Floats best = everywhere(largest_lane(bests));
    Floats total{};
    for (int64_t i = 0; i < size; i += kNumLanes) {
        const Floats weights = exp_negative(load_lanes_of(scores + i) - best);
        store_lanes(weights, scores + i);
        total += weights;
    }
    const float rest = sink ? exp_negative(everywhere(*sink) - best)[0] : 0.0f;
    return 1.0f / (sum_lanes(total) + rest);
}

// Adds one key's values, of kParts registers, by the weights of kHeads heads. num: numbers there, all or some of the last
// register's.
template <bool kAreAll, int kHeads, int kParts, typename T>
inline void add_values(const T* values, int64_t num, const float* weights, int64_t weights_stride, Floats (&sums)[kHeads][kParts]) {
#pragma GCC unroll 4
    for (int part = 0; part < kParts; ++part) {
        const T* place = values + part * kNumLanes;
        const Floats value = kAreAll ? load_lanes_of(place) : load_first_lanes(place, num - part * kNumLanes);
#pragma GCC unroll 4
        for (int head = 0; head < kHeads; ++head) accumulate(sums[head][part], everywhere(weights[head * weights_stride]), value);
    }
}

// The values of some keys by weight, for kHeads heads and `num` dimensions from `first` on, which fill kParts registers.
template <int kHeads, int kParts, typename T>
[[gnu::noinline]] inline void sum_values(const T* const* values, int64_t first, int64_t num, int64_t num_keys, const float* weights,
                       int64_t weights_stride, const float* factors, T* output, int64_t output_stride) {
    Floats sums[kHeads][kParts];
#pragma GCC unroll 4
    for (int head = 0; head < kHeads; ++head)
#pragma GCC unroll 4
        for (int part = 0; part < kParts; ++part) sums[head][part] = Floats{};
    if (num == kParts * kNumLanes) {
        for (int64_t key = 0; key < num_keys; ++key)
            add_values<true>(values[key] + first, num, weights + key, weights_stride, sums);
    } else {
        for (int64_t key = 0; key < num_keys; ++key)
            add_values<false>(values[key] + first, num, weights + key, weights_stride, sums);
    }
#pragma GCC unroll 4
    for (int head = 0; head < kHeads; ++head)
#pragma GCC unroll 4
        for (int part = 0; part < kParts; ++part)
            store_first_lanes(sums[head][part] * everywhere(factors[head]), output + head * output_stride + first + part * kNumLanes,
                              num - part * kNumLanes);
}

// Does so for all dimensions.
template <int kHeads, typename T>
inline void sum_all_values(const T* const* values, int64_t dim, int64_t num_keys, const float* weights,
                           int64_t weights_stride, const float* factors, T* output) {
    constexpr int kParts = kNumRegisters == 32 || kHeads < 3 ? 4 : 2;  // whose sums leave registers for a value and a weight
    int64_t first = 0;
    for (; first + kParts * kNumLanes <= dim; first += kParts * kNumLanes)
        sum_values<kHeads, kParts>(values, first, kParts * kNumLanes, num_keys, weights, weights_stride, factors, output, dim);
    for (; first < dim; first += kNumLanes)
        sum_values<kHeads, 1>(values, first, dim - first < kNumLanes ? dim - first : kNumLanes, num_keys, weights,
                              weights_stride, factors, output, dim);
}
