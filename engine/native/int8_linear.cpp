// Linear layers with weights and activations of 8 bits; called by engine/vnni_weight.py.
//
// Rows are rounded first, by all threads; then each thread takes some panels of 32 channels. A panel is read from
// memory for the first few rows and from the cache for the others. Products are summed as whole numbers, so
// nothing depends on the order, on the number of threads or on the other rows. The oracle is the same arithmetic
// in torch (tests/parity/test_int8_linear.py). Without VNNI of AVX-512 there is no such function.

#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512VL__)

#include <algorithm>
#include <cstdint>
#include <vector>

#include "int8_panel.h"
#include "int8_rows.h"
#include "storage.h"

extern "C" {

// A layer's constants.
struct VerbatimInt8Weight {
    const uint8_t* panels;  // [ceil(num_outputs / 32), ceil(num_inputs / 4), 32, 4]: weights plus 128
    const float* scales;    // [num_outputs]
    const float* bias;      // [num_outputs] or null
    int64_t num_inputs, num_outputs;
};

}  // extern "C"

namespace {

// Rounded rows that are multiplied by all panels before the next ones are; half of a core's second cache.
constexpr int64_t kBytesAtOnce = 512 << 10;

template <typename T>
using Product = void (*)(const uint8_t*, int64_t, const Channels&, const Int8Rows&, int64_t, T*, int64_t);

template <typename T>
constexpr Product<T> kProducts[kMostRows] = {
    multiply_rows<T, 1>, multiply_rows<T, 2>, multiply_rows<T, 3>,  multiply_rows<T, 4>,
    multiply_rows<T, 5>, multiply_rows<T, 6>, multiply_rows<T, 7>,  multiply_rows<T, 8>,
    multiply_rows<T, 9>, multiply_rows<T, 10>, multiply_rows<T, 11>, multiply_rows<T, 12>,
};

// One panel by the rows from `begin` to `end`, in blocks of even size. output: of row 0 and this panel.
template <typename T>
void multiply_panel(const VerbatimInt8Weight& weight, int64_t panel, const Int8Rows& rows, int64_t begin, int64_t end,
                    T* output) {
    const int64_t num_quads = (weight.num_inputs + kQuad - 1) / kQuad, channel = panel * kChannels;
    const Channels channels{weight.scales + channel, weight.bias ? weight.bias + channel : nullptr,
                            std::min(kChannels, weight.num_outputs - channel)};
    const uint8_t* values = weight.panels + panel * num_quads * kQuadBytes;
    const int64_t num_blocks = (end - begin + kMostRows - 1) / kMostRows;
    for (int64_t block = 0; block < num_blocks; ++block) {
        const int64_t first = begin + (end - begin) * block / num_blocks;
        const int64_t num = begin + (end - begin) * (block + 1) / num_blocks - first;
        kProducts<T>[num - 1](values, num_quads, channels, rows, first, output + first * weight.num_outputs + channel,
                              weight.num_outputs);
    }
}

template <typename T>
void run(const VerbatimInt8Weight& weight, const T* rows, int64_t rows_stride, int64_t num_rows, T* output,
         int32_t num_threads) {
    // Kept from call to call: a prompt's rows take megabytes, whose pages would have to be had anew.
    thread_local std::vector<int8_t> values;
    thread_local std::vector<float> scales;
    thread_local std::vector<int32_t> corrections;
    const int64_t stride = row_stride(weight.num_inputs);
    if (static_cast<int64_t>(values.size()) < num_rows * stride) values.resize(num_rows * stride);
    if (static_cast<int64_t>(scales.size()) < num_rows) {
        scales.resize(num_rows);
        corrections.resize(num_rows);
    }
    int8_t* const all_values = values.data();
    float* const all_scales = scales.data();
    int32_t* const all_corrections = corrections.data();
    const Int8Rows rounded{all_values, all_scales, all_corrections, stride};
    const int64_t num_panels = (weight.num_outputs + kChannels - 1) / kChannels;
    const int64_t at_once = std::max<int64_t>(kBytesAtOnce / stride / kMostRows, 1) * kMostRows;
#pragma omp parallel num_threads(num_threads)
    {
#pragma omp for schedule(static)
        for (int64_t row = 0; row < num_rows; ++row)
            round_row(rows + row * rows_stride, weight.num_inputs, all_values + row * stride, all_scales + row,
                      all_corrections + row);
        for (int64_t begin = 0; begin < num_rows; begin += at_once) {
            const int64_t end = std::min(begin + at_once, num_rows);
#pragma omp for schedule(static) nowait
            for (int64_t panel = 0; panel < num_panels; ++panel)
                multiply_panel(weight, panel, rounded, begin, end, output);
        }
    }
}

}  // namespace

// Rows of float or bfloat16, `rows_stride` elements apart, give outputs of their type, side by side.
extern "C" void verbatim_int8_linear(const VerbatimInt8Weight* weight, const void* rows, int64_t rows_stride,
                                     int64_t num_rows, void* output, int32_t is_bfloat16, int32_t num_threads) {
    if (is_bfloat16)
        run(*weight, static_cast<const Bfloat16*>(rows), rows_stride, num_rows, static_cast<Bfloat16*>(output),
            num_threads);
    else
        run(*weight, static_cast<const float*>(rows), rows_stride, num_rows, static_cast<float*>(output), num_threads);
}

#endif
