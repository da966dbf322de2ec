// Linear layers of bfloat16, whose weights may have 8 bits; called by engine/linear/panel_linear.py. The oracle is
// torch's (tests/parity/kernels/test_native_linear.py).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/layout.h"
#include "common/storage.h"
#include "linear/bfloat16_product.h"

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

namespace {

constexpr int64_t kFewRows = 4;  // sooner widened by one thread than by several that wait for one another

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

// Called by all threads of a region. Each takes panels that lie one after another, since memory is read fastest in order.
template <typename Product>
void multiply(const VerbatimLinear& call, const Product& product, const typename Product::Rows& rows) {
    const int64_t group = rows_of_group(call.num_rows, product.rows_at_once(), product.kRowsOfBlock);
    const int64_t num_groups = (call.num_rows + group - 1) / group, panels = num_panels(call.num_outputs);
    const int64_t together = product.panels_at_once(rows);
#pragma omp for collapse(2) schedule(static)
    for (int64_t i = 0; i < num_groups; ++i)
        for (int64_t panel = 0; panel < panels; panel += together) {
            const int64_t first = i * group, num = std::min(group, call.num_rows - first);
            const int64_t end = std::min(panel + together, panels);
            Bfloat16* output = static_cast<Bfloat16*>(call.output) + first * call.num_outputs + panel * kPanelOutputs;
            product.compute({panel, end - panel, 1, end}, first, num, rows, output, call.num_outputs, kPanelOutputs);
        }
}

template <typename Weight>
void run(const VerbatimLinear& call) {
    const ProductBy<Weight> product{static_cast<const Weight*>(call.panels), call.scales, call.bias, call.num_inputs,
                                    call.num_outputs};
    const auto* const rows = static_cast<const Bfloat16*>(call.rows);
    if constexpr (product.kWidens) {
        thread_local std::vector<float> kept;  // from call to call: a prompt's rows take megabytes
        WideRows wide{nullptr, call.num_rows, call.num_inputs};
        if (static_cast<int64_t>(kept.size()) < wide.size()) kept.resize(wide.size());
        wide.values = kept.data();
        const bool are_few = call.num_rows <= kFewRows;
        for (int64_t row = 0; are_few && row < call.num_rows; ++row) wide.widen(row, rows + row * call.row_stride);
#pragma omp parallel num_threads(call.num_threads)
        {
            if (!are_few) {
#pragma omp for schedule(static)
                for (int64_t row = 0; row < call.num_rows; ++row) wide.widen(row, rows + row * call.row_stride);
            }
            multiply(call, product, wide);
        }
    } else {
#pragma omp parallel num_threads(call.num_threads)
        multiply(call, product, {rows, call.row_stride});
    }
}

}  // namespace

extern "C" {

// Numbers that the panels of a weight take.
int64_t verbatim_panels_size(int64_t num_outputs, int64_t num_inputs) {
    return num_panels(num_outputs) * panel_size(num_inputs);
}

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
