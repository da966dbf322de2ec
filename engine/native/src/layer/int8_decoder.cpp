// Decoder layers and layer ends whose weights are int8; called by engine/fusion/native_decoder.py and
// engine/fusion/native_layer_end.py. The rows are bfloat16 and are quantized as in int8_linear.cpp.

#include <cstdint>

#include "layer/decoder.h"
#include "layer/layer_steps.h"
#include "linear/int8_panels.h"
#include "linear/int8_rows.h"

namespace {

struct Int8Layer {
    using Input = Int8Rows;
    static constexpr bool kPrepares = true;
    static constexpr int64_t kRowsOfBlock = kMostInt8Rows;

    VerbatimWeight weight;

    explicit Int8Layer(const VerbatimWeight& given) : weight(given) {}

    static void fit(Buffers& buffers, int64_t num_rows, int64_t num_inputs) {
        Buffers::fit(buffers.values, num_rows * row_stride(num_inputs));
        Buffers::fit(buffers.scales, num_rows);
    }

    void prepare(int64_t, int64_t row, const Bfloat16* source, Buffers& buffers) const {
        round_row(source, weight.num_inputs, buffers.values.data() + row * row_stride(weight.num_inputs),
                  buffers.scales.data() + row);
    }

    Input input(int64_t, const Bfloat16*, const Buffers& quantized) const {
        return {quantized.values.data(), quantized.scales.data(), row_stride(weight.num_inputs)};
    }

    int64_t rows_at_once() const { return int8_rows_at_once(weight.num_inputs); }

    int64_t panels_at_once(const Input&, int64_t) const { return 1; }

    // As ProductBy::compute.
    void compute(const PanelsTogether& together, int64_t first_row, int64_t num_rows, const Input& rows, Bfloat16* output,
                 int64_t row_step, int64_t panel_step) const {
        const Int8Rows block{rows.values + first_row * rows.stride, rows.scales + first_row, rows.stride};
        for (int64_t i = 0; i < together.num; ++i)
            multiply_int8_panel(weight, together.at(i), together.after(i), block, num_rows, output + i * panel_step,
                                row_step);
    }
};

}  // namespace

extern "C" void verbatim_int8_decoder(const VerbatimDecoder* call) { decode<Int8Layer>(*call); }

extern "C" void verbatim_int8_layer_end(const VerbatimLayerEndRows* call) { end_layer<Int8Layer>(*call); }
