// Linear layers with weights and activations of 8 bits; called by engine/linear/rounded/int8_weight.py.
//
// Rows are rounded first, by all threads; then each thread takes some panels of 32 outputs. A panel is read from
// memory for the first few rows and from the cache for the others. Products are summed as whole numbers, so
// nothing depends on the order, on the number of threads, on the other rows or on the processor. The oracle is the same
// arithmetic in torch (tests/parity/kernels/test_int8_linear.py).
//
// Rows of 16 bits are two rows of 8 bits each, multiplied beside one another while a panel is at hand; their outputs are
// added at the end.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/storage.h"
#include "linear/int8_panels.h"
#include "linear/int8_rows.h"
#include "linear/weight.h"

namespace {

// Writes the sum of the two outputs of each row of `halves`, [2 * num_rows, kPanelOutputs].
template <typename T>
void add_halves(const float* halves, int64_t num_rows, int64_t num_outputs, T* output, int64_t output_stride) {
    for (int64_t row = 0; row < num_rows; ++row, halves += 2 * kPanelOutputs)
        for (int64_t lane = 0; lane < std::min(num_outputs, kPanelOutputs); lane += kNumLanes)
            store_first_lanes(load_lanes_of(halves + lane) + load_lanes_of(halves + kPanelOutputs + lane),
                              output + row * output_stride + lane, num_outputs - lane);
}

// kHalves: rows of 8 bits that a row is rounded to, one or two.
template <int kHalves, typename T>
void run(const VerbatimWeight& weight, const T* rows, int64_t rows_stride, int64_t num_rows, T* output,
         int32_t num_threads) {
    // Kept from call to call: a prompt's rows take megabytes, whose pages would have to be had anew.
    thread_local std::vector<int8_t> values;
    thread_local std::vector<float> scales;
    const int64_t stride = row_stride(weight.num_inputs), num_rounded = kHalves * num_rows;
    if (static_cast<int64_t>(values.size()) < num_rounded * stride) values.resize(num_rounded * stride);
    if (static_cast<int64_t>(scales.size()) < num_rounded) scales.resize(num_rounded);
    int8_t* const all_values = values.data();
    float* const all_scales = scales.data();
    const int64_t panels = num_panels(weight.num_outputs);
    const int64_t at_once = std::max<int64_t>(1, int8_rows_at_once(weight.num_inputs) / kHalves);
#pragma omp parallel num_threads(num_threads)
    {
        thread_local std::vector<float> halves;
        const int64_t num_halves = kHalves == 1 ? 0 : kHalves * std::min(at_once, num_rows) * kPanelOutputs;
        if (static_cast<int64_t>(halves.size()) < num_halves) halves.resize(num_halves);
#pragma omp for schedule(static)
        for (int64_t row = 0; row < num_rows; ++row) {
            int8_t* const place = all_values + row * kHalves * stride;
            if constexpr (kHalves == 1)
                round_row(rows + row * rows_stride, weight.num_inputs, place, all_scales + row);
            else
                round_row_to_two(rows + row * rows_stride, weight.num_inputs, stride, place, all_scales + 2 * row);
        }
        for (int64_t begin = 0; begin < num_rows; begin += at_once) {
            const Int8Rows rounded{all_values + begin * kHalves * stride, all_scales + begin * kHalves, stride};
            const int64_t num = std::min(at_once, num_rows - begin);
#pragma omp for schedule(static) nowait
            for (int64_t panel = 0; panel < panels; ++panel) {
                const int64_t first = panel * kPanelOutputs;
                T* const place = output + begin * weight.num_outputs + first;
                if constexpr (kHalves == 1) {
                    multiply_int8_panel(weight, panel, panel + 1, rounded, num, place, weight.num_outputs);
                } else {
                    multiply_int8_panel(weight, panel, panel + 1, rounded, 2 * num, halves.data(), kPanelOutputs);
                    add_halves(halves.data(), num, weight.num_outputs - first, place, weight.num_outputs);
                }
            }
        }
    }
}

}  // namespace

extern "C" {

// Rows of float or bfloat16, `rows_stride` elements apart, give outputs of their type, side by side. num_halves: 2 rounds
// rows to 16 bits instead of 8; the bias is then half of what is added.
void verbatim_int8_linear(const VerbatimWeight* weight, const void* rows, int64_t rows_stride, int64_t num_rows,
                          void* output, int32_t is_bfloat16, int32_t num_halves, int32_t num_threads) {
    const auto run_as = [&](auto type) {
        using T = decltype(type);
        const auto multiply = num_halves == 1 ? run<1, T> : run<2, T>;
        multiply(*weight, static_cast<const T*>(rows), rows_stride, num_rows, static_cast<T*>(output), num_threads);
    };
    if (is_bfloat16)
        run_as(Bfloat16{});
    else
        run_as(float{});
}

}  // extern "C"
