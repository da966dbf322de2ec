// Decoder layers and layer ends whose weights are bfloat16; called by engine/fusion/native_decoder.py and
// engine/fusion/native_layer_end.py.

#include "layer/decoder.h"
#ifdef __AVX512BF16__
#include <immintrin.h>

#include <cstdint>

#include "linear/bfloat16_product.h"
#include "layer/layer_steps.h"

static_assert(kPanelOutputs == kOutputs);

namespace {

struct Bfloat16Layer {
    using Input = const Bfloat16*;  // [num_rows, num_inputs]
    static constexpr bool kQuantizes = false;

    Product weight;

    explicit Bfloat16Layer(const VerbatimWeight& given)
        : weight{static_cast<const Bfloat16*>(given.panels), nullptr, given.bias, given.num_inputs, given.num_outputs} {}

    Input input(const Bfloat16* rows, const Buffers&) const { return rows; }

    int64_t rows_at_once() const { return ::rows_at_once(weight.num_inputs); }

    // Writes one panel's outputs for num_rows rows, output_stride apart. next: the panel to prefetch.
    void compute(int64_t panel, int64_t next, int64_t first_row, int64_t num_rows, Input rows, Bfloat16* output,
                 int64_t output_stride) const {
        const Bfloat16* first = rows + first_row * weight.num_inputs;
        weight.compute(panel, next, num_rows, first, weight.num_inputs, [&](int64_t row, __mmask32 mask, __m512i outputs) {
            _mm512_mask_storeu_epi16(output + row * output_stride, mask, outputs);
        });
    }
};

}  // namespace

extern "C" void verbatim_bfloat16_decoder(const VerbatimDecoder* call) { decode<Bfloat16Layer>(*call); }

extern "C" void verbatim_bfloat16_layer_end(const VerbatimLayerEndRows* call) { end_layer<Bfloat16Layer>(*call); }

#endif
