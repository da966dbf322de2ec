// Rows of 16 bits that are multiplied as float32. Few are widened once for all threads, and many in groups by each thread
// for itself.
#pragma once

#include <array>
#include <cstdint>

#include "common/lanes.h"
#include "common/storage.h"
#include "linear/row_blocks.h"

struct WideRows {
    static constexpr int64_t kMostFew = 12;

    const Bfloat16* source;
    float* few;  // size() numbers
    int64_t source_stride, num_rows, num_inputs;
    mutable std::array<int64_t, 5> held = {};  // by the thread's blocks after the last call of blocks()

    bool are_few() const { return num_rows <= kMostFew; }

    // Numbers from one of few rows to the next: whole cache lines, and an odd number of them, since rows a power of two
    // apart would fall into the same few sets of the cache.
    int64_t stride() const { return ((num_inputs + 15) / 16 | 1) * 16; }
    int64_t size() const { return are_few() ? num_rows * stride() : 0; }
    const float* at(int64_t row) const { return few + row * stride(); }

    // Widens one of few rows. A zero follows its end, which meets the zeros that fill a panel.
    void widen(int64_t row) const {
        float* const place = few + row * stride();
        widen_numbers(source + row * source_stride, num_inputs, place);
        if (num_inputs % 2) place[num_inputs] = 0.0f;
    }

    // Returns some inputs of some of many rows, which are widened unless they are what the thread's blocks hold.
    const RowBlocks& blocks(int64_t first_row, int64_t num, int64_t first_input, int64_t num_some_inputs) const {
        RowBlocks& own = RowBlocks::own();
        const std::array<int64_t, 5> wanted{own.num_replaced(), first_row, num, first_input, num_some_inputs};
        if (held != wanted) {
            own.widen(source + first_row * source_stride + first_input, source_stride, num, num_some_inputs);
            held = wanted;
            held[0] = own.num_replaced();
        }
        return own;
    }
};
