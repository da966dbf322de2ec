// Products of rows of bfloat16 with a weight that lies in panels, by BFDOT and BFMMLA of ARM.
//
// A panel is read once from memory for up to six rows, and from the cache for more. Many rows are multiplied chunk by chunk,
// several panels together: the lines of a chunk are joined once, in memory that stays in the first-level cache. Each sum is taken over the inputs in order, so a
// row's result does not depend on what else is in the batch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/fetch_ahead.h"
#include "common/lanes.h"
#include "common/storage.h"
#include "linear/octets/sums.h"
#include "linear/panels.h"

constexpr int64_t kMostRows = 6;
constexpr int64_t kInputsOfPairChunk = 256;  // of a panel these take 16 KB
constexpr int64_t kLineBytes = 2 * kPanelOutputs * sizeof(Bfloat16);
constexpr int64_t kMostRowsOfPairChunk = 16 * kMostRows, kMostPanelsOfPairChunk = 8;

// Joining pays from three blocks of rows on, by the number of instructions.
inline bool are_pairs_chunked(int64_t num_rows, int64_t) { return num_rows > 2 * kMostRows; }

// Vectors of outputs that a block of rows is multiplied with at once: their sums take 24 of the 32 registers at most.
constexpr int octet_vectors_at_once(int num_rows) { return num_rows < kFewestRowsOfMatrices ? 8 : 4; }

// Adds the products of kRows rows with kVectors vectors of outputs to `sums`, kPanelOutputs numbers from row to row.
// kJoined: whether the panel's lines are joined.
template <int kRows, int kVectors, bool kJoined>
[[gnu::noinline]] inline void add_pairs(const Bfloat16* rows, int64_t stride, int64_t num_inputs, const Bfloat16* panel,
                                        FetchAhead ahead, float* sums) {
    constexpr int64_t kLineNumbers = 2 * kPanelOutputs, kInputsAtOnce = 4;
    static constexpr Bfloat16 kNoWeights[2 * kNumLanes * kVectors] = {};
    const auto place = [&](int row, int vector) { return sums + row * kPanelOutputs + vector * kNumLanes; };
    OctetSums<Floats, kRows, kVectors, kJoined> octets([&](int row, int vector) { return load_lanes_of(place(row, vector)); });
    for (; num_inputs >= kInputsAtOnce; num_inputs -= kInputsAtOnce, rows += kInputsAtOnce, panel += 2 * kLineNumbers) {
        ahead.fetch();
        ahead.fetch();
        octets.add(panel, panel + kLineNumbers, [&](int row) { return load_vector<Octet>(rows + row * stride); });
    }
    if (num_inputs > 0)
        octets.add(panel, kJoined || num_inputs > 2 ? panel + kLineNumbers : kNoWeights, [&](int row) {
            Octet some{};  // what follows a row may be no number
            std::memcpy(&some, rows + row * stride, num_inputs * sizeof *rows);
            return some;
        });
#pragma GCC unroll 6
    for (int row = 0; row < kRows; ++row)
#pragma GCC unroll 8
        for (int vector = 0; vector < kVectors; ++vector) store_lanes(octets.at(row, vector), place(row, vector));
}

using AddPairs = void (*)(const Bfloat16*, int64_t, int64_t, const Bfloat16*, FetchAhead, float*);

template <bool kJoined, int... kRows>
constexpr std::array<AddPairs, sizeof...(kRows)> pair_blocks(std::integer_sequence<int, kRows...>) {
    return {add_pairs<kRows + 1, octet_vectors_at_once(kRows + 1), kJoined>...};
}

// Adds the products of any number of rows with some inputs of a panel to `sums`, [num_rows][kPanelOutputs]. next: what this
// thread reads after them.
template <bool kJoined>
inline void add_panel(int64_t num_rows, const Bfloat16* rows, int64_t stride, int64_t num_inputs, const Bfloat16* panel,
                      const Bfloat16* next, float* sums) {
    static constexpr auto kBlocks = pair_blocks<kJoined>(std::make_integer_sequence<int, kMostRows>());
    const FetchedPanel fetched{panel, next, panel_size(num_inputs) * static_cast<int64_t>(sizeof *panel), kLineBytes};
    const auto num_parts = [](int64_t num) { return kPanelOutputs / kNumLanes / octet_vectors_at_once(static_cast<int>(num)); };
    for_each_part(num_rows, kMostRows, num_parts, fetched, [&](int64_t first, int64_t num, int64_t part, FetchAhead ahead) {
        const int64_t output = part * (kPanelOutputs / num_parts(num));
        kBlocks[num - 1](rows + first * stride, stride, num_inputs, panel + 2 * output, ahead,
                         sums + first * kPanelOutputs + output);
    });
}

// kMostRowsOfPairChunk rows at most, and kMostPanelsOfPairChunk panels at most of the weight at `weight`. emit(i, row, sums)
// is called for the i-th panel and each row, with the sums of all outputs of the panel.
template <typename Emit>
inline void multiply_pairs(int64_t num_rows, const Bfloat16* rows, int64_t stride, int64_t num_inputs, const Bfloat16* weight,
                           const PanelsTogether& panels, Emit emit) {
    alignas(64) float sums[kMostPanelsOfPairChunk][kMostRowsOfPairChunk * kPanelOutputs];
    for (int64_t i = 0; i < panels.num; ++i) std::memset(sums[i], 0, num_rows * kPanelOutputs * sizeof *sums[i]);
    if (are_pairs_chunked(num_rows, num_inputs)) {
        alignas(64) Bfloat16 joined[kInputsOfPairChunk * kPanelOutputs];
        for_each_chunk(weight, panels, num_inputs, kInputsOfPairChunk,
                       [&](int64_t i, int64_t begin, int64_t end, const Bfloat16* chunk, const Bfloat16* next) {
                           join_lines(chunk, (end - begin + 1) / 2, kLineBytes, joined);
                           add_panel<true>(num_rows, rows + begin, stride, end - begin, joined, next, sums[i]);
                       });
    } else {
        for_each_chunk(weight, panels, num_inputs, num_inputs,
                       [&](int64_t i, int64_t, int64_t, const Bfloat16* panel, const Bfloat16* next) {
                           add_panel<false>(num_rows, rows, stride, num_inputs, panel, next, sums[i]);
                       });
    }
    for (int64_t i = 0; i < panels.num; ++i)
        for (int64_t row = 0; row < num_rows; ++row) emit(i, row, sums[i] + row * kPanelOutputs);
}
