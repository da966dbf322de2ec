// Decoder layers and layer ends whose weights have a scale for each group of inputs; called by
// engine/fusion/native_decoder.py and engine/fusion/native_layer_end.py. The rows are bfloat16 and are rounded as in
// grouped_linear.cpp. Weights of a layer may have different groups and numbers of bits.

#include <cstdint>

#include "layer/decoder.h"
#include "layer/layer_steps.h"
#include "linear/grouped_panels.h"
#include "linear/grouped_rows.h"

namespace {

struct GroupedLayer {
    using Input = GroupedRows;
    static constexpr bool kPrepares = true;
    static constexpr int64_t kRowsOfBlock = most_grouped_rows<FourBits>();

    VerbatimWeight weight;

    explicit GroupedLayer(const VerbatimWeight& given) : weight(given) {}

    static void fit(Buffers& buffers, int64_t num_rows, int64_t num_inputs) { buffers.grouped.fit(num_rows, num_inputs); }

    void prepare(int64_t, int64_t row, const Bfloat16* source, Buffers& buffers) const {
        buffers.grouped.round(source, row, weight);
    }

    Input input(int64_t, const Bfloat16*, const Buffers& prepared) const { return prepared.grouped.rows(weight.num_inputs); }

    int64_t rows_at_once() const { return grouped_rows_at_once(weight.num_inputs); }

    int64_t panels_at_once(const Input&, int64_t) const { return 1; }

    // As ProductBy::compute.
    void compute(const PanelsTogether& together, int64_t first_row, int64_t num_rows, const Input& rows, Bfloat16* output,
                 int64_t row_step, int64_t panel_step) const {
        for (int64_t i = 0; i < together.num; ++i)
            multiply_grouped_panel(weight, together.at(i), together.after(i), rows.from(first_row), num_rows,
                                   output + i * panel_step, row_step);
    }
};

}  // namespace

extern "C" void verbatim_grouped_decoder(const VerbatimDecoder* call) { decode<GroupedLayer>(*call); }

extern "C" void verbatim_grouped_layer_end(const VerbatimLayerEndRows* call) { end_layer<GroupedLayer>(*call); }
