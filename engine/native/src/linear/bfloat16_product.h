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
#if defined(__AVX512BF16__)
#define VERBATIM_PAIRS
#include <immintrin.h>

#include "linear/bfloat16_panels.h"

inline __mmask16 lanes_below(int64_t num_lanes) {
    return static_cast<__mmask16>((1u << std::clamp<int64_t>(num_lanes, 0, 16)) - 1u);
}
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#define VERBATIM_PAIRS
#include "linear/octets/bfloat16_panels.h"
#endif

// Rows of bfloat16 as they are, `stride` numbers apart.
struct Bfloat16Rows {
    const Bfloat16* values;
    int64_t stride, num_rows;
};

// kPairs: VDPBF16PS, or BFDOT and BFMMLA, multiply pairs of bfloat16 as they are. kWidened: rows and weights become float32,
// which every processor can multiply; the panels are the same. Which is faster depends on the processor:
// engine/linear/products.py finds out.
enum class Products { kPairs, kWidened };

// Weight: Bfloat16 or Float16, which is always widened.
template <typename Weight, Products kProducts>
struct ProductBy {
    static constexpr bool kWidens = kProducts == Products::kWidened;
    static_assert(kWidens || std::is_same_v<Weight, Bfloat16>);
    using Rows = std::conditional_t<kWidens, WideRows, Bfloat16Rows>;
#ifdef VERBATIM_PAIRS
    static constexpr int64_t kRowsOfBlock = kWidens ? 1 : kMostRows;
#else
    static constexpr int64_t kRowsOfBlock = 1;
#endif

    const Weight* panels;
    const float* bias;  // padded to whole panels
    int64_t num_inputs, num_outputs;

    // Rows that are multiplied with all panels before the next ones are.
    int64_t rows_at_once() const {
        if constexpr (kWidens)
            return std::clamp(::rows_at_once(num_inputs * 4, kBlockRows), kFewestRowsOfChunk, kMostRowsOfChunk);
#ifdef VERBATIM_PAIRS
        if (are_pairs_chunked(kMostRowsOfPairChunk, num_inputs)) return kMostRowsOfPairChunk;
#endif
        return ::rows_at_once(num_inputs * 2, kRowsOfBlock);
    }

    // Panels that are multiplied together, by each of these threads: several where a group of rows does not fit into the
    // second-level cache, so that chunks of it are read, and widened, once for all of them.
    int64_t panels_at_once(const Rows& rows, int64_t num_threads) const {
        const int64_t group = std::min(rows.num_rows, rows_at_once()), panels = num_panels(num_outputs);
        if (!is_chunked(rows, group)) return 1;
        const int64_t num_groups = (rows.num_rows + group - 1) / group;
        int64_t num = std::clamp<int64_t>(panels * num_groups / num_threads, 1, kMostPanelsOfChunk);
        while (panels % num) --num;  // so that all have as many
        return num;
    }

    // num_rows: rows_at_once() at most. output: of the first row and the first panel's first column; the next row's is
    // row_step numbers further, and the next panel's is panel_step further. Outputs that are not there are not written.
    void compute(const PanelsTogether& together, int64_t first_row, int64_t num_rows, const Rows& rows, Bfloat16* output,
                 int64_t row_step, int64_t panel_step) const {
        if constexpr (kWidens) {
            const auto emit = [&](int64_t i, int64_t row, const float* sums) {
                store_sums(sums, together.at(i), output + i * panel_step + row * row_step);
            };
            if (!rows.are_few()) return multiply_blocks(rows, first_row, num_rows, panels, together, emit);
            for (int64_t i = 0; i < together.num; ++i)
                multiply_wide_panel(num_rows, rows.at(first_row), rows.stride(), num_inputs, panel(together.at(i)),
                                    panel(together.after(i)), [&](int64_t row, const float* sums) { emit(i, row, sums); });
        } else {
#ifdef VERBATIM_PAIRS
            const Bfloat16* const first_values = rows.values + first_row * rows.stride;
            const auto emit = [&](int64_t i, int64_t row, const auto& sums) {
                store_sums(sums, together.at(i), output + i * panel_step + row * row_step);
            };
#ifdef __AVX512BF16__
            if (are_pairs_chunked(num_rows, num_inputs))
                return multiply_pair_chunks(num_rows, first_values, rows.stride, num_inputs, panels, together, emit);
            for (int64_t i = 0; i < together.num; ++i)
                multiply_panel(num_rows, first_values, rows.stride, num_inputs, panel(together.at(i)), panel(together.after(i)),
                               NoSums(), [&](int64_t row, const PanelSums& sums) { emit(i, row, sums); });
#else
            multiply_pairs(num_rows, first_values, rows.stride, num_inputs, panels, together, emit);
#endif
#endif
        }
    }

  private:
    bool is_chunked([[maybe_unused]] const Rows& rows, [[maybe_unused]] int64_t num_rows) const {
        if constexpr (kWidens) return !rows.are_few() && num_rows * num_inputs * 4 > kWideRowsBytes;
#ifdef VERBATIM_PAIRS
        return are_pairs_chunked(num_rows, num_inputs);
#else
        return false;
#endif
    }

    const Weight* panel(int64_t index) const { return panels + index * panel_size(num_inputs); }

    Floats finish(Floats sums, int64_t first) const { return sums + load_lanes_of(bias + first); }

    // Of one row and the outputs of a panel.
    void store_sums(const float* sums, int64_t panel, Bfloat16* place) const {
        const int64_t first = panel * kPanelOutputs, num_there = num_outputs - first;
        for (int64_t lane = 0; lane < kPanelOutputs && lane < num_there; lane += kNumLanes)
            store_first_lanes(finish(load_lanes_of(sums + lane), first + lane), place + lane, num_there - lane);
    }

#ifdef __AVX512BF16__
    void store_sums(const PanelSums& sums, int64_t panel, Bfloat16* place) const {
        const int64_t first = panel * kPanelOutputs, num_there = num_outputs - first;
        const __mmask32 mask = lanes_below(num_there) | static_cast<__mmask32>(lanes_below(num_there - 16)) << 16;
        const Floats low = finish((Floats)sums.low, first), high = finish((Floats)sums.high, first + 16);
        _mm512_mask_storeu_epi16(place, mask, (__m512i)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low));
    }
#endif
};
