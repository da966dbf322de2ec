// Keys and values of a sequence as panels of bfloat16_panels.h; for chunk_attention.cpp.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "linear/bfloat16_panels.h"
#include "linear/bfloat16_product.h"

constexpr int64_t kKeysAtOnce = 128;  // with their values two thirds of a first-level cache, where dim is 64

// Keys or values `first` to `last` of a sequence where they lie. What is outside counts as zeros: it may be of
// another sequence and hold a NaN, which a weight of 0 does not stop.
struct PagedRows {
    const Bfloat16* pages;  // [num_blocks, block_size, num_heads, dim], from the head on that is read
    const int64_t* blocks;  // of the sequence
    int64_t block_size, num_heads, dim, first, last;

    const Bfloat16* row(int64_t key) const {
        return pages + (blocks[key / block_size] * block_size + key % block_size) * num_heads * dim;
    }
    bool has(int64_t key) const { return first <= key && key < last; }
};

// 32 keys from `begin` on, which are the outputs of a panel.
inline void pack_panel_of_keys(const PagedRows& keys, int64_t begin, Bfloat16* panel) {
    const int64_t from = std::clamp<int64_t>(keys.first - begin, 0, kPanelOutputs);
    const int64_t to = std::clamp<int64_t>(keys.last - begin, 0, kPanelOutputs);
    if (to - from < kPanelOutputs || keys.dim % 2) std::memset(panel, 0, panel_size(keys.dim) * sizeof *panel);
    const Bfloat16* rows[kPanelOutputs];
    for (int64_t i = from; i < to; ++i) rows[i] = keys.row(begin + i);
    int64_t input = 0;
    for (; input + 1 < keys.dim; input += 2)
        for (int64_t i = from; i < to; ++i) std::memcpy(panel + input * kPanelOutputs + 2 * i, rows[i] + input, 4);
    if (input < keys.dim)
        for (int64_t i = from; i < to; ++i) panel[input * kPanelOutputs + 2 * i] = rows[i][input];
}

// panels: [kKeysAtOnce / 32] of them.
inline void pack_keys(const PagedRows& keys, int64_t begin, Bfloat16* panels) {
    for (int64_t i = 0; i < kKeysAtOnce; i += kPanelOutputs)
        pack_panel_of_keys(keys, begin + i, panels + i / kPanelOutputs * panel_size(keys.dim));
}

// kKeysAtOnce values from `begin` on, which are the inputs of [dim / 32] panels.
inline void pack_values(const PagedRows& values, int64_t begin, Bfloat16* panels) {
    alignas(64) uint16_t order[2][kPanelOutputs];
    for (int i = 0; i < kPanelOutputs; ++i) {
        order[0][i] = static_cast<uint16_t>(i / 2 + i % 2 * 32);
        order[1][i] = static_cast<uint16_t>(order[0][i] + 16);
    }
    const __m512i low = _mm512_load_si512(order[0]), high = _mm512_load_si512(order[1]);
    for (int64_t input = 0; input < kKeysAtOnce; input += 2) {
        const Bfloat16* rows[2] = {};
        for (int64_t i = 0; i < 2; ++i)
            if (values.has(begin + input + i)) rows[i] = values.row(begin + input + i);
        for (int64_t panel = 0; panel < num_panels(values.dim); ++panel) {
            const int64_t output = panel * kPanelOutputs, num_there = values.dim - output;
            const __mmask32 mask = lanes_below(num_there) | static_cast<__mmask32>(lanes_below(num_there - 16)) << 16;
            __m512i pair[2];
            for (int64_t i = 0; i < 2; ++i)
                pair[i] = rows[i] ? _mm512_maskz_loadu_epi16(mask, rows[i] + output) : _mm512_setzero_si512();
            Bfloat16* place = panels + panel * panel_size(kKeysAtOnce) + input * kPanelOutputs;
            _mm512_storeu_si512(place, _mm512_permutex2var_epi16(pair[0], low, pair[1]));
            _mm512_storeu_si512(place + kPanelOutputs, _mm512_permutex2var_epi16(pair[0], high, pair[1]));
        }
    }
}
