// Decoder layers and layer ends whose weights are bfloat16; called by engine/fusion/native_decoder.py and
// engine/fusion/native_layer_end.py.

#include <cstdint>

#include "layer/decoder.h"
#include "layer/layer_steps.h"
#include "linear/bfloat16_product.h"

static_assert(kPanelOutputs == kOutputs);

namespace {

// Rows are multiplied as bfloat16, or widened to float32 first.
template <typename Weight>
struct PanelLayer {
    using Row = typename ProductBy<Weight>::Row;
    static constexpr bool kPrepares = ProductBy<Weight>::kWidens;

    struct Input {
        const Row* rows;
        int64_t stride;
    };

    ProductBy<Weight> weight;

    explicit PanelLayer(const VerbatimWeight& given)
        : weight{static_cast<const Weight*>(given.panels), given.scales, given.bias, given.num_inputs, given.num_outputs} {}

    static void fit(Buffers& buffers, int64_t num_rows, int64_t num_inputs) {
        if constexpr (kPrepares) Buffers::fit(buffers.wide, num_rows * wide_stride(num_inputs));
    }

    void prepare(int64_t row, const Bfloat16* source, Buffers& buffers) const {
        widen_row(source, weight.num_inputs, buffers.wide.data() + row * wide_stride(weight.num_inputs));
    }

    Input input(const Bfloat16* rows, const Buffers& prepared) const {
        if constexpr (kPrepares)
            return {prepared.wide.data(), wide_stride(weight.num_inputs)};
        else
            return {rows, weight.num_inputs};
    }

    int64_t rows_at_once() const { return weight.rows_at_once(); }

    // Writes one panel's outputs for num_rows rows, output_stride apart. next: the panel to prefetch.
    void compute(int64_t panel, int64_t next, int64_t first_row, int64_t num_rows, const Input& input, Bfloat16* output,
                 int64_t output_stride) const {
        weight.compute(panel, next, num_rows, input.rows + first_row * input.stride, input.stride, output, output_stride);
    }
};

}  // namespace

extern "C" void verbatim_bfloat16_decoder(const VerbatimDecoder* call) { decode<PanelLayer<Bfloat16>>(*call); }

extern "C" void verbatim_bfloat16_layer_end(const VerbatimLayerEndRows* call) { end_layer<PanelLayer<Bfloat16>>(*call); }
