// Decoder layers and layer ends whose weights are int8; called by engine/fusion/native_decoder.py and
// engine/fusion/native_layer_end.py. The rows are bfloat16 and are quantized as in int8_linear.cpp.

#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512VL__)

#include <cstdint>

#include "layer/decoder.h"
#include "linear/int8_product.h"
#include "layer/layer_steps.h"

static_assert(kChannels == kOutputs);

namespace {

struct Int8Layer {
    using Input = Int8Rows;
    static constexpr bool kPrepares = true;

    VerbatimInt8Weight weight;

    explicit Int8Layer(const VerbatimWeight& given)
        : weight{static_cast<const uint8_t*>(given.panels), given.scales, given.bias, given.num_inputs, given.num_outputs} {}

    static void fit(Buffers& buffers, int64_t num_rows, int64_t num_inputs) {
        Buffers::fit(buffers.values, num_rows * row_stride(num_inputs));
        Buffers::fit(buffers.scales, num_rows);
        Buffers::fit(buffers.corrections, num_rows);
    }

    void prepare(int64_t row, const Bfloat16* source, Buffers& buffers) const {
        round_row(source, weight.num_inputs, buffers.values.data() + row * row_stride(weight.num_inputs),
                  buffers.scales.data() + row, buffers.corrections.data() + row);
    }

    Input input(const Bfloat16*, const Buffers& quantized) const {
        return {quantized.values.data(), quantized.scales.data(), quantized.corrections.data(),
                row_stride(weight.num_inputs)};
    }

    int64_t rows_at_once() const { return int8_rows_at_once(weight.num_inputs); }

    void compute(int64_t panel, int64_t next, int64_t first_row, int64_t num_rows, const Input& rows, Bfloat16* output,
                 int64_t output_stride) const {
        const Int8Rows block{rows.values + first_row * rows.stride, rows.scales + first_row, rows.corrections + first_row,
                             rows.stride};
        multiply_panel(weight, panel, next, block, 0, num_rows, output, output_stride);
    }
};

}  // namespace

extern "C" void verbatim_int8_decoder(const VerbatimDecoder* call) { decode<Int8Layer>(*call); }

extern "C" void verbatim_int8_layer_end(const VerbatimLayerEndRows* call) { end_layer<Int8Layer>(*call); }

#endif
