// Linear layers with weights and activations of 8 bits; called by engine/linear/vnni_weight.py.
//
// Rows are rounded first, by all threads; then each thread takes some panels of 32 channels. A panel is read from
// memory for the first few rows and from the cache for the others. Products are summed as whole numbers, so
// nothing depends on the order, on the number of threads or on the other rows. The oracle is the same arithmetic
// in torch (tests/parity/kernels/test_int8_linear.py). Without VNNI of AVX-512 there is no such function.

#include "linear/int8_weight.h"
#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512VL__)

#include <algorithm>
#include <cstdint>
#include <vector>

#include "linear/int8_product.h"
#include "linear/int8_rows.h"
#include "common/storage.h"

namespace {

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
    const int64_t at_once = int8_rows_at_once(weight.num_inputs);
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
                multiply_panel(weight, panel, panel + 1, rounded, begin, end, output + panel * kChannels, weight.num_outputs);
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
