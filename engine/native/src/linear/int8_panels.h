// Products of rows that are rounded to 8 bits with a weight that lies in panels of 8 bits.
//
// A panel holds 32 outputs: for each of them -128 times the sum of its weights, in 32 bits, and then [num_inputs / 4][32][4],
// four inputs beside each other, padded with zeros. It is the same on every target.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "common/byte_products.h"
#include "common/fetch_ahead.h"
#include "common/lanes.h"
#include "linear/int8_rows.h"
#include "linear/panels.h"
#include "linear/weight.h"

constexpr int64_t kQuad = 4, kQuadBytes = kPanelOutputs * kQuad;

// Vectors of a panel's outputs that are computed at once, as far as registers allow; the others come after.
constexpr int int8_vectors_at_once(int num_rows) {
    int num = static_cast<int>(kPanelOutputs / kNumLanes);
    while (num > 1 && (num_rows + kWeightRegisters) * num + kSpareRegisters > kNumRegisters) num /= 2;
    return num;
}

// Rows that meet a panel at once: as many as leave room for two vectors of outputs (four of the narrow ones of ARM).
constexpr int kMostInt8Rows = VERBATIM_LANES == 4 && kNumRegisters == 32
                                  ? 6
                                  : std::min(12, (kNumRegisters - kSpareRegisters) / 2 - kWeightRegisters);

inline int64_t int8_panel_bytes(int64_t num_inputs) { return ((num_inputs + kQuad - 1) / kQuad + 1) * kQuadBytes; }

// Rows that are multiplied by all panels before the next ones are; half of a core's second cache.
inline int64_t int8_rows_at_once(int64_t num_inputs) { return rows_at_once(row_stride(num_inputs), kMostInt8Rows); }

// Some outputs of a panel. num: those that are there.
struct Outputs {
    const float *scales, *bias;
    int64_t num;
};

// Writes the outputs of kRows rows from `first` on. output: where the first of them goes. All loops over rows are
// unrolled, else GCC keeps the sums in memory.
template <int kRows, int kVectors, typename T>
[[gnu::noinline]] inline void multiply_int8_block(const int8_t* panel, int64_t num_quads, FetchAhead ahead,
                                                  const Outputs& outputs, const Int8Rows& rows, int64_t first, T* output,
                                                  int64_t output_stride) {
    Integers sums[kRows][kVectors];
#pragma GCC unroll 8
    for (int vector = 0; vector < kVectors; ++vector) {
        // This and what is added to it may pass 32 bits, and wrap; the result does not.
        const Integers begin = kInputShift ? load_vector<Integers>(panel + kQuad * kNumLanes * vector) : Integers{};
#pragma GCC unroll 12
        for (int row = 0; row < kRows; ++row) sums[row][vector] = begin;
    }
    panel += kQuadBytes;
    const int8_t* inputs = rows.values + first * rows.stride;
    for (int64_t quad = 0; quad < num_quads; ++quad, panel += kQuadBytes, inputs += kQuad) {
        ahead.fetch();
        Quads weights[kVectors];
#pragma GCC unroll 8
        for (int vector = 0; vector < kVectors; ++vector) weights[vector] = load_quads(panel + kQuad * kNumLanes * vector);
#pragma GCC unroll 12
        for (int row = 0; row < kRows; ++row) {
            const Bytes some = quad_everywhere(inputs + row * rows.stride);
#pragma GCC unroll 8
            for (int vector = 0; vector < kVectors; ++vector) add_products(sums[row][vector], weights[vector], some);
        }
    }
#pragma GCC unroll 8
    for (int vector = 0; vector < kVectors; ++vector) {
        const int64_t lane = vector * kNumLanes, num = outputs.num - lane;
        if (num <= 0) break;
        const Floats scales = load_lanes_of(outputs.scales + lane), bias = load_lanes_of(outputs.bias + lane);
#pragma GCC unroll 12
        for (int row = 0; row < kRows; ++row) {
            const Floats scale = everywhere(rows.scales[first + row]);
            const Floats scaled = as_rounded(__builtin_convertvector(sums[row][vector], Floats) * scale);
            store_first_lanes(as_rounded(scaled * scales) + bias, output + row * output_stride + lane, num);
        }
    }
}

template <typename T>
using Int8Block = void (*)(const int8_t*, int64_t, FetchAhead, const Outputs&, const Int8Rows&, int64_t, T*, int64_t);

template <typename T, int... kRows>
constexpr std::array<Int8Block<T>, sizeof...(kRows)> int8_blocks(std::integer_sequence<int, kRows...>) {
    return {multiply_int8_block<kRows + 1, int8_vectors_at_once(kRows + 1), T>...};
}

// One panel by num_rows rows. next: the panel that this thread reads after it. output: of row 0 and this panel.
template <typename T>
void multiply_int8_panel(const VerbatimWeight& weight, int64_t panel, int64_t next, const Int8Rows& rows, int64_t num_rows,
                         T* output, int64_t output_stride) {
    static constexpr auto kBlocks = int8_blocks<T>(std::make_integer_sequence<int, kMostInt8Rows>());
    const int64_t num_bytes = int8_panel_bytes(weight.num_inputs), first_output = panel * kPanelOutputs;
    const auto* const panels = static_cast<const int8_t*>(weight.panels);
    const FetchedPanel fetched{panels + panel * num_bytes, panels + next * num_bytes, num_bytes, kQuadBytes};
    const int64_t num_blocks = (num_rows + kMostInt8Rows - 1) / kMostInt8Rows;
    for (int64_t block = 0; block < num_blocks; ++block) {
        const int64_t first = num_rows * block / num_blocks, num = num_rows * (block + 1) / num_blocks - first;
        const int64_t step = int8_vectors_at_once(static_cast<int>(num)) * kNumLanes, num_parts = kPanelOutputs / step;
        for (int64_t part = 0; part < num_parts; ++part) {
            const int64_t begin = first_output + part * step;
            if (begin >= weight.num_outputs) break;
            kBlocks[num - 1](panels + panel * num_bytes + part * step * kQuad, num_bytes / kQuadBytes - 1,
                             fetched.ahead(block * num_parts + part, num_blocks * num_parts),
                             {weight.scales + begin, weight.bias + begin, weight.num_outputs - begin}, rows, first,
                             output + first * output_stride + part * step, output_stride);
        }
    }
}
