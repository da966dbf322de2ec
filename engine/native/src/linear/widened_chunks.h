// Products of many rows of float32 with a weight that lies in panels. The weights of a chunk of inputs become float32
// once for all rows, in memory that stays in the first-level cache, and so do the sums of the chunks so far.
//
// Each sum is taken over the inputs in order, as in widened_panels.h, so a row's result is the same bit for bit.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/fetch_ahead.h"
#include "common/lanes.h"
#include "linear/panels.h"
#include "linear/wide_rows.h"
#include "linear/widened_panels.h"

constexpr int64_t kChunkInputs = 128;        // 16 KiB of widened weights: half of the first-level cache
constexpr int64_t kFewestRowsOfChunk = 96;   // that a weight is widened for, so that this costs 1 to 2%
constexpr int64_t kMostRowsOfChunk = 192;
constexpr int64_t kMostPanelsOfChunk = 4;

// wide: [num_inputs, filled up with zeros to whole segments][kPanelOutputs].
template <typename Weight>
inline void widen_chunk(const Weight* panel, int64_t num_inputs, float* wide) {
    int64_t input = 0;
    for (; input < num_inputs; input += 2, panel += 2 * kPanelOutputs, wide += 2 * kPanelOutputs) {
#pragma GCC unroll 8
        for (int64_t output = 0; output < kPanelOutputs; output += kNumLanes) {
            store_lanes(widen_pairs<false>(panel + 2 * output), wide + output);
            store_lanes(widen_pairs<true>(panel + 2 * output), wide + kPanelOutputs + output);
        }
    }
    for (; input % kSegment; ++input, wide += kPanelOutputs) std::memset(wide, 0, kPanelOutputs * sizeof *wide);
}

// Numbers from a block's beginning to the place that its rows are read relative to, so that their distances from there
// take one byte in an instruction: longer ones are decoded more slowly.
constexpr int64_t kMiddle = kNumLanes == 16 ? 128 : 32;

// Adds what one input contributes. rows: kMiddle numbers after that input of the block's first row. Half of what an
// instruction could read from memory is loaded into registers before: if all of it were read by them, loads would take
// longer than the arithmetic, and if none, there would be more instructions.
template <int kRows>
inline void add_input(const float* rows, const float* weights, Floats (&sums)[kRows][kPanelVectors]) {
    if constexpr (kPanelVectors < kBlockRows) {
        Floats kept[kPanelVectors];
#pragma GCC unroll 8
        for (int vector = 0; vector < kPanelVectors; ++vector) kept[vector] = load_lanes_of(weights + vector * kNumLanes);
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
            const float* const place = weights + vector * kNumLanes;
            const Floats kept = vector % 2 ? Floats{} : load_lanes_of(place);
#pragma GCC unroll 12
            for (int row = 0; row < kRows; ++row) {
                if (vector % 2)
                    accumulate_from(sums[row][vector], inputs[row], place);
                else
                    accumulate(sums[row][vector], inputs[row], kept);
            }
        }
    }
}

// Adds the products of a block's first kRows rows with the inputs of some segments to `outputs`, [kRows][kPanelOutputs].
// Fetches num_lines cache lines from `fetched` on for each segment.
template <int kRows>
[[gnu::noinline]] inline void add_segments(const float* rows, int64_t num_segments, const float* weights,
                                           const char* fetched, int64_t num_lines, float* outputs) {
    constexpr int kUnrolled = 4;
    Floats sums[kRows][kPanelVectors];
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row)
#pragma GCC unroll 8
        for (int vector = 0; vector < kPanelVectors; ++vector)
            sums[row][vector] = load_lanes_of(outputs + row * kPanelOutputs + vector * kNumLanes);
    rows += kMiddle;
    for (int64_t segment = 0; segment < num_segments; ++segment, rows += (kBlockRows - 1) * kSegment) {
        for (int64_t line = 0; line < num_lines; ++line, fetched += kLine) __builtin_prefetch(fetched);
        for (int64_t input = 0; input < kSegment; input += kUnrolled, rows += kUnrolled, weights += kUnrolled * kPanelOutputs) {
            __asm__("" : "+r"(rows), "+r"(weights));
#pragma GCC unroll 4
            for (int each = 0; each < kUnrolled; ++each) add_input<kRows>(rows + each, weights + each * kPanelOutputs, sums);
        }
    }
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row)
#pragma GCC unroll 8
        for (int vector = 0; vector < kPanelVectors; ++vector)
            store_lanes(sums[row][vector], outputs + row * kPanelOutputs + vector * kNumLanes);
}

