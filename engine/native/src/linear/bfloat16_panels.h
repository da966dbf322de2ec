// Products of rows of bfloat16 with a weight that lies in panels, by vdpbf16ps in registers of 512 bits.
//
// A panel is read once from memory for up to twelve rows, and from the cache for more. Each sum is taken over the inputs
// in order, so a row's result does not depend on what else is in the batch.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "common/fetch_ahead.h"
#include "common/storage.h"
#include "linear/panels.h"

constexpr int64_t kMostRows = 12;  // two sums each fill 24 of the 32 registers

// Of one row: outputs 0 to 15 of a panel, and 16 to 31.
struct PanelSums {
    __m512 low, high;
};

inline __m512bh pair_everywhere(const Bfloat16* pair, int64_t num_bytes) {
    uint32_t bits = 0;
    std::memcpy(&bits, pair, num_bytes);
    return (__m512bh)_mm512_set1_epi32(static_cast<int32_t>(bits));
}

// The weights of two inputs: to outputs 0 to 15 of a panel, and 16 to 31.
struct PairWeights {
    __m512bh low, high;
};

inline PairWeights load_pair(const Bfloat16* weights) {
    return {(__m512bh)_mm512_loadu_si512(weights), (__m512bh)_mm512_loadu_si512(weights + kPanelOutputs)};
}

template <int kRows, typename Weight>
inline void add_pair(const Bfloat16* rows, int64_t stride, const Weight* weights, int64_t num_bytes, PanelSums* sums) {
    const auto [low, high] = load_pair(weights);
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row) {
        const __m512bh pair = pair_everywhere(rows + row * stride, num_bytes);
        sums[row].low = _mm512_dpbf16_ps(sums[row].low, low, pair);
        sums[row].high = _mm512_dpbf16_ps(sums[row].high, high, pair);
    }
}

// The sums before the first input.
struct NoSums {
    PanelSums operator()(int64_t) const { return {_mm512_setzero_ps(), _mm512_setzero_ps()}; }
};

// begin(row): the sums to which the products are added. emit(row, sums) is called for each row. All loops over rows are
// unrolled, else GCC keeps the sums in memory.
template <int kRows, typename Weight, typename Begin, typename Emit>
inline void multiply_block(const Bfloat16* rows, int64_t stride, int64_t num_inputs, const Weight* panel, FetchAhead ahead,
                           Begin begin, Emit emit) {
    PanelSums sums[kRows];
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row) sums[row] = begin(row);
    const int64_t num_even = num_inputs / 2 * 2;
    for (int64_t input = 0; input < num_even; input += 2) {
        ahead.fetch();
        add_pair<kRows>(rows + input, stride, panel + input * kPanelOutputs, 4, sums);
    }
    if (num_even < num_inputs) add_pair<kRows>(rows + num_even, stride, panel + num_even * kPanelOutputs, 2, sums);
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row) emit(row, sums[row]);
}

// As multiply_block, of up to kRows rows.
template <int kRows, typename Weight, typename Begin, typename Emit>
inline void multiply_some(int64_t num_rows, const Bfloat16* rows, int64_t stride, int64_t num_inputs, const Weight* panel,
                          FetchAhead ahead, Begin begin, Emit emit) {
    if (num_rows == kRows) return multiply_block<kRows>(rows, stride, num_inputs, panel, ahead, begin, emit);
    if constexpr (kRows > 1) multiply_some<kRows - 1>(num_rows, rows, stride, num_inputs, panel, ahead, begin, emit);
}

// Any number of rows. next: the panel, or the part of one, that this thread reads after this one.
template <typename Weight, typename Begin, typename Emit>
inline void multiply_panel(int64_t num_rows, const Bfloat16* rows, int64_t stride, int64_t num_inputs, const Weight* panel,
                           const Weight* next, Begin begin, Emit emit) {
    const int64_t num_bytes = panel_size(num_inputs) * sizeof *panel, step = 2 * kPanelOutputs * sizeof *panel;
    for_each_block(num_rows, kMostRows, {panel, next, num_bytes, step}, [&](int64_t first, int64_t num, FetchAhead ahead) {
        multiply_some<kMostRows>(num, rows + first * stride, stride, num_inputs, panel, ahead,
                                 [&](int64_t row) { return begin(first + row); },
                                 [&](int64_t row, const PanelSums& sums) { emit(first + row, sums); });
    });
}

// Where few rows of so many inputs stay in the second-level cache, panels would be read from memory for each few of them.
// Instead, inputs are multiplied chunk by chunk, several panels together.
constexpr int64_t kInputsOfPairChunk = 1024, kMostRowsOfPairChunk = 8 * kMostRows, kMostPanelsOfPairChunk = 8;

inline bool are_pairs_chunked(int64_t num_rows, int64_t num_inputs) {
    return num_rows > kMostRows && rows_at_once(2 * num_inputs, kMostRows) < kMostRowsOfPairChunk / 2;
}

// kMostRowsOfPairChunk rows at most, and kMostPanelsOfPairChunk panels at most of the weight at `weight`. emit(i, row, sums)
// is called for the i-th panel and each row. The sums are those of multiply_panel() bit for bit.
template <typename Weight, typename Emit>
inline void multiply_pair_chunks(int64_t num_rows, const Bfloat16* rows, int64_t stride, int64_t num_inputs,
                                 const Weight* weight, const PanelsTogether& panels, Emit emit) {
    PanelSums sums[kMostPanelsOfPairChunk][kMostRowsOfPairChunk];
    for_each_chunk(weight, panels, num_inputs, kInputsOfPairChunk,
                   [&](int64_t i, int64_t begin, int64_t end, const Weight* chunk, const Weight* next) {
                       const auto multiply = [&](auto before) {
                           multiply_panel(num_rows, rows + begin, stride, end - begin, chunk, next, before,
                                          [&](int64_t row, const PanelSums& after) { sums[i][row] = after; });
                       };
                       if (begin == 0)
                           multiply(NoSums());
                       else
                           multiply([&](int64_t row) { return sums[i][row]; });
                   });
    for (int64_t i = 0; i < panels.num; ++i)
        for (int64_t row = 0; row < num_rows; ++row) emit(i, row, sums[i][row]);
}
