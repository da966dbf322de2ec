// Rows of activations rounded to 8 bits, each by a scale of its own; for int8_linear.cpp.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "common/storage.h"
#include "linear/int8_weight.h"

// Rows as they are multiplied. A row takes `stride` bytes, zeros after its end.
struct Int8Rows {
    const int8_t* values;
    const float* scales;         // what 1 stands for
    const int32_t* corrections;  // what the sum of each output starts from
    int64_t stride;
};

// The largest magnitude of a row of zeros, which stay zeros.
constexpr float kSmallest = 1e-30f;

// An odd number of cache lines: rows a power of two apart would fall into the same few sets of the cache.
inline int64_t row_stride(int64_t num_inputs) { return ((num_inputs + 63) / 64 | 1) * 64; }

inline __mmask16 first_lanes(int64_t count) {
    return static_cast<__mmask16>(count < 16 ? (1u << count) - 1u : 0xffffu);
}

inline __m512 load_some(const float* source, __mmask16 mask) { return _mm512_maskz_loadu_ps(mask, source); }

inline __m512 load_some(const Bfloat16* source, __mmask16 mask) {
    const __m256i halves = _mm256_maskz_loadu_epi16(mask, source);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}

// As whole numbers the bits of magnitudes have the order of what they stand for, and infinity and NaN come last:
// a row that holds one gets a scale that makes all of its outputs infinite or NaN.
template <typename T>
inline float largest_magnitude(const T* row, int64_t num_inputs) {
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    __m512i largest = _mm512_setzero_si512();
    for (int64_t i = 0; i < num_inputs; i += 16) {
        const __m512i bits = _mm512_castps_si512(load_some(row + i, first_lanes(num_inputs - i)));
        largest = _mm512_max_epi32(largest, _mm512_and_si512(bits, magnitude));
    }
    const int32_t bits = _mm512_reduce_max_epi32(largest);
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

template <typename T>
inline void round_row(const T* row, int64_t num_inputs, int8_t* values, float* scale, int32_t* correction) {
    const float largest = std::max(largest_magnitude(row, num_inputs), kSmallest);
    const __m512 inverse = _mm512_set1_ps(127.0f / largest);
    __m512i sum = _mm512_setzero_si512();
    for (int64_t i = 0; i < num_inputs; i += 16) {
        const __m512 some = load_some(row + i, first_lanes(num_inputs - i));
        const __m512i rounded = _mm512_cvtps_epi32(_mm512_mul_ps(some, inverse));
        sum = _mm512_add_epi32(sum, rounded);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(values + i), _mm512_cvtsepi32_epi8(rounded));
    }
    *scale = largest / 127.0f;
    // This and the sum that it is added to may pass 32 bits, and wrap; the result does not.
    *correction = static_cast<int32_t>(-kWeightShift * static_cast<uint32_t>(_mm512_reduce_add_epi32(sum)));
}
