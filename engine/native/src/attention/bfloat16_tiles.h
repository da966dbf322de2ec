// Keys and values of a sequence as panels of bfloat16_panels.h, and their products by vdpbf16ps; for chunk_attention.cpp.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "attention/paged_rows.h"
#include "common/fetch_ahead.h"
#include "common/lanes.h"
#include "common/storage.h"
#include "linear/bfloat16_panels.h"
#include "linear/bfloat16_product.h"

// See WideTiles in wide_tiles.h.
struct Bfloat16Tiles {
    using Number = Bfloat16;
    static constexpr int64_t kRowsOfBlock = kMostRows;

    static int64_t row_stride(int64_t dim) { return dim; }

    static void copy_row(const Bfloat16* row, int64_t dim, Bfloat16* place) { std::memcpy(place, row, dim * sizeof *row); }

    static void pack_keys(const Bfloat16* const* keys, int64_t dim, Bfloat16* panels) {
        for (int64_t i = 0; i < kKeysAtOnce; i += kPanelOutputs)
            pack_panel_of_keys(keys + i, dim, panels + i / kPanelOutputs * panel_size(dim));
    }

    static void pack_values(const Bfloat16* const* values, int64_t dim, Bfloat16* panels) {
        alignas(64) uint16_t order[2][kPanelOutputs];
        for (int i = 0; i < kPanelOutputs; ++i) {
            order[0][i] = static_cast<uint16_t>(i / 2 + i % 2 * 32);
            order[1][i] = static_cast<uint16_t>(order[0][i] + 16);
        }
        const __m512i low = _mm512_load_si512(order[0]), high = _mm512_load_si512(order[1]);
        for (int64_t input = 0; input < kKeysAtOnce; input += 2)
            for (int64_t panel = 0; panel < num_panels(dim); ++panel) {
                const int64_t output = panel * kPanelOutputs, num_there = dim - output;
                const __mmask32 mask = lanes_below(num_there) | static_cast<__mmask32>(lanes_below(num_there - 16)) << 16;
                __m512i pair[2];
                for (int64_t i = 0; i < 2; ++i) {
                    const Bfloat16* row = values[input + i];
                    pair[i] = row ? _mm512_maskz_loadu_epi16(mask, row + output) : _mm512_setzero_si512();
                }
                Bfloat16* place = panels + panel * panel_size(kKeysAtOnce) + input * kPanelOutputs;
                _mm512_storeu_si512(place, _mm512_permutex2var_epi16(pair[0], low, pair[1]));
                _mm512_storeu_si512(place + kPanelOutputs, _mm512_permutex2var_epi16(pair[0], high, pair[1]));
            }
    }

    template <typename Emit>
    static void multiply(int64_t num_rows, const Bfloat16* rows, int64_t stride, int64_t num_inputs, const Bfloat16* panel,
                         Emit emit) {
        const FetchAhead nothing{reinterpret_cast<const char*>(panel), 0};
        const auto emit_both = [&](int64_t row, const PanelSums& sums) {
            emit(row, 0, (Floats)sums.low);
            emit(row, kNumLanes, (Floats)sums.high);
        };
        multiply_some<kMostRows>(num_rows, rows, stride, num_inputs, panel, nothing, NoSums(), emit_both);
    }

    static void store_weights(Floats low, Floats high, Bfloat16* weights) {
        _mm512_storeu_si512(weights, (__m512i)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low));
    }

  private:
    // 32 keys, which are the outputs of a panel.
    static void pack_panel_of_keys(const Bfloat16* const* rows, int64_t dim, Bfloat16* panel) {
        int64_t num = 0;
        while (num < kPanelOutputs && rows[num]) ++num;
        if (num < kPanelOutputs || dim % 2) std::memset(panel, 0, panel_size(dim) * sizeof *panel);
        int64_t input = 0;
        for (; input + 1 < dim; input += 2)
            for (int64_t i = 0; i < num; ++i) std::memcpy(panel + input * kPanelOutputs + 2 * i, rows[i] + input, 4);
        if (input < dim)
            for (int64_t i = 0; i < num; ++i) panel[input * kPanelOutputs + 2 * i] = rows[i][input];
    }
};
