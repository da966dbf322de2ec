// Products of rows of float32 with a weight that lies in panels, whose 16 bits become float32 in registers; for
// processors of every kind. Rows are bfloat16 that was widened beforehand, once per call. For few rows;
// widened_chunks.h has the products of many.
//
// Memory is read as for 16 bits, and arithmetic is float32's. A panel is read once from memory for a few rows, and from
// the cache for more. Each sum is taken over the inputs in order, so a row's result does not depend on what else is in
// the batch.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "common/fetch_ahead.h"
#include "common/lanes.h"
#include "common/storage.h"
#include "linear/panels.h"
#include "linear/row_blocks.h"

constexpr int kMostWideRows = kNumLanes == 16 ? 12 : 6;

// Numbers from one output of a panel to the next.
template <typename Weight>
constexpr int64_t kNumbersOfOutput = std::is_same_v<Weight, Bfloat16> ? 2 : 1;

// Vectors of outputs that a block of rows is multiplied with at once; the others of the panel come after.
constexpr int vectors_at_once(int num_rows) {
    int num = kPanelVectors;
    while (num > 1 && num * num_rows > kMostSums) num /= 2;
    return num;
}

// The weights of the first or second input of a pair, to as many outputs as there are lanes, from `output` on.
template <bool kSecond>
inline Floats widen_weights(const Bfloat16* pair, int64_t output) {
    const Bits pairs = load_vector<Bits>(pair + 2 * output);
    return kSecond ? second_of_pairs(pairs) : first_of_pairs(pairs);
}

template <bool kSecond>
inline Floats widen_weights(const float* pair, int64_t output) {
    return load_lanes_of(pair + kSecond * kPanelOutputs + output);
}

template <bool kSecond>
inline Floats widen_weights(const Float16* pair, int64_t output) {
    return widen_float16(load_vector<Halves>(pair + kSecond * kPanelOutputs + output));
}

// Adds what one input of a pair contributes. place: of the panel's first output that is computed.
template <bool kSecond, int kRows, int kVectors, typename Weight>
inline void add_input(const float* rows, int64_t stride, const Weight* place, Floats (&sums)[kRows][kVectors]) {
    Floats weights[kVectors];
#pragma GCC unroll 8
    for (int vector = 0; vector < kVectors; ++vector) weights[vector] = widen_weights<kSecond>(place, kNumLanes * vector);
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row) {
        const Floats input = everywhere(rows[row * stride + kSecond]);
#pragma GCC unroll 8
        for (int vector = 0; vector < kVectors; ++vector) accumulate(sums[row][vector], input, weights[vector]);
    }
}

// Writes the sums of kRows rows and of kVectors vectors of outputs, kPanelOutputs numbers from row to row. All loops over
// rows are unrolled, else GCC keeps the sums in memory.
template <int kRows, int kVectors, typename Weight>
[[gnu::noinline]] inline void multiply_wide_block(const float* rows, int64_t stride, int64_t num_inputs, const Weight* panel,
                                                  FetchAhead ahead, float* outputs) {
    Floats sums[kRows][kVectors];
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row)
#pragma GCC unroll 8
        for (int vector = 0; vector < kVectors; ++vector) sums[row][vector] = Floats{};
    for (int64_t input = 0; input < num_inputs; input += 2, panel += 2 * kPanelOutputs) {
        ahead.fetch();
        add_input<false>(rows + input, stride, panel, sums);
        // Read again, from the first cache: kept in between, weights take registers that sums need.
        const Weight* again = panel;
        __asm__("" : "+r"(again));
        add_input<true>(rows + input, stride, again, sums);
    }
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row)
#pragma GCC unroll 8
        for (int vector = 0; vector < kVectors; ++vector)
            store_lanes(sums[row][vector], outputs + row * kPanelOutputs + vector * kNumLanes);
}

// Rows that are many for a panel are multiplied block by block, each with some vectors of its outputs after another.
template <typename Weight>
using WideBlock = void (*)(const float*, int64_t, int64_t, const Weight*, FetchAhead, float*);

template <typename Weight, int... kRows>
constexpr std::array<WideBlock<Weight>, sizeof...(kRows)> wide_blocks(std::integer_sequence<int, kRows...>) {
    return {multiply_wide_block<kRows + 1, vectors_at_once(kRows + 1), Weight>...};
}

// Writes the sums of up to kMostWideRows rows. ahead(part, num_parts): what each part of the outputs fetches.
template <typename Weight, typename Ahead>
inline void multiply_wide_rows(int num_rows, const float* rows, int64_t stride, int64_t num_inputs, const Weight* panel,
                               Ahead ahead, float* sums) {
    static constexpr auto kBlocks = wide_blocks<Weight>(std::make_integer_sequence<int, kMostWideRows>());
    const int num_vectors = vectors_at_once(num_rows), num_parts = kPanelVectors / num_vectors;
    for (int part = 0; part < num_parts; ++part) {
        const int64_t output = part * num_vectors * kNumLanes;
        kBlocks[num_rows - 1](rows, stride, num_inputs, panel + output * kNumbersOfOutput<Weight>, ahead(part, num_parts),
                              sums + output);
    }
}

// Any number of rows, `stride` numbers apart. next: the panel that this thread reads after this one. emit(row, sums) is
// called for each row, with the sums of all outputs of the panel.
template <typename Weight, typename Emit>
inline void multiply_wide_panel(int64_t num_rows, const float* rows, int64_t stride, int64_t num_inputs, const Weight* panel,
                                const Weight* next, Emit emit) {
    const FetchedPanel fetched{panel, next, static_cast<int64_t>(panel_size(num_inputs) * sizeof *panel),
                               static_cast<int64_t>(2 * kPanelOutputs * sizeof *panel)};
    const int64_t num_blocks = (num_rows + kMostWideRows - 1) / kMostWideRows;
    alignas(64) float sums[kMostWideRows * kPanelOutputs];
    for (int64_t block = 0; block < num_blocks; ++block) {
        const int64_t first = num_rows * block / num_blocks, last = num_rows * (block + 1) / num_blocks;
        const int num = static_cast<int>(last - first);
        multiply_wide_rows(num, rows + first * stride, stride, num_inputs, panel,
                           [&](int part, int num_parts) { return fetched.ahead(block * num_parts + part, num_blocks * num_parts); },
                           sums);
        for (int64_t row = 0; row < num; ++row) emit(first + row, sums + row * kPanelOutputs);
    }
}