using AddSegments = void (*)(const float*, int64_t, const float*, const char*, int64_t, float*);

template <int... kRows>
constexpr std::array<AddSegments, sizeof...(kRows)> segment_blocks(std::integer_sequence<int, kRows...>) {
    return {add_segments<kRows + 1>...};
}

// Adds the products of rows in blocks with a chunk of inputs to `sums`, [num_rows][kPanelOutputs]. rows: the chunk's first
// input of the first row; stride: the numbers that a row takes in all. fetched: the chunk that this thread reads next.
template <typename Weight>
inline void add_chunk(int64_t num_rows, const float* rows, int64_t stride, int64_t num_inputs, const Weight* panel,
                      const Weight* fetched, float* sums) {
    static constexpr auto kBlocks = segment_blocks(std::make_integer_sequence<int, kBlockRows>());
    alignas(64) float wide[kChunkInputs * kPanelOutputs];
    widen_chunk(panel, num_inputs, wide);
    const int64_t num_segments = (num_inputs + kSegment - 1) / kSegment, num_blocks = (num_rows + kBlockRows - 1) / kBlockRows;
    const int64_t num_bytes = num_inputs * kPanelOutputs * static_cast<int64_t>(sizeof *panel);
    const int64_t num_lines = (num_bytes / kLine + num_segments * num_blocks - 1) / (num_segments * num_blocks);
    const char *place = reinterpret_cast<const char*>(fetched), *const end = place + num_bytes;
    for (int64_t first = 0; first < num_rows; first += kBlockRows, place += num_segments * num_lines * kLine)
        kBlocks[std::min<int64_t>(kBlockRows, num_rows - first) - 1](
            rows + first * stride, num_segments, wide, place, place < end ? num_lines : 0, sums + first * kPanelOutputs);
}

// Multiplies kMostRowsOfChunk rows at most, in blocks from `rows` on, with kMostPanelsOfChunk panels at most of the weight
// at `weight`. emit(i, row, sums) is called for the i-th panel and each row.
template <typename Weight, typename Emit>
inline void multiply_blocks(int64_t num_rows, const float* rows, int64_t stride, int64_t num_inputs, const Weight* weight,
                            const PanelsTogether& panels, Emit emit) {
    alignas(64) float sums[kMostPanelsOfChunk][kMostRowsOfChunk * kPanelOutputs];
    for (int64_t i = 0; i < panels.num; ++i) std::memset(sums[i], 0, num_rows * kPanelOutputs * sizeof *sums[i]);
    const int64_t num_even = (num_inputs + 1) / 2 * 2, num_chunks = (num_even + kChunkInputs - 1) / kChunkInputs;
    const int64_t most = ((num_even + num_chunks - 1) / num_chunks + kSegment - 1) / kSegment * kSegment;
    const auto place = [&](int64_t panel, int64_t input) {
        return weight + panel * panel_size(num_inputs) + input * kPanelOutputs;
    };
    for (int64_t begin = 0; begin < num_even; begin += most) {
        const int64_t end = std::min(begin + most, num_even);
        for (int64_t i = 0; i < panels.num; ++i) {
            const Weight* following = i + 1 < panels.num ? place(panels.at(i + 1), begin)
                                      : end < num_even   ? place(panels.first, end)
                                                         : place(panels.next, 0);
            add_chunk(num_rows, rows + begin * kBlockRows, stride, end - begin, place(panels.at(i), begin), following, sums[i]);
        }
    }
    for (int64_t i = 0; i < panels.num; ++i)
        for (int64_t row = 0; row < num_rows; ++row) emit(i, row, sums[i] + row * kPanelOutputs);
}
