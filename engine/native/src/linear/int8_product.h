// A linear layer's outputs of rows that are rounded to 8 bits, panel by panel.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/fetch_ahead.h"
#include "linear/int8_panel.h"
#include "linear/int8_rows.h"
#include "linear/int8_weight.h"

// Rounded rows that are multiplied by all panels before the next ones are; half of a core's second cache.
inline int64_t int8_rows_at_once(int64_t num_inputs) {
    constexpr int64_t kBytes = 512 << 10;
    return std::max<int64_t>(kBytes / row_stride(num_inputs) / kMostRows, 1) * kMostRows;
}

template <typename T>
using RowsProduct = void (*)(const uint8_t*, int64_t, FetchAhead, const Channels&, const Int8Rows&, int64_t, T*, int64_t);

template <typename T>
constexpr RowsProduct<T> kRowsProducts[kMostRows] = {
    multiply_rows<T, 1>, multiply_rows<T, 2>, multiply_rows<T, 3>,  multiply_rows<T, 4>,
    multiply_rows<T, 5>, multiply_rows<T, 6>, multiply_rows<T, 7>,  multiply_rows<T, 8>,
    multiply_rows<T, 9>, multiply_rows<T, 10>, multiply_rows<T, 11>, multiply_rows<T, 12>,
};

// One panel by the rows from `begin` to `end`. next: the panel that comes after. output: of row 0 and this panel.
template <typename T>
void multiply_panel(const VerbatimInt8Weight& weight, int64_t panel, int64_t next, const Int8Rows& rows, int64_t begin,
                    int64_t end, T* output, int64_t output_stride) {
    const int64_t num_quads = (weight.num_inputs + kQuad - 1) / kQuad, channel = panel * kChannels;
    const Channels channels{weight.scales + channel, weight.bias ? weight.bias + channel : nullptr,
                            std::min(kChannels, weight.num_outputs - channel)};
    const int64_t num_bytes = num_quads * kQuadBytes;
    const uint8_t* values = weight.panels + panel * num_bytes;
    const FetchedPanel fetched{values, weight.panels + next * num_bytes, num_bytes, kQuadBytes};
    for_each_block(end - begin, kMostRows, fetched, [&](int64_t block, int64_t num, FetchAhead ahead) {
        const int64_t first = begin + block;
        kRowsProducts<T>[num - 1](values, num_quads, ahead, channels, rows, first, output + first * output_stride, output_stride);
    });
}
