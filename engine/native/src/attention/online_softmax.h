// Weights of a row's keys, some keys at a time (online softmax, arXiv 1805.02867); for chunk_attention.cpp.
#pragma once

#include <immintrin.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "common/exponential_lanes.h"
#include "common/storage.h"

constexpr float kHidden = -std::numeric_limits<float>::infinity();

// softcap * tanh(scores / softcap), in place.
inline void cap(float* scores, int64_t size, float softcap) {
    const __m512 one = _mm512_set1_ps(1.0f), sign = _mm512_set1_ps(-0.0f), most = _mm512_set1_ps(softcap);
    const __m512 factor = _mm512_set1_ps(-2.0f / softcap);
    for (int64_t i = 0; i < size; i += 16) {
        const __m512 score = _mm512_loadu_ps(scores + i);
        const __m512 power = exp_negative(_mm512_mul_ps(_mm512_andnot_ps(sign, score), factor));
        const __m512 tanh = _mm512_div_ps(_mm512_sub_ps(one, power), _mm512_add_ps(one, power));
        _mm512_storeu_ps(scores + i, _mm512_or_ps(_mm512_mul_ps(tanh, most), _mm512_and_ps(sign, score)));
    }
}

// What is known of a row so far.
struct SoftmaxRow {
    float best;   // score
    float total;  // of weights, relative to exp(best)

    // scores: [size], of which those outside `from` to `to` are hidden; size is a multiple of 32. weights: relative
    // to the best score; returns what sums over earlier keys are to be multiplied with.
    float take(float* scores, int64_t size, int64_t from, int64_t to, Bfloat16* weights) {
        for (int64_t i = 0; i < from; ++i) scores[i] = kHidden;
        for (int64_t i = to; i < size; ++i) scores[i] = kHidden;
        __m512 bests = _mm512_set1_ps(best);
        for (int64_t i = 0; i < size; i += 16) bests = _mm512_max_ps(bests, _mm512_loadu_ps(scores + i));
        const float higher = _mm512_reduce_max_ps(bests);
        const float base = higher == kHidden ? 0.0f : higher;
        __m512 sum = _mm512_setzero_ps();
        for (int64_t i = 0; i < size; i += 32) {
            const __m512 low = exp_negative(_mm512_sub_ps(_mm512_loadu_ps(scores + i), _mm512_set1_ps(base)));
            const __m512 high = exp_negative(_mm512_sub_ps(_mm512_loadu_ps(scores + i + 16), _mm512_set1_ps(base)));
            sum = _mm512_add_ps(sum, _mm512_add_ps(low, high));
            _mm512_storeu_si512(weights + i, (__m512i)_mm512_cvtne2ps_pbh(high, low));
        }
        const float factor = std::exp(best - base);
        best = higher;
        total = total * factor + _mm512_reduce_add_ps(sum);
        return factor;
    }
};
