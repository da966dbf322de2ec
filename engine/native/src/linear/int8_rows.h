// Rows of activations rounded to 8 bits, each by a scale of its own; or to 16 bits, as the sum of two such rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "common/byte_products.h"
#include "common/lanes.h"
#include "common/storage.h"

// Rows as they are multiplied: kInputShift more than they are. A row takes `stride` bytes; those after its end meet weights
// of zero.
struct Int8Rows {
    const int8_t* values;
    const float* scales;  // what 1 stands for
    int64_t stride;
};

// The largest magnitude of a row of zeros, which stay zeros.
constexpr float kSmallest = 1e-30f;

// An odd number of cache lines: rows a power of two apart would fall into the same few sets of the cache.
inline int64_t row_stride(int64_t num_inputs) { return ((num_inputs + 63) / 64 | 1) * 64; }

// As whole numbers the bits of magnitudes have the order of what they stand for, and infinity and NaN come last:
// a row that holds one gets a scale that makes all of its outputs infinite or NaN.
template <typename T>
inline float largest_magnitude(const T* row, int64_t num_inputs) {
    Integers largest{};
    for (int64_t i = 0; i < num_inputs; i += kNumLanes) {
        const Integers bits = (Integers)magnitude(load_first_lanes(row + i, num_inputs - i));
        largest = bits > largest ? bits : largest;
    }
    int32_t bits = 0;
    for (int64_t lane = 0; lane < kNumLanes; ++lane) bits = std::max<int32_t>(bits, largest[lane]);
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

// What rounding to a step may leave is half of it either way, so that 254 of the next row's steps make one.
constexpr float kFineSteps = 254.0f;

// Rounds to two rows, `stride` apart, whose sum by their two scales has 127 * 254 levels either way.
template <typename T>
inline void round_row_to_two(const T* row, int64_t num_inputs, int64_t stride, int8_t* values, float* scales) {
    const float largest = std::max(largest_magnitude(row, num_inputs), kSmallest);
    const Floats inverse = everywhere(127.0f / largest), fine_steps = everywhere(kFineSteps);
    for (int64_t i = 0; i < num_inputs; i += kNumLanes) {
        const Floats steps = as_rounded(load_first_lanes(row + i, num_inputs - i) * inverse);
        const Integers coarse = round_lanes(steps);
        const Floats left = steps - __builtin_convertvector(coarse, Floats);
        store_low_bytes(coarse + kInputShift, values + i);
        store_low_bytes(round_lanes(left * fine_steps) + kInputShift, values + stride + i);
    }
    scales[0] = largest / 127.0f;
    scales[1] = scales[0] / kFineSteps;
}

// kShift: is added to each value.
template <int32_t kShift = kInputShift, typename T>
inline void round_row(const T* row, int64_t num_inputs, int8_t* values, float* scale) {
    const float largest = std::max(largest_magnitude(row, num_inputs), kSmallest);
    const Floats inverse = everywhere(127.0f / largest);
    for (int64_t i = 0; i < num_inputs; i += kNumLanes)
        store_low_bytes(round_lanes(load_first_lanes(row + i, num_inputs - i) * inverse) + kShift, values + i);
    *scale = largest / 127.0f;
}
