// Products of many rows of float32 with a weight that lies in panels. The weights of a chunk of inputs become float32
// once for all rows, in memory that stays in the caches, and so do the sums of the chunks so far.
//
// Each sum is taken over the inputs in order, as in widened_panels.h, so a row's result is the same bit for bit.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "common/fetch_ahead.h"
#include "common/lanes.h"
#include "linear/panels.h"
#include "linear/row_blocks.h"
#include "linear/wide_rows.h"
#include "linear/widened_panels.h"

// Inputs of a chunk. Where a block has many rows for each vector of weights, these come from the second-level cache fast
// enough, and sums are read and written more seldom; elsewhere they take half of the first-level cache.
constexpr int64_t kChunkInputs = kPanelVectors < kBlockRows ? 640 : 128;
constexpr int64_t kFewestRowsOfChunk = 96;  // of a group, so that weights are widened for many
constexpr int64_t kMostRowsOfChunk = 192;
constexpr int64_t kMostPanelsOfChunk = 8;
constexpr int64_t kFewestPanelsOfChunk = 4;  // that rows are widened for chunk by chunk
constexpr int64_t kWideRowsBytes = 1 << 19;  // that stay in the second-level cache

// Numbers from a segment's beginning to the place that its rows are read relative to, so that their distances from there
// take one byte in an instruction.
constexpr int64_t kMiddle = kNumLanes == 16 ? 128 : 32;

// An input's weights that are float32 already.
struct WideWeights {
    static constexpr bool kAreInMemory = true;
    const float* place;

    Floats at(int vector) const { return load_lanes_of(place + vector * kNumLanes); }
};

// An input's weights that become float32, and are written to `place` for the next rows.
template <typename Weight, bool kSecond>
struct NarrowWeights {
    static constexpr bool kAreInMemory = false;
    const Weight* panel;
    float* place;

    Floats at(int vector) const {
        const Floats weights = widen_weights<kSecond>(panel, kNumLanes * vector);
        store_lanes(weights, place + vector * kNumLanes);
        return weights;
    }
};

// Adds what one input contributes. rows: kMiddle numbers after that input of the block's first row. Of the numbers that
// several instructions need, some are read from memory by each: if all were loaded before, there would be more instructions,
// and if none, more loads than there is time for.
template <int kRows, typename Weights>
inline void add_input(const float* rows, const Weights& weights, Floats (&sums)[kRows][kPanelVectors]) {
    if constexpr (kPanelVectors < kBlockRows) {
        Floats kept[kPanelVectors];
#pragma GCC unroll 8
        for (int vector = 0; vector < kPanelVectors; ++vector) kept[vector] = weights.at(vector);
#pragma GCC unroll 12
        for (int row = 0; row < kRows; ++row) {
            const float* const place = rows + (row * kSegment - kMiddle);
            const Floats input = everywhere(row % 2 ? 0.0f : *place);
#pragma GCC unroll 8
            for (int vector = 0; vector < kPanelVectors; ++vector) {
                if (row % 2)
                    accumulate_everywhere(sums[row][vector], kept[vector], place);
                else
                    accumulate(sums[row][vector], kept[vector], input);
            }
        }
    } else {
        Floats inputs[kRows];
#pragma GCC unroll 12
        for (int row = 0; row < kRows; ++row) inputs[row] = everywhere(rows[row * kSegment - kMiddle]);
#pragma GCC unroll 8
        for (int vector = 0; vector < kPanelVectors; ++vector) {
            constexpr bool kReads = Weights::kAreInMemory;
            const Floats kept = kReads && vector == 0 ? Floats{} : weights.at(vector);
#pragma GCC unroll 12
            for (int row = 0; row < kRows; ++row) {
                if constexpr (kReads)
                    if (vector == 0) {
                        accumulate_from(sums[row][vector], inputs[row], weights.place);
                        continue;
                    }
                accumulate(sums[row][vector], inputs[row], kept);
            }
        }
    }
}

// Adds the products of a block's first kRows rows with the inputs of some segments to `outputs`, [kRows][kPanelOutputs].
// wide: [num_inputs][kPanelOutputs]; it is written first, from `panel`, unless Weight is float. Fetches num_lines cache
// lines from `fetched` on for each segment.
template <int kRows, typename Weight>
[[gnu::noinline]] inline void add_segments(const float* rows, int64_t num_segments, const Weight* panel, float* wide,
                                           const char* fetched, int64_t num_lines, float* outputs) {
    constexpr int kUnrolled = 8;
    Floats sums[kRows][kPanelVectors];
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row)
#pragma GCC unroll 8
        for (int vector = 0; vector < kPanelVectors; ++vector)
            sums[row][vector] = load_lanes_of(outputs + row * kPanelOutputs + vector * kNumLanes);
    rows += kMiddle;
    for (; num_segments > 0; --num_segments, rows += (kBlockRows - 1) * kSegment) {
        for (int64_t line = 0; line < num_lines; ++line, fetched += kLine) __builtin_prefetch(fetched);
        for (int64_t begin = 0; begin < kSegment; begin += kUnrolled) {
            __asm__("" : "+r"(rows), "+r"(wide), "+r"(panel));  // else g++ keeps a pointer for each input
            if constexpr (std::is_same_v<Weight, float>) {
#pragma GCC unroll 8
                for (int input = 0; input < kUnrolled; ++input)
                    add_input<kRows>(rows + input, WideWeights{wide + input * kPanelOutputs}, sums);
            } else {
#pragma GCC unroll 4
                for (int input = 0; input < kUnrolled; input += 2) {
                    const Weight* const pairs = panel + input * kPanelOutputs;
                    float* const place = wide + input * kPanelOutputs;
                    add_input<kRows>(rows + input, NarrowWeights<Weight, false>{pairs, place}, sums);
                    add_input<kRows>(rows + input + 1, NarrowWeights<Weight, true>{pairs, place + kPanelOutputs}, sums);
                }
                panel += kUnrolled * kPanelOutputs;
            }
            rows += kUnrolled;
            wide += kUnrolled * kPanelOutputs;
        }
    }
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row)
#pragma GCC unroll 8
        for (int vector = 0; vector < kPanelVectors; ++vector)
            store_lanes(sums[row][vector], outputs + row * kPanelOutputs + vector * kNumLanes);
}

