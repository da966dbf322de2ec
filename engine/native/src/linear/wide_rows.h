// Rows of bfloat16 that are widened to float32 before they are multiplied.
//
// Few rows lie one after another. Many lie in blocks of kBlockRows, [inputs / 16][kBlockRows][16], so that a block is read
// in order, by one pointer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/lanes.h"
#include "common/storage.h"
#include "linear/panels.h"

constexpr int kPanelVectors = kPanelOutputs / kNumLanes;
// Sums that are kept in registers, of which weights and inputs need the rest.
constexpr int kMostSums = kNumRegisters == 32 ? 24 : 12;
constexpr int kBlockRows = kMostSums > kPanelVectors ? kMostSums / kPanelVectors : 1;
constexpr int64_t kSegment = 16;  // inputs of a row that lie beside each other: one cache line

struct WideRows {
    static constexpr int64_t kFewestOfBlocks = 25;  // rows that are put in blocks

    float* values;
    int64_t num_rows, num_inputs;

    // Numbers from one row to the next: whole cache lines, and an odd number of them, since rows a power of two apart
    // would fall into the same few sets of the cache.
    int64_t stride() const { return ((num_inputs + kSegment - 1) / kSegment | 1) * kSegment; }
    bool are_in_blocks() const { return num_rows >= kFewestOfBlocks; }
    int64_t size() const { return (num_rows + kBlockRows - 1) / kBlockRows * kBlockRows * stride(); }

    // The first number of a row; of the first row of a block if they are in blocks.
    const float* at(int64_t row) const { return values + row * stride(); }

    // Zeros follow the row's end, which meet the zeros that fill a panel.
    void widen(int64_t row, const Bfloat16* source) const {
        const int64_t row_of_block = are_in_blocks() ? row % kBlockRows : 0;
        const int64_t step = are_in_blocks() ? kBlockRows * kSegment : kSegment;
        float* place = values + (row - row_of_block) * stride() + row_of_block * kSegment;
        int64_t input = 0;
        for (; input + kSegment <= num_inputs; input += kSegment, place += step)
            for (int64_t i = 0; i < kSegment; i += kNumLanes) store_lanes(load_lanes_of(source + input + i), place + i);
        for (int64_t i = 0; input < num_inputs && i < kSegment; i += kNumLanes)
            store_lanes(load_first_lanes(source + input + i, std::max<int64_t>(0, num_inputs - input - i)), place + i);
    }
};
