// Decoder layers and layer ends of bfloat16, whose weights are bfloat16 or float16; called by engine/fusion/native_decoder.py and
// engine/fusion/native_layer_end.py.

#include <cstdint>

#include "layer/decoder.h"
#include "layer/layer_steps.h"
#include "linear/bfloat16_product.h"

static_assert(kPanelOutputs == kOutputs);
static_assert(kMostPanelsOfChunk <= kMostPanels && kMostRowsOfChunk <= kMaxTileRows);
#ifdef VERBATIM_PAIRS
static_assert(kMostPanelsOfPairChunk == kMostPanelsOfChunk && kMostRowsOfPairChunk <= kMaxTileRows);
#endif

namespace {

// Rows are multiplied as bfloat16, or widened to float32 first.
template <typename Weight, Products kProducts>
struct PanelLayer {
    using Product = ProductBy<Weight, kProducts>;
    using Input = typename Product::Rows;
    static constexpr bool kPrepares = Product::kWidens;
    static constexpr int64_t kRowsOfBlock = Product::kRowsOfBlock;

    Product weight;

    explicit PanelLayer(const VerbatimWeight& given)
        : weight{static_cast<const Weight*>(given.panels), given.bias, given.num_inputs, given.num_outputs} {}

    static void fit(Buffers& buffers, int64_t num_rows, int64_t num_inputs) {
        if constexpr (kPrepares) Buffers::fit(buffers.wide, WideRows{nullptr, nullptr, 0, num_rows, num_inputs}.size());
    }

    void prepare(int64_t num_rows, int64_t row, const Bfloat16* source, Buffers& buffers) const {
        const Input rows = input(num_rows, source - row * weight.num_inputs, buffers);
        if (rows.are_few()) rows.widen(row);
    }

    Input input(int64_t num_rows, const Bfloat16* rows, Buffers& prepared) const {
        if constexpr (kPrepares)
            return {rows, prepared.wide.data(), weight.num_inputs, num_rows, weight.num_inputs};
        else
            return {rows, weight.num_inputs, num_rows};
    }

    int64_t rows_at_once() const { return weight.rows_at_once(); }
    int64_t panels_at_once(const Input& rows, int64_t num_threads) const { return weight.panels_at_once(rows, num_threads); }

    // As ProductBy::compute.
    void compute(const PanelsTogether& together, int64_t first_row, int64_t num_rows, const Input& input, Bfloat16* output,
                 int64_t row_step, int64_t panel_step) const {
        weight.compute(together, first_row, num_rows, input, output, row_step, panel_step);
    }
};

using WidenedLayer = PanelLayer<Bfloat16, Products::kWidened>;
using Float16Layer = PanelLayer<Float16, Products::kWidened>;

}  // namespace

extern "C" {

#ifdef VERBATIM_PAIRS
using PairsLayer = PanelLayer<Bfloat16, Products::kPairs>;

void verbatim_pairs_decoder(const VerbatimDecoder* call) { decode<PairsLayer>(*call); }

void verbatim_pairs_layer_end(const VerbatimLayerEndRows* call) { end_layer<PairsLayer>(*call); }
#endif

void verbatim_widened_decoder(const VerbatimDecoder* call) { decode<WidenedLayer>(*call); }

void verbatim_widened_layer_end(const VerbatimLayerEndRows* call) { end_layer<WidenedLayer>(*call); }

void verbatim_float16_decoder(const VerbatimDecoder* call) { decode<Float16Layer>(*call); }

void verbatim_float16_layer_end(const VerbatimLayerEndRows* call) { end_layer<Float16Layer>(*call); }

}  // extern "C"
