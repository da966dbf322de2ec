// Weights of a row's keys, some keys at a time (online softmax, arXiv 1805.02867); for chunk_attention.cpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "common/exponential_lanes.h"
#include "common/lanes.h"

constexpr float kHidden = -std::numeric_limits<float>::infinity();

// softcap * tanh(scores / softcap), in place. size: a multiple of 32.
inline void cap(float* scores, int64_t size, float softcap) {
    const Floats one = everywhere(1.0f), factor = everywhere(-2.0f / softcap);
    for (int64_t i = 0; i < size; i += kNumLanes) {
        const Floats score = load_lanes_of(scores + i);
        const Floats power = exp_negative(magnitude(score) * factor);
        const Bits capped = (Bits)((one - power) / (one + power) * everywhere(softcap));
        store_lanes((Floats)(capped | ((Bits)score & 0x80000000u)), scores + i);
    }
}

// The softmax of a row over the keys that it has met so far.
struct SoftmaxRow {
    float best;   // the highest score
    float total;  // the sum of weights, relative to exp(best)

    // Turns scores into weights relative to the best score, and returns the factor for sums over earlier keys.
    // scores: [size], of which those outside `from` to `to` are hidden; size is a multiple of 32.
    template <typename Tiles>
    float take(float* scores, int64_t size, int64_t from, int64_t to, typename Tiles::Number* weights) {
        for (int64_t i = 0; i < from; ++i) scores[i] = kHidden;
        for (int64_t i = to; i < size; ++i) scores[i] = kHidden;
        Floats bests = everywhere(best);
        for (int64_t i = 0; i < size; i += kNumLanes) bests = larger(load_lanes_of(scores + i), bests);
        const float higher = largest_lane(bests);
        const Floats base = everywhere(higher == kHidden ? 0.0f : higher);
        Floats sum{};
        for (int64_t i = 0; i < size; i += 2 * kNumLanes) {
            const Floats low = exp_negative(load_lanes_of(scores + i) - base);
            const Floats high = exp_negative(load_lanes_of(scores + i + kNumLanes) - base);
            sum += low + high;
            Tiles::store_weights(low, high, weights + i);
        }
        const float factor = std::exp(best - base[0]);
        best = higher;
        total = total * factor + sum_lanes(sum);
        return factor;
    }
};
