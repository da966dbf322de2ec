// Products of rows of bfloat16 with a weight that lies in panels, by vdpbf16ps in registers of 512 bits. The weight is of
// bfloat16, or of 8 bits, which become bfloat16 on their way from memory: it holds every whole number up to 256.
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

inline PairWeights load_pair(const int8_t* weights) {
    const auto convert = [&](int64_t first) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(weights + first));
        return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
    };
    return {_mm512_cvtne2ps_pbh(convert(16), convert(0)), _mm512_cvtne2ps_pbh(convert(48), convert(32))};
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

// emit(row, sums) is called for each row. All loops over rows are unrolled, else GCC keeps the sums in memory.
template <int kRows, typename Weight, typename Emit>
inline void multiply_block(const Bfloat16* rows, int64_t stride, int64_t num_inputs, const Weight* panel, FetchAhead ahead,
                           Emit emit) {
    PanelSums sums[kRows];
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row) sums[row] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
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
template <int kRows, typename Weight, typename Emit>
inline void multiply_some(int64_t num_rows, const Bfloat16* rows, int64_t stride, int64_t num_inputs, const Weight* panel,
                          FetchAhead ahead, Emit emit) {
    if (num_rows == kRows) return multiply_block<kRows>(rows, stride, num_inputs, panel, ahead, emit);
    if constexpr (kRows > 1) multiply_some<kRows - 1>(num_rows, rows, stride, num_inputs, panel, ahead, emit);
}

// Any number of rows. next: the panel that this thread reads after this one.
template <typename Weight, typename Emit>
inline void multiply_panel(int64_t num_rows, const Bfloat16* rows, int64_t stride, int64_t num_inputs, const Weight* panel,
                           const Weight* next, Emit emit) {
    const int64_t num_bytes = panel_size(num_inputs) * sizeof *panel, step = 2 * kPanelOutputs * sizeof *panel;
    for_each_block(num_rows, kMostRows, {panel, next, num_bytes, step}, [&](int64_t first, int64_t num, FetchAhead ahead) {
        multiply_some<kMostRows>(num, rows + first * stride, stride, num_inputs, panel, ahead,
                                 [&](int64_t row, const PanelSums& sums) { emit(first + row, sums); });
    });
}
