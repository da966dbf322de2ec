// A linear layer's outputs, panel by panel, rounded to bfloat16.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "common/lanes.h"
#include "common/storage.h"
#include "linear/panels.h"
#include "linear/wide_rows.h"
#include "linear/widened_chunks.h"
#include "linear/widened_panels.h"
#ifdef __AVX512BF16__
#include <immintrin.h>

#include "linear/bfloat16_panels.h"

inline __mmask16 lanes_below(int64_t num_lanes) {
    return static_cast<__mmask16>((1u << std::clamp<int64_t>(num_lanes, 0, 16)) - 1u);
}
#endif

// Rows of bfloat16 as they are, `stride` numbers apart.
struct Bfloat16Rows {
    const Bfloat16* values;
    int64_t stride;
};

// Weight: Bfloat16, or int8_t with a scale for each output. Rows are multiplied as bfloat16 where the processor
// multiplies pairs of it, and as float32 elsewhere.
template <typename Weight>
struct ProductBy {
#ifdef __AVX512BF16__
    using Rows = Bfloat16Rows;
    static constexpr int64_t kRowsOfBlock = kMostRows;
#else
    using Rows = WideRows;
    static constexpr int64_t kRowsOfBlock = kBlockRows;
#endif
    static constexpr bool kWidens = std::is_same_v<Rows, WideRows>;

    const Weight* panels;
    const float *scales, *bias;  // padded to whole panels; scales: of 8 bits alone
    int64_t num_inputs, num_outputs;

    // Rows that are multiplied with all panels before the next ones are.
    int64_t rows_at_once() const {
        if constexpr (kWidens)
            return std::clamp(::rows_at_once(num_inputs * 4, kRowsOfBlock), kFewestRowsOfChunk, kMostRowsOfChunk);
        else
            return ::rows_at_once(num_inputs * 2, kRowsOfBlock);
    }

    // Panels that are multiplied together: several where a group of rows does not fit into the second-level cache, so that
    // its rows come from beyond it once for all of them.
    int64_t panels_at_once([[maybe_unused]] const Rows& rows) const {
#ifndef __AVX512BF16__
        const int64_t num_rows = std::min(rows.num_rows, rows_at_once());
        if (num_rows >= kFewestRowsOfChunk && num_rows > ::rows_at_once(num_inputs * 4, kRowsOfBlock))
            return kMostPanelsOfChunk;
#endif
        return 1;
    }

    // first_row: a multiple of kRowsOfBlock. output: of the first row and the first panel's first column; the next row's is
    // row_step numbers further, and the next panel's is panel_step further. Outputs that are not there are not written.
    void compute(const PanelsTogether& together, int64_t first_row, int64_t num_rows, const Rows& rows, Bfloat16* output,
                 int64_t row_step, int64_t panel_step) const {
        const int64_t size = panel_size(num_inputs);
#ifdef __AVX512BF16__
        for (int64_t i = 0; i < together.num; ++i) {
            const int64_t first = together.at(i) * kPanelOutputs, num_there = num_outputs - first;
            const __mmask32 mask = lanes_below(num_there) | static_cast<__mmask32>(lanes_below(num_there - 16)) << 16;
            multiply_panel(num_rows, rows.values + first_row * rows.stride, rows.stride, num_inputs,
                           panels + together.at(i) * size, panels + together.after(i) * size,
                           [&](int64_t row, const PanelSums& sums) {
                               const __m512 low = finish(sums.low, first), high = finish(sums.high, first + 16);
                               _mm512_mask_storeu_epi16(output + i * panel_step + row * row_step, mask,
                                                        (__m512i)_mm512_cvtne2ps_pbh(high, low));
                           });
        }
#else
        const auto emit = [&](int64_t i, int64_t row, const float* sums) {
            const int64_t first = together.at(i) * kPanelOutputs, num_there = num_outputs - first;
            Bfloat16* const place = output + i * panel_step + row * row_step;
            for (int64_t lane = 0; lane < kPanelOutputs && lane < num_there; lane += kNumLanes)
                store_first_lanes(finish(load_lanes_of(sums + lane), first + lane), place + lane, num_there - lane);
        };
        if (!rows.are_in_blocks()) {
            for (int64_t i = 0; i < together.num; ++i)
                multiply_wide_panel(num_rows, rows.at(first_row), rows.stride(), num_inputs, panels + together.at(i) * size,
                                    panels + together.after(i) * size,
                                    [&](int64_t row, const float* sums) { emit(i, row, sums); });
            return;
        }
        const int64_t group = rows_of_group(num_rows, kMostRowsOfChunk, kBlockRows);
        for (int64_t begin = 0; begin < num_rows; begin += group)
            multiply_blocks(std::min(group, num_rows - begin), rows.at(first_row + begin), rows.stride(), num_inputs, panels,
                            together, [&](int64_t i, int64_t row, const float* sums) { emit(i, begin + row, sums); });
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
