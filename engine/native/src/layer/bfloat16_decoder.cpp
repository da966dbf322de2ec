// Decoder layers and layer ends whose weights are bfloat16; called by engine/fusion/native_decoder.py and
// engine/fusion/native_layer_end.py.

#include <cstdint>

#include "layer/decoder.h"
#include "layer/layer_steps.h"
#include "linear/bfloat16_product.h"

static_assert(kPanelOutputs == kOutputs);
static_assert(kMostPanelsOfChunk <= kMostPanels);

namespace {

// Rows are multiplied as bfloat16, or widened to float32 first.
template <typename Weight>
struct PanelLayer {
    using Input = typename ProductBy<Weight>::Rows;
    static constexpr bool kPrepares = ProductBy<Weight>::kWidens;
    static constexpr int64_t kRowsOfBlock = ProductBy<Weight>::kRowsOfBlock;

    ProductBy<Weight> weight;

    explicit PanelLayer(const VerbatimWeight& given)
        : weight{static_cast<const Weight*>(given.panels), given.scales, given.bias, given.num_inputs, given.num_outputs} {}

    static void fit(Buffers& buffers, int64_t num_rows, int64_t num_inputs) {
        if constexpr (kPrepares) Buffers::fit(buffers.wide, WideRows{nullptr, num_rows, num_inputs}.size());
    }

    void prepare(int64_t num_rows, int64_t row, const Bfloat16* source, Buffers& buffers) const {
        input(num_rows, source, buffers).widen(row, source);
    }

    Input input(int64_t num_rows, const Bfloat16* rows, Buffers& prepared) const {
        if constexpr (kPrepares)
            return {prepared.wide.data(), num_rows, weight.num_inputs};
        else
            return {rows, weight.num_inputs};
    }

    int64_t rows_at_once() const { return weight.rows_at_once(); }
    int64_t panels_at_once(const Input& rows) const { return weight.panels_at_once(rows); }

    // As ProductBy::compute.
    void compute(const PanelsTogether& together, int64_t first_row, int64_t num_rows, const Input& input, Bfloat16* output,
                 int64_t row_step, int64_t panel_step) const {
        weight.compute(together, first_row, num_rows, input, output, row_step, panel_step);
    }
};

}  // namespace

extern "C" void verbatim_bfloat16_decoder(const VerbatimDecoder* call) { decode<PanelLayer<Bfloat16>>(*call); }

extern "C" void verbatim_bfloat16_layer_end(const VerbatimLayerEndRows* call) { end_layer<PanelLayer<Bfloat16>>(*call); }
