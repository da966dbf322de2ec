// Products of rows that are rounded to 8 bits with a weight of 4, 5, 6 or 8 bits that has a scale for each group of inputs.
//
// A panel holds 32 outputs. For each group of inputs it has the scales of the outputs as float16, their mins if there are
// any, and then the weights: of 8 bits [group_size / 4][32][4], four inputs beside each other; of 4 bits [group_size / 8][32][4]
// bytes with two such quads each; of 6 bits [group_size / 16][3][32][4], two of which are as those of 4 bits, and of 5 bits
// [group_size / 32][5][32][4], four of which are (grouped_products.h). It is the same on every target.
//
// The products of a group of inputs are summed exactly, then scaled and added to the others as float32, in the order of
// inputs and never fused, so that every target gives the same bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/fetch_ahead.h"
#include "common/lanes.h"
#include "linear/grouped_products.h"
#include "linear/grouped_rows.h"
#include "linear/panels.h"
#include "linear/weight.h"

// Vectors of a panel's outputs that are computed at once, as far as registers allow.
template <typename Bits>
constexpr int grouped_vectors_at_once(int num_rows) {
    int num = static_cast<int>(kPanelOutputs / kNumLanes);
    while (num > 1 && (num_rows * Bits::kRegistersOfSum + 1) * num + Bits::kSpare > kNumRegisters) num /= 2;
    return num;
}

// Rows that meet a panel at once: as many as leave room for two vectors of outputs (four of the narrow ones of ARM).
template <typename Bits>
constexpr int most_grouped_rows() {
    constexpr int kVectors = VERBATIM_LANES == 4 && kNumRegisters == 32 ? 4 : 2;
    return std::min(12, ((kNumRegisters - Bits::kSpare) / kVectors - 1) / Bits::kRegistersOfSum);
}

// Adds the products of kRows rows with num_steps steps of weights for each of kVectors vectors of outputs. All loops over
// rows are unrolled, else GCC keeps the sums in memory, and so are those over quads, whose places in bytes are constants.
template <typename Bits, int kRows, int kVectors>
[[gnu::always_inline]] inline void add_steps(const uint8_t*& place, int64_t num_steps, FetchAhead& ahead, const int8_t*& inputs,
                                             int64_t stride, typename Bits::Sums (&sums)[kRows][kVectors]) {
    for (int64_t step = 0; step < num_steps; ++step, place += Bits::kVectorsOfStep * kVectorBytes) {
        for (int64_t vector = 0; vector < Bits::kVectorsOfStep; ++vector) ahead.fetch();
#pragma GCC unroll 8
        for (int64_t quad = 0; quad < Bits::kQuadsOfStep; ++quad, inputs += kQuadInputs) {
            typename Bits::Weights weights[kVectors];
#pragma GCC unroll 8
            for (int vector = 0; vector < kVectors; ++vector)
                weights[vector] = Bits::load(place + kQuadInputs * kNumLanes * vector, quad);
#pragma GCC unroll 12
            for (int row = 0; row < kRows; ++row) {
                const Bytes some = quad_everywhere(inputs + row * stride);
#pragma GCC unroll 8
                for (int vector = 0; vector < kVectors; ++vector) Bits::add(sums[row][vector], weights[vector], some);
            }
        }
    }
}

// Writes the sums of products of kRows rows with kVectors vectors of outputs to `totals`, [kRows][kPanelOutputs], not yet
// scaled by rows. partial: room for as many whole numbers, of sums that hold less than a group.
template <typename Bits, int kRows, int kVectors>
[[gnu::noinline]] inline void multiply_grouped_block(const uint8_t* head, const uint8_t* panel, const GroupShape& shape,
                                                     FetchAhead ahead, const GroupedRows& rows, float* totals,
                                                     int32_t* partial) {
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row)
#pragma GCC unroll 8
        for (int vector = 0; vector < kVectors; ++vector)
            store_lanes(Floats{}, totals + row * kPanelOutputs + vector * kNumLanes);
    const int64_t group_bytes = shape.group_bytes(), num_groups = shape.num_groups();
    const int64_t chunks_of_group = Bits::kHoldGroup ? 1 : std::max<int64_t>(1, shape.group_size / kChunk);
    const int64_t steps_of_chunk = shape.group_size / chunks_of_group / (kQuadInputs * Bits::kQuadsOfStep);
    const bool has_mins = shape.has_mins;
    const int8_t* inputs = rows.values;
    const int32_t* begins = rows.begins;
    const float* group_sums = rows.sums;
    for (int64_t group = 0; group < num_groups; ++group, ++begins, ++group_sums, head += group_bytes, panel += group_bytes) {
        ahead.fetch_line();
        if (has_mins) ahead.fetch_line();
        const uint8_t* place = panel;
        typename Bits::Sums sums[kRows][kVectors];
        // The whole number of a row and a vector, with those of the chunks before if there are any.
        const auto whole = [&](int row, int vector, bool has_before) {
            const Integers begun = has_before ? load_vector<Integers>(partial + row * kPanelOutputs + vector * kNumLanes)
                                              : begins[row * rows.group_stride] - Integers{};
            return Bits::total(sums[row][vector], begun);
        };
        for (int64_t chunk = 1;; ++chunk) {
#pragma GCC unroll 12
            for (int row = 0; row < kRows; ++row) {
                const auto begin = Bits::begin(begins[row * rows.group_stride]);
#pragma GCC unroll 8
                for (int vector = 0; vector < kVectors; ++vector) sums[row][vector] = begin;
            }
            add_steps<Bits>(place, steps_of_chunk, ahead, inputs, rows.stride, sums);
            if (chunk == chunks_of_group) break;
#pragma GCC unroll 12
            for (int row = 0; row < kRows; ++row)
#pragma GCC unroll 8
                for (int vector = 0; vector < kVectors; ++vector) {
                    const Integers some = whole(row, vector, chunk > 1);
                    std::memcpy(partial + row * kPanelOutputs + vector * kNumLanes, &some, sizeof some);
                }
        }
#pragma GCC unroll 8
        for (int vector = 0; vector < kVectors; ++vector) {
            const auto* const places = reinterpret_cast<const Float16*>(head) + vector * kNumLanes;
            const Floats scales = load_lanes_of(places);
            if (has_mins) {
                const Floats mins = load_lanes_of(places + kPanelOutputs);
#pragma GCC unroll 12
                for (int row = 0; row < kRows; ++row) {
                    float* const total = totals + row * kPanelOutputs + vector * kNumLanes;
                    const Floats added = as_rounded(mins * everywhere(group_sums[row * rows.group_stride]));
                    const Integers products = whole(row, vector, chunks_of_group > 1);
                    const Floats scaled = as_rounded(__builtin_convertvector(products, Floats) * scales);
                    store_lanes(as_rounded(as_rounded(load_lanes_of(total) + added) + scaled), total);
                }
            } else {
#pragma GCC unroll 12
                for (int row = 0; row < kRows; ++row) {
                    float* const total = totals + row * kPanelOutputs + vector * kNumLanes;
                    const Integers products = whole(row, vector, chunks_of_group > 1);
                    const Floats scaled = as_rounded(__builtin_convertvector(products, Floats) * scales);
                    store_lanes(as_rounded(load_lanes_of(total) + scaled), total);
                }
            }
        }
    }
}

