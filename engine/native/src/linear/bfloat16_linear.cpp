// Linear layers of bfloat16, whose weights may be float16; called by engine/linear/panel_linear.py. The oracle is torch's
// (tests/parity/kernels/test_native_linear.py).

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "common/layout.h"
#include "common/storage.h"
#include "linear/bfloat16_product.h"

extern "C" {

// Strides count elements; the last dimension is dense everywhere.
struct VerbatimLinear {
    const void* rows;    // [num_rows, num_inputs]
    const void* panels;  // as verbatim_pack_linear or verbatim_pack_float16 writes them
    const float* bias;   // padded to whole panels
    void* output;        // [num_rows, num_outputs], dense
    int64_t num_rows, row_stride, num_inputs, num_outputs;
    int32_t num_threads;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimLinear, rows, panels, bias, output, num_rows, row_stride, num_inputs, num_outputs, num_threads)

namespace {

template <typename Weight>
void pack(const Weight* weight, int64_t row_stride, int64_t num_outputs, int64_t num_inputs, Weight* panels,
          int32_t num_threads) {
#pragma omp parallel for num_threads(num_threads)
    for (int64_t panel = 0; panel < num_panels(num_outputs); ++panel) {
        const int64_t first = panel * kPanelOutputs;
        Weight* const place = panels + panel * panel_size(num_inputs);
        if constexpr (std::is_same_v<Weight, Float16>)
            pack_single_panel(weight + first * row_stride, row_stride, num_outputs - first, num_inputs, place);
        else
            pack_panel(weight + first * row_stride, row_stride, num_outputs - first, num_inputs, place);
    }
}

// Called by all threads of a region. Each takes panels that lie one after another, since memory is read fastest in order.
template <typename Product>
void multiply(const VerbatimLinear& call, const Product& product, const typename Product::Rows& rows) {
    const int64_t group = rows_of_group(call.num_rows, product.rows_at_once(), product.kRowsOfBlock);
    const int64_t num_groups = (call.num_rows + group - 1) / group, panels = num_panels(call.num_outputs);
    const int64_t together = product.panels_at_once(rows, omp_get_num_threads());
#pragma omp for collapse(2) schedule(static)
    for (int64_t i = 0; i < num_groups; ++i)
        for (int64_t panel = 0; panel < panels; panel += together) {
            const int64_t first = i * group, num = std::min(group, call.num_rows - first);
            const int64_t end = std::min(panel + together, panels);
            Bfloat16* output = static_cast<Bfloat16*>(call.output) + first * call.num_outputs + panel * kPanelOutputs;
            product.compute({panel, end - panel, 1, end}, first, num, rows, output, call.num_outputs, kPanelOutputs);
        }
}

template <typename Weight, Products kProducts>
void run(const VerbatimLinear& call) {
    const ProductBy<Weight, kProducts> product{static_cast<const Weight*>(call.panels), call.bias, call.num_inputs,
                                               call.num_outputs};
    const auto* const rows = static_cast<const Bfloat16*>(call.rows);
    if constexpr (product.kWidens) {
        thread_local std::vector<float> kept;
        WideRows wide{rows, nullptr, call.row_stride, call.num_rows, call.num_inputs};
        if (static_cast<int64_t>(kept.size()) < wide.size()) kept.resize(wide.size());
        wide.few = kept.data();
        for (int64_t row = 0; wide.are_few() && row < call.num_rows; ++row) wide.widen(row);
#pragma omp parallel num_threads(call.num_threads)
        {
            const WideRows own = wide;
            multiply(call, product, own);
        }
    } else {
#pragma omp parallel num_threads(call.num_threads)
        multiply(call, product, {rows, call.row_stride, call.num_rows});
    }
}

}  // namespace

extern "C" {

// Numbers that the panels of a weight take.
int64_t verbatim_panels_size(int64_t num_outputs, int64_t num_inputs) {
    return num_panels(num_outputs) * panel_size(num_inputs);
}

// weight: [num_outputs, num_inputs], its rows row_stride apart.
void verbatim_pack_linear(const void* weight, int64_t row_stride, int64_t num_outputs, int64_t num_inputs, void* panels,
                          int32_t num_threads) {
    pack(static_cast<const Bfloat16*>(weight), row_stride, num_outputs, num_inputs, static_cast<Bfloat16*>(panels),
         num_threads);
}

// The same for weights of float16, whose panels lie otherwise.
void verbatim_pack_float16(const void* weight, int64_t row_stride, int64_t num_outputs, int64_t num_inputs, void* panels,
                           int32_t num_threads) {
    pack(static_cast<const Float16*>(weight), row_stride, num_outputs, num_inputs, static_cast<Float16*>(panels), num_threads);
}

#ifdef VERBATIM_PAIRS
void verbatim_pairs_linear(const VerbatimLinear* call) { run<Bfloat16, Products::kPairs>(*call); }
#endif

void verbatim_widened_linear(const VerbatimLinear* call) { run<Bfloat16, Products::kWidened>(*call); }

void verbatim_float16_linear(const VerbatimLinear* call) { run<Float16, Products::kWidened>(*call); }

}  // extern "C"