template <typename Weight>
using AddSegments = void (*)(const float*, int64_t, const Weight*, float*, const char*, int64_t, float*);

template <typename Weight, int... kRows>
constexpr std::array<AddSegments<Weight>, sizeof...(kRows)> segment_blocks(std::integer_sequence<int, kRows...>) {
    return {add_segments<kRows + 1, Weight>...};
}

// Adds the products of rows with a chunk of inputs to `sums`, [num_rows][kPanelOutputs]. begin: the first of them in the
// blocks; panel: their weights; fetched: those that this thread reads next.
template <typename Weight>
inline void add_chunk(const RowBlocks& rows, int64_t begin, int64_t num_inputs, const Weight* panel, const Weight* fetched,
                      float* sums) {
    constexpr auto kAllRows = std::make_integer_sequence<int, kBlockRows>();
    static constexpr auto kNarrow = segment_blocks<Weight>(kAllRows);
    static constexpr auto kWide = segment_blocks<float>(kAllRows);
    alignas(64) float wide[kChunkInputs * kPanelOutputs];
    alignas(64) Weight filled[kChunkInputs * kPanelOutputs];
    const int64_t num_segments = (num_inputs + kSegment - 1) / kSegment, num_blocks = rows.num_blocks();
    const int64_t num_bytes = num_inputs * kPanelOutputs * static_cast<int64_t>(sizeof *panel);
    if (num_inputs % kSegment) {  // the last of a panel is filled up with zeros
        std::memset(filled, 0, num_segments * kSegment * kPanelOutputs * sizeof *filled);
        panel = static_cast<const Weight*>(std::memcpy(filled, panel, num_bytes));
    }
    const int64_t num_lines = (num_bytes / kLine + num_segments * num_blocks - 1) / (num_segments * num_blocks);
    const char *place = reinterpret_cast<const char*>(fetched), *const last = place + num_bytes;
    for (int64_t block = 0; block < num_blocks; ++block, place += num_segments * num_lines * kLine) {
        const int64_t first = rows.first_row(block), num_rows = rows.first_row(block + 1) - first;
        const int64_t num_fetched = place < last ? num_lines : 0;
        const float* const block_rows = rows.at(block, begin);
        float* const outputs = sums + first * kPanelOutputs;
        if (block == 0)
            kNarrow[num_rows - 1](block_rows, num_segments, panel, wide, place, num_fetched, outputs);
        else
            kWide[num_rows - 1](block_rows, num_segments, wide, wide, place, num_fetched, outputs);
    }
}

// Multiplies kMostRowsOfChunk rows at most with kMostPanelsOfChunk panels at most of the weight at `weight`.
// emit(i, row, sums) is called for the i-th panel and each row.
template <typename Weight, typename Emit>
inline void multiply_blocks(const WideRows& rows, int64_t first_row, int64_t num_rows, const Weight* weight,
                            const PanelsTogether& panels, Emit emit) {
    alignas(64) float sums[kMostPanelsOfChunk][kMostRowsOfChunk * kPanelOutputs];
    for (int64_t i = 0; i < panels.num; ++i) std::memset(sums[i], 0, num_rows * kPanelOutputs * sizeof *sums[i]);
    const int64_t num_inputs = rows.num_inputs, num_even = (num_inputs + 1) / 2 * 2;
    const int64_t num_chunks = (num_even + kChunkInputs - 1) / kChunkInputs;
    const int64_t most = ((num_even + num_chunks - 1) / num_chunks + kSegment - 1) / kSegment * kSegment;
    const bool by_chunk = panels.num >= kFewestPanelsOfChunk && num_rows * num_inputs * 4 > kWideRowsBytes;
    for_each_chunk(weight, panels, num_even, most,
                   [&](int64_t i, int64_t begin, int64_t end, const Weight* chunk, const Weight* next) {
                       const int64_t first = by_chunk ? begin : 0, last = by_chunk ? std::min(end, num_inputs) : num_inputs;
                       const RowBlocks& blocks = rows.blocks(first_row, num_rows, first, last - first);
                       add_chunk(blocks, begin - first, end - begin, chunk, next, sums[i]);
                   });
    for (int64_t i = 0; i < panels.num; ++i)
        for (int64_t row = 0; row < num_rows; ++row) emit(i, row, sums[i] + row * kPanelOutputs);
}