using GroupedBlock = void (*)(const uint8_t*, const uint8_t*, const GroupShape&, FetchAhead, const GroupedRows&, float*,
                              int32_t*);

template <typename Bits, int... kRows>
constexpr std::array<GroupedBlock, sizeof...(kRows)> grouped_blocks(std::integer_sequence<int, kRows...>) {
    return {multiply_grouped_block<Bits, kRows + 1, grouped_vectors_at_once<Bits>(kRows + 1)>...};
}

// Writes outputs of a panel, which begin at `bias`, of num_rows rows.
template <typename T>
inline void finish_grouped_rows(const float* totals, const GroupedRows& rows, int64_t num_rows, const float* bias,
                                int64_t num_outputs, T* output, int64_t output_stride) {
    for (int64_t row = 0; row < num_rows; ++row) {
        const Floats scale = everywhere(rows.scales[row]);
        for (int64_t lane = 0; lane < std::min(num_outputs, kPanelOutputs); lane += kNumLanes) {
            const Floats scaled = as_rounded(load_lanes_of(totals + row * kPanelOutputs + lane) * scale);
            store_first_lanes(scaled + load_lanes_of(bias + lane), output + row * output_stride + lane, num_outputs - lane);
        }
    }
}

template <typename Bits, typename T>
void multiply_grouped_panel_of(const VerbatimWeight& weight, int64_t panel, int64_t next, const GroupedRows& rows,
                               int64_t num_rows, T* output, int64_t output_stride) {
    constexpr int kMostRows = most_grouped_rows<Bits>();
    static constexpr auto kBlocks = grouped_blocks<Bits>(std::make_integer_sequence<int, kMostRows>());
    const GroupShape shape(weight);
    const int64_t num_bytes = shape.panel_bytes(), first_output = panel * kPanelOutputs;
    const auto* const panels = static_cast<const uint8_t*>(weight.panels);
    const uint8_t* const own = panels + panel * num_bytes;
    const FetchedPanel fetched{own, panels + next * num_bytes, num_bytes, kVectorBytes};
    const int64_t num_blocks = (num_rows + kMostRows - 1) / kMostRows;
    alignas(64) float totals[kMostRows * kPanelOutputs];
    alignas(64) int32_t partial[kMostRows * kPanelOutputs];
    for (int64_t block = 0; block < num_blocks; ++block) {
        const int64_t first = num_rows * block / num_blocks, num = num_rows * (block + 1) / num_blocks - first;
        const int64_t step = grouped_vectors_at_once<Bits>(static_cast<int>(num)) * kNumLanes, parts = kPanelOutputs / step;
        const GroupedRows some = rows.from(first);
        for (int64_t part = 0; part < parts; ++part)
            kBlocks[num - 1](own + part * step * static_cast<int64_t>(sizeof(Float16)),
                             own + shape.head_bytes() + part * step * kQuadInputs, shape,
                             fetched.ahead(block * parts + part, num_blocks * parts), some, totals + part * step,
                             partial + part * step);
        finish_grouped_rows(totals, some, num, weight.bias + first_output, weight.num_outputs - first_output,
                            output + first * output_stride, output_stride);
    }
}

// One panel by num_rows rows. next: the panel that this thread reads after it. output: of row 0 and this panel.
template <typename T>
void multiply_grouped_panel(const VerbatimWeight& weight, int64_t panel, int64_t next, const GroupedRows& rows,
                            int64_t num_rows, T* output, int64_t output_stride) {
    const auto multiply = weight.num_bits == 4   ? multiply_grouped_panel_of<FourBits, T>
                          : weight.num_bits == 5 ? multiply_grouped_panel_of<FiveBits, T>
                          : weight.num_bits == 6 ? multiply_grouped_panel_of<SixBits, T>
                                                 : multiply_grouped_panel_of<EightBits, T>;
    multiply(weight, panel, next, rows, num_rows, output, output_stride);
}

// Rows that are multiplied by all panels before the next ones are; half of a core's second cache.
inline int64_t grouped_rows_at_once(int64_t num_inputs) {
    return rows_at_once(row_stride(num_inputs), most_grouped_rows<FourBits>());
}
