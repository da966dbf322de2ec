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
#include "linear/octets/int8_sums.h"
#include "linear/panels.h"
#include "linear/weight.h"

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

#ifndef VERBATIM_OCTETS
// Sets the sums of kRows rows, `stride` bytes apart, and of kVectors vectors of a panel's outputs. All loops over rows are
// unrolled, else GCC keeps the sums in memory.
template <int kRows, int kVectors, bool kJoined = false>
inline void sum_int8_products(const int8_t* panel, int64_t num_quads, FetchAhead ahead, const int8_t* inputs, int64_t stride,
                              Integers (&sums)[kRows][kVectors]) {
#pragma GCC unroll 8
    for (int vector = 0; vector < kVectors; ++vector) {
        // This and what is added to it may pass 32 bits, and wrap; the result does not.
        const Integers begin = kInputShift ? load_vector<Integers>(panel + kQuad * kNumLanes * vector) : Integers{};
#pragma GCC unroll 12
        for (int row = 0; row < kRows; ++row) sums[row][vector] = begin;
    }
    panel += kQuadBytes;
    for (int64_t quad = 0; quad < num_quads; ++quad, panel += kQuadBytes, inputs += kQuad) {
        ahead.fetch();
        Quads weights[kVectors];
#pragma GCC unroll 8
        for (int vector = 0; vector < kVectors; ++vector) weights[vector] = load_quads(panel + kQuad * kNumLanes * vector);
#pragma GCC unroll 12
        for (int row = 0; row < kRows; ++row) {
            const Bytes some = quad_everywhere(inputs + row * stride);
#pragma GCC unroll 8
            for (int vector = 0; vector < kVectors; ++vector) add_products(sums[row][vector], weights[vector], some);
        }
    }
}
#endif

// Writes the outputs of kRows rows from `first` on. output: where the first of them goes. kJoined: whether the panel's lines
// are joined, as octets/sums.h has it.
template <int kRows, int kVectors, bool kJoined, typename T>
[[gnu::noinline]] inline void multiply_int8_block(const int8_t* panel, int64_t num_quads, FetchAhead ahead,
                                                  const Outputs& outputs, const Int8Rows& rows, int64_t first, T* output,
                                                  int64_t output_stride) {
    Integers sums[kRows][kVectors];
    sum_int8_products<kRows, kVectors, kJoined>(panel, num_quads, ahead, rows.values + first * rows.stride, rows.stride, sums);
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

template <bool kJoined, typename T, int... kRows>
constexpr std::array<Int8Block<T>, sizeof...(kRows)> int8_blocks(std::integer_sequence<int, kRows...>) {
    return {multiply_int8_block<kRows + 1, int8_vectors_at_once(kRows + 1), kJoined, T>...};
}

// One panel by num_rows rows. own: the panel, or a copy whose lines are joined.
template <bool kJoined, typename T>
void multiply_int8_rows(const VerbatimWeight& weight, int64_t panel, const int8_t* own, const int8_t* next, const Int8Rows& rows,
                        int64_t num_rows, T* output, int64_t output_stride) {
    static constexpr auto kBlocks = int8_blocks<kJoined, T>(std::make_integer_sequence<int, kMostInt8Rows>());
    const int64_t num_bytes = int8_panel_bytes(weight.num_inputs), first_output = panel * kPanelOutputs;
    const FetchedPanel fetched{own, next, num_bytes, kQuadBytes};
    const auto step = [](int64_t num) { return int8_vectors_at_once(static_cast<int>(num)) * kNumLanes; };
    const auto num_parts = [&](int64_t num) { return kPanelOutputs / step(num); };
    for_each_part(num_rows, kMostInt8Rows, num_parts, fetched, [&](int64_t first, int64_t num, int64_t part, FetchAhead ahead) {
        const int64_t place = part * step(num), begin = first_output + place;
        if (begin >= weight.num_outputs) return;
        kBlocks[num - 1](own + place * kQuad, num_bytes / kQuadBytes - 1, ahead,
                         {weight.scales + begin, weight.bias + begin, weight.num_outputs - begin}, rows, first,
                         output + first * output_stride + place, output_stride);
    });
}

// One panel by num_rows rows. next: the panel that this thread reads after it. output: of row 0 and this panel.
template <typename T>
void multiply_int8_panel(const VerbatimWeight& weight, int64_t panel, int64_t next, const Int8Rows& rows, int64_t num_rows,
                         T* output, int64_t output_stride) {
    const int64_t num_bytes = int8_panel_bytes(weight.num_inputs);
    const auto* const panels = static_cast<const int8_t*>(weight.panels);
    const int8_t *const own = panels + panel * num_bytes, *const following = panels + next * num_bytes;
#ifdef VERBATIM_MATRICES
    if (num_rows > 2 * kMostInt8Rows) {  // joining pays from three blocks of rows on, by the number of instructions
        const int8_t* const joined = joined_int8_panel(own, num_bytes);
        return multiply_int8_rows<true>(weight, panel, joined, following, rows, num_rows, output, output_stride);
    }
#endif
    multiply_int8_rows<false>(weight, panel, own, following, rows, num_rows, output, output_stride);
}
