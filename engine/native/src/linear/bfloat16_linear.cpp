// Linear layers of bfloat16, whose weights may have 8 bits, for processors that multiply it in AVX-512; called by
// engine/linear/panel_linear.py. The oracle is torch's (tests/parity/kernels/test_native_linear.py).

#include <cstdint>

#include "common/layout.h"
#include "common/storage.h"
#ifdef __AVX512BF16__
#include "linear/bfloat16_product.h"
#endif

extern "C" {

// Strides count elements; the last dimension is dense everywhere.
struct VerbatimLinear {
    const void* rows;    // [num_rows, num_inputs]
    const void* panels;  // as verbatim_pack_linear writes them
    const float* scales;  // of outputs, for weights of 8 bits; null for those of bfloat16
    const float* bias;    // padded to whole panels, as are scales
    void* output;        // [num_rows, num_outputs], dense
    int64_t num_rows, row_stride, num_inputs, num_outputs;
    int32_t num_threads;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimLinear, rows, panels, scales, bias, output, num_rows, row_stride, num_inputs, num_outputs,
                num_threads)

extern "C" {

// Numbers that the panels of a weight take; 0 where the processor has no such instructions.
int64_t verbatim_panels_size(int64_t num_outputs, int64_t num_inputs) {
#ifdef __AVX512BF16__
    return num_panels(num_outputs) * panel_size(num_inputs);
#else
    return 0 * num_outputs * num_inputs;
#endif
}

}  // extern "C"

#ifdef __AVX512BF16__

namespace {

template <typename Weight>
void pack(const Weight* weight, int64_t row_stride, int64_t num_outputs, int64_t num_inputs, Weight* panels,
          int32_t num_threads) {
#pragma omp parallel for num_threads(num_threads)
    for (int64_t panel = 0; panel < num_panels(num_outputs); ++panel) {
        const int64_t first = panel * kPanelOutputs;
        pack_panel(weight + first * row_stride, row_stride, num_outputs - first, num_inputs,
                   panels + panel * panel_size(num_inputs));
    }
}

template <typename Weight>
void multiply(const VerbatimLinear& call, int64_t first_row, int64_t num_rows, int64_t panel) {
    const ProductBy<Weight> product{static_cast<const Weight*>(call.panels), call.scales, call.bias, call.num_inputs,
                                    call.num_outputs};
    const Bfloat16* rows = static_cast<const Bfloat16*>(call.rows) + first_row * call.row_stride;
    Bfloat16* output = static_cast<Bfloat16*>(call.output) + first_row * call.num_outputs + panel * kPanelOutputs;
    product.compute(panel, panel + 1, num_rows, rows, call.row_stride, [&](int64_t row, __mmask32 mask, __m512i outputs) {
        _mm512_mask_storeu_epi16(output + row * call.num_outputs, mask, outputs);
    });
}

// Each thread takes panels that lie one after another, since memory is read fastest in order.
template <typename Weight>
void run(const VerbatimLinear& call) {
    const int64_t group = rows_at_once(call.num_inputs), num_groups = (call.num_rows + group - 1) / group;
    const int64_t panels = num_panels(call.num_outputs);
#pragma omp parallel for collapse(2) schedule(static) num_threads(call.num_threads)
    for (int64_t i = 0; i < num_groups; ++i)
        for (int64_t panel = 0; panel < panels; ++panel)
            multiply<Weight>(call, i * group, std::min(group, call.num_rows - i * group), panel);
}

}  // namespace

extern "C" {

// weight: [num_outputs, num_inputs], its rows row_stride apart, of weight_bytes each: 2 of bfloat16, or 1.
void verbatim_pack_linear(const void* weight, int32_t weight_bytes, int64_t row_stride, int64_t num_outputs,
                          int64_t num_inputs, void* panels, int32_t num_threads) {
    if (weight_bytes == 1)
        pack(static_cast<const int8_t*>(weight), row_stride, num_outputs, num_inputs, static_cast<int8_t*>(panels), num_threads);
    else
        pack(static_cast<const Bfloat16*>(weight), row_stride, num_outputs, num_inputs, static_cast<Bfloat16*>(panels),
             num_threads);
}

void verbatim_linear(const VerbatimLinear* call) {
    if (call->scales)
        run<int8_t>(*call);
    else
        run<Bfloat16>(*call);
}

}  // extern "C"

#endif
