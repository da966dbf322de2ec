// Linear layers with weights in groups, and activations of 8 bits; called by engine/linear/rounded/grouped_panels.py.
//
// Rows are rounded first, by all threads; then each thread takes some panels of 32 outputs. The sums do not depend on the
// number of threads, on the other rows or on the processor. The oracle is the same arithmetic in torch
// (tests/parity/kernels/test_grouped_linear.py).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/storage.h"
#include "linear/grouped_panels.h"
#include "linear/weight.h"

namespace {

template <typename T>
void run(const VerbatimWeight& weight, const T* rows, int64_t rows_stride, int64_t num_rows, T* output,
         int32_t num_threads) {
    // Kept from call to call: a prompt's rows take megabytes, whose pages would have to be had anew.
    thread_local GroupedRowBuffers buffers;
    buffers.fit(num_rows, weight.num_inputs);
    GroupedRowBuffers& shared = buffers;
    const GroupedRows rounded = shared.rows(weight.num_inputs);
    const int64_t panels = num_panels(weight.num_outputs), at_once = grouped_rows_at_once(weight.num_inputs);
#pragma omp parallel num_threads(num_threads)
    {
#pragma omp for schedule(static)
        for (int64_t row = 0; row < num_rows; ++row) shared.round(rows + row * rows_stride, row, weight);
        for (int64_t begin = 0; begin < num_rows; begin += at_once) {
            const int64_t num = std::min(at_once, num_rows - begin);
#pragma omp for schedule(static) nowait
            for (int64_t panel = 0; panel < panels; ++panel)
                multiply_grouped_panel(weight, panel, panel + 1, rounded.from(begin), num,
                                       output + begin * weight.num_outputs + panel * kPanelOutputs, weight.num_outputs);
        }
    }
}

}  // namespace

extern "C" {

// Rows of float or bfloat16, `rows_stride` elements apart, give outputs of their type, side by side.
void verbatim_grouped_linear(const VerbatimWeight* weight, const void* rows, int64_t rows_stride, int64_t num_rows,
                             void* output, int32_t is_bfloat16, int32_t num_threads) {
    if (is_bfloat16)
        run(*weight, static_cast<const Bfloat16*>(rows), rows_stride, num_rows, static_cast<Bfloat16*>(output), num_threads);
    else
        run(*weight, static_cast<const float*>(rows), rows_stride, num_rows, static_cast<float*>(output), num_threads);
}

}  // extern "C"
