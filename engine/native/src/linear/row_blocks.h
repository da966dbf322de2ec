// Many rows as float32, in the order in which products read them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/lanes.h"
#include "linear/panels.h"

constexpr int kPanelVectors = kPanelOutputs / kNumLanes;
// Sums that are kept in registers, of which weights and inputs need the others.
constexpr int kMostSums = kNumRegisters == 32 ? 24 : 12;
constexpr int kBlockRows = kMostSums > kPanelVectors ? kMostSums / kPanelVectors : 1;
constexpr int64_t kSegment = 16;  // inputs of a row that lie beside each other: one cache line

// A group of rows in blocks of nearly one size and of kBlockRows at most, [inputs / 16][kBlockRows][16] each, so that a
// block is read in order, by one pointer. Each thread has its own: rows that another thread has widened would come from
// that one's caches, which takes longer than to widen them.
class RowBlocks {
   public:
    static RowBlocks& own() {
        thread_local RowBlocks blocks;
        return blocks;
    }

    // Replaces the rows; the first row's first input is at `rows`. Inputs are filled up with zeros to whole segments.
    template <typename T>
    void widen(const T* rows, int64_t row_stride, int64_t num_rows, int64_t num_inputs) {
        num_rows_ = num_rows;
        num_blocks_ = (num_rows + kBlockRows - 1) / kBlockRows;
        rows_of_block_ = num_rows / num_blocks_;
        num_larger_ = num_rows % num_blocks_;
        block_size_ = (num_inputs + kSegment - 1) / kSegment * kBlockRows * kSegment;
        if (static_cast<int64_t>(values_.size()) < num_blocks_ * block_size_) values_.resize(num_blocks_ * block_size_);
        for (int64_t block = 0; block < num_blocks_; ++block)
            for (int64_t row = first_row(block); row < first_row(block + 1); ++row)
                widen_row(rows + row * row_stride, num_inputs,
                          values_.data() + block * block_size_ + (row - first_row(block)) * kSegment);
        ++num_replaced_;
    }

    int64_t num_rows() const { return num_rows_; }
    int64_t num_replaced() const { return num_replaced_; }
    int64_t num_blocks() const { return num_blocks_; }
    int64_t first_row(int64_t block) const { return block * rows_of_block_ + std::min(block, num_larger_); }

    // The numbers of a block from this input on, the first of a segment.
    const float* at(int64_t block, int64_t input) const { return values_.data() + block * block_size_ + input * kBlockRows; }

   private:
    template <typename T>
    static void widen_row(const T* row, int64_t num_inputs, float* place) {
        int64_t input = 0;
        for (; input + kSegment <= num_inputs; input += kSegment, place += kBlockRows * kSegment)
            for (int64_t i = 0; i < kSegment; i += kNumLanes) store_lanes(load_lanes_of(row + input + i), place + i);
        for (int64_t i = 0; input < num_inputs && i < kSegment; i += kNumLanes)
            store_lanes(load_first_lanes(row + input + i, std::max<int64_t>(0, num_inputs - input - i)), place + i);
    }

    std::vector<float> values_;  // kept from call to call: a prompt's rows take megabytes
    int64_t num_rows_ = 0, num_blocks_ = 0, block_size_ = 0, num_replaced_ = 0;
    int64_t rows_of_block_ = 0, num_larger_ = 0;  // the first num_larger_ blocks have one row more
};
