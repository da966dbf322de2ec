// A linear layer's outputs, panel by panel, rounded to bfloat16.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "linear/bfloat16_panels.h"
#include "common/storage.h"

inline __mmask16 lanes_below(int64_t num_lanes) {
    return static_cast<__mmask16>((1u << std::clamp<int64_t>(num_lanes, 0, 16)) - 1u);
}

// Weight: Bfloat16, or int8_t with a scale for each output.
template <typename Weight>
struct ProductBy {
    const Weight* panels;
    const float *scales, *bias;  // padded to whole panels; scales: of 8 bits alone
    int64_t num_inputs, num_outputs;

    // next: the panel that comes after. emit(row, mask, outputs): up to 32 of a row, of which those in the mask are there.
    template <typename Emit>
    void compute(int64_t panel, int64_t next, int64_t num_rows, const Bfloat16* rows, int64_t stride, Emit emit) const {
        const int64_t first = panel * kPanelOutputs, num_there = num_outputs - first;
        const __mmask32 mask = lanes_below(num_there) | static_cast<__mmask32>(lanes_below(num_there - 16)) << 16;
        const int64_t size = panel_size(num_inputs);
        multiply_panel(num_rows, rows, stride, num_inputs, panels + panel * size, panels + next * size,
                       [&](int64_t row, const PanelSums& sums) {
                           emit(row, mask, (__m512i)_mm512_cvtne2ps_pbh(finish(sums.high, first + 16), finish(sums.low, first)));
                       });
    }

  private:
    __m512 finish(__m512 sums, int64_t first) const {
        const __m512 shift = _mm512_loadu_ps(bias + first);
        if constexpr (std::is_same_v<Weight, Bfloat16>)
            return _mm512_add_ps(sums, shift);
        else
            return _mm512_fmadd_ps(sums, _mm512_loadu_ps(scales + first), shift);
    }
};

using Product = ProductBy<Bfloat16>;
