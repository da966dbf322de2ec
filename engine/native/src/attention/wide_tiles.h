// Keys and values of a sequence as panels of float32, and their products, for processors of every kind; for
// chunk_attention.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "attention/paged_rows.h"
#include "common/fetch_ahead.h"
#include "common/lanes.h"
#include "linear/panels.h"
#include "linear/widened_panels.h"

// T: the type of queries, keys and values, which become float32 when they are packed: each is read by many rows.
template <typename T>
struct WideTiles {
    using Number = float;  // of rows and panels
    static constexpr int64_t kRowsOfBlock = kMostWideRows;

    // Whole cache lines, and an odd number of them, since rows a power of two apart would fall into the same few sets of
    // the cache.
    static int64_t row_stride(int64_t dim) { return ((dim + 15) / 16 | 1) * 16; }

    static void copy_row(const T* row, int64_t dim, float* place) {
        widen_numbers(row, dim, place);
        if (dim % 2) place[dim] = 0.0f;  // which meets the zeros that fill a panel
    }

    // keys: [kKeysAtOnce], null where there is none. They become the outputs of panels with `dim` inputs.
    static void pack_keys(const T* const* keys, int64_t dim, float* panels) {
        for (int64_t key = 0; key < kKeysAtOnce; key += kNumLanes) {
            float* const panel = panels + key / kPanelOutputs * panel_size(dim);
            for (int64_t input = 0; input < dim; input += kNumLanes) {
                Floats numbers[kNumLanes];
                for (int64_t i = 0; i < kNumLanes; ++i)
                    numbers[i] = keys[key + i] ? load_first_lanes(keys[key + i] + input, dim - input) : Floats{};
                transpose(numbers);
                const int64_t num_inputs = std::min(kNumLanes, (dim + 1) / 2 * 2 - input);
                for (int64_t i = 0; i < num_inputs; ++i) store_lanes(numbers[i], place(panel, input + i, key % kPanelOutputs));
            }
        }
    }

    // values: likewise. They become the inputs of panels with `dim` outputs in all.
    static void pack_values(const T* const* values, int64_t dim, float* panels) {
        for (int64_t key = 0; key < kKeysAtOnce; ++key)
            for (int64_t output = 0; output < num_panels(dim) * kPanelOutputs; output += kNumLanes) {
                float* const panel = panels + output / kPanelOutputs * panel_size(kKeysAtOnce);
                const bool is_there = values[key] && output < dim;
                const Floats numbers = is_there ? load_first_lanes(values[key] + output, dim - output) : Floats{};
                store_lanes(numbers, place(panel, key, output % kPanelOutputs));
            }
    }

    // Up to kRowsOfBlock rows by a panel that is in a cache, so nothing is fetched ahead. emit(row, output, sums): for as
    // many outputs as there are lanes, from `output` on.
    template <typename Emit>
    static void multiply(int64_t num_rows, const float* rows, int64_t stride, int64_t num_inputs, const float* panel,
                         Emit emit) {
        alignas(64) float sums[kMostWideRows * kPanelOutputs];
        multiply_wide_rows(static_cast<int>(num_rows), rows, stride, num_inputs, panel,
                           [&](int, int) { return FetchAhead{reinterpret_cast<const char*>(panel), 0}; }, sums);
        for (int64_t row = 0; row < num_rows; ++row)
            for (int64_t output = 0; output < kPanelOutputs; output += kNumLanes)
                emit(row, output, load_lanes_of(sums + row * kPanelOutputs + output));
    }

    // Writes two registers of weights, which products take as rows.
    static void store_weights(Floats low, Floats high, float* weights) {
        store_lanes(low, weights);
        store_lanes(high, weights + kNumLanes);
    }

  private:
    // The place of an input's weights to as many outputs as there are lanes.
    static float* place(float* panel, int64_t input, int64_t output) { return panel + input * kPanelOutputs + output; }
};
