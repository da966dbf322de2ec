// A linear layer's outputs, panel by panel, rounded to bfloat16.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include "bfloat16_panels.h"
#include "storage.h"

inline __mmask16 lanes_below(int64_t num_lanes) {
    return static_cast<__mmask16>((1u << std::clamp<int64_t>(num_lanes, 0, 16)) - 1u);
}

struct Product {
    const Bfloat16* panels;
    const float* bias;  // padded to whole panels
    int64_t num_inputs, num_outputs;

    // emit(row, mask, outputs): up to 32 of a row, of which those in the mask are there.
    template <typename Emit>
    void compute(int64_t panel, int64_t num_rows, const Bfloat16* rows, int64_t stride, Emit emit) const {
        const int64_t first = panel * kPanelOutputs, num_there = num_outputs - first;
        const __m512 low = _mm512_loadu_ps(bias + first), high = _mm512_loadu_ps(bias + first + 16);
        const __mmask32 mask = lanes_below(num_there) | static_cast<__mmask32>(lanes_below(num_there - 16)) << 16;
        multiply_panel(num_rows, rows, stride, num_inputs, panels + panel * panel_size(num_inputs),
                       [&](int64_t row, const PanelSums& sums) {
                           emit(row, mask, (__m512i)_mm512_cvtne2ps_pbh(_mm512_add_ps(sums.high, high),
                                                                        _mm512_add_ps(sums.low, low)));
                       });
    }
};
