// A linear layer's outputs, panel by panel, rounded to bfloat16.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "common/lanes.h"
#include "common/storage.h"
#include "linear/panels.h"
#include "linear/widened_panels.h"
#ifdef __AVX512BF16__
#include <immintrin.h>

#include "linear/bfloat16_panels.h"

inline __mmask16 lanes_below(int64_t num_lanes) {
    return static_cast<__mmask16>((1u << std::clamp<int64_t>(num_lanes, 0, 16)) - 1u);
}
#endif

// Weight: Bfloat16, or int8_t with a scale for each output. Rows are multiplied as bfloat16 where the processor
// multiplies pairs of it, and as float32 elsewhere.
template <typename Weight>
struct ProductBy {
#ifdef __AVX512BF16__
    using Row = Bfloat16;
    static constexpr int64_t kRowsOfBlock = kMostRows;
#else
    using Row = float;
    static constexpr int64_t kRowsOfBlock = kMostWideRows;
#endif
    static constexpr bool kWidens = std::is_same_v<Row, float>;

    const Weight* panels;
    const float *scales, *bias;  // padded to whole panels; scales: of 8 bits alone
    int64_t num_inputs, num_outputs;

    int64_t rows_at_once() const { return ::rows_at_once(num_inputs * static_cast<int64_t>(sizeof(Row)), kRowsOfBlock); }

    // next: the panel that comes after. rows, output: of the first row; output: of the panel's first column. Outputs that
    // are not there are not written.
    void compute(int64_t panel, int64_t next, int64_t num_rows, const Row* rows, int64_t stride, Bfloat16* output,
                 int64_t output_stride) const {
        const int64_t first = panel * kPanelOutputs, num_there = num_outputs - first, size = panel_size(num_inputs);
        const Weight *own = panels + panel * size, *after = panels + next * size;
#ifdef __AVX512BF16__
        const __mmask32 mask = lanes_below(num_there) | static_cast<__mmask32>(lanes_below(num_there - 16)) << 16;
        multiply_panel(num_rows, rows, stride, num_inputs, own, after, [&](int64_t row, const PanelSums& sums) {
            const __m512 low = finish(sums.low, first), high = finish(sums.high, first + 16);
            _mm512_mask_storeu_epi16(output + row * output_stride, mask, (__m512i)_mm512_cvtne2ps_pbh(high, low));
        });
#else
        multiply_wide_panel(num_rows, rows, stride, num_inputs, own, after, [&](int64_t row, const float* sums) {
            for (int64_t lane = 0; lane < kPanelOutputs && lane < num_there; lane += kNumLanes)
                store_first_lanes(finish(load_lanes_of(sums + lane), first + lane), output + row * output_stride + lane,
                                  num_there - lane);
        });
#endif
    }

  private:
    Floats finish(Floats sums, int64_t first) const {
        const Floats shift = load_lanes_of(bias + first);
        if constexpr (std::is_same_v<Weight, int8_t>)
            return multiply_add(sums, load_lanes_of(scales + first), shift);
        else
            return sums + shift;
    }
};
