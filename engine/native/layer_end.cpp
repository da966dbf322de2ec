// What a decoder layer does after attention, for few rows: product, sum, norm, gates, product, sum; called by
// engine/native_layer_end.py. One region of threads, which wait for one another between the steps.

#include <cstdint>

#include "gate.h"
#include "norm.h"
#include "storage.h"
#ifdef __AVX512BF16__
#include "bfloat16_product.h"

extern "C" {

struct VerbatimPanels {
    const void* panels;
    const float* bias;
    int64_t num_inputs, num_outputs;
};

// Everything is dense and of bfloat16.
struct VerbatimLayerEnd {
    VerbatimPanels attention, gates, down;  // gates: first the gates, then their values, as many and whole panels
    const void* weight;    // [hidden_size], of the norm
    const void* stream;    // [num_rows, hidden_size]
    const void* attended;  // [num_rows, attention.num_inputs]
    void* sum;             // [num_rows, hidden_size], as are all but
    void* normed;
    void* gated;  // [num_rows, down.num_inputs]
    void* output;
    int64_t num_rows;
    float epsilon;
    int32_t num_threads;
};

}  // extern "C"

namespace {

constexpr int64_t kMostGatedRows = 64;  // that engine/native_layer_end.py calls for

Product product(const VerbatimPanels& panels) {
    return {static_cast<const Bfloat16*>(panels.panels), panels.bias, panels.num_inputs, panels.num_outputs};
}

// output: stream + the product, rounded each.
void add_product(const Product& product, int64_t num_rows, const Bfloat16* rows, const Bfloat16* stream, Bfloat16* output) {
    const int64_t size = product.num_outputs;
#pragma omp for schedule(static)
    for (int64_t panel = 0; panel < num_panels(size); ++panel)
        product.compute(panel, num_rows, rows, product.num_inputs, [&](int64_t row, __mmask32 mask, __m512i outputs) {
            const int64_t place = row * size + panel * kPanelOutputs;
            const __m512i before = _mm512_maskz_loadu_epi16(mask, stream + place);
            const auto add = [](__m256i a, __m256i b) {
                return _mm512_add_ps(_mm512_cvtpbh_ps((__m256bh)a), _mm512_cvtpbh_ps((__m256bh)b));
            };
            const __m512 low = add(_mm512_castsi512_si256(before), _mm512_castsi512_si256(outputs));
            const __m512 high = add(_mm512_extracti64x4_epi64(before, 1), _mm512_extracti64x4_epi64(outputs, 1));
            _mm512_mask_storeu_epi16(output + place, mask, (__m512i)_mm512_cvtne2ps_pbh(high, low));
        });
}

void compute_gates(const Product& gates, int64_t num_rows, const Bfloat16* rows, Bfloat16* output) {
    const int64_t size = gates.num_outputs / 2, half = size / kPanelOutputs;
#pragma omp for schedule(static)
    for (int64_t panel = 0; panel < half; ++panel) {
        alignas(64) Bfloat16 parts[2][kMostGatedRows][kPanelOutputs];
        for (int64_t i = 0; i < 2; ++i)
            gates.compute(panel + i * half, num_rows, rows, gates.num_inputs, [&](int64_t row, __mmask32, __m512i outputs) {
                _mm512_store_si512(parts[i][row], outputs);
            });
        for (int64_t row = 0; row < num_rows; ++row)
            gate(parts[0][row], parts[1][row], kPanelOutputs, output + row * size + panel * kPanelOutputs);
    }
}

}  // namespace

extern "C" void verbatim_layer_end(const VerbatimLayerEnd* call) {
    const Product attention = product(call->attention), gates = product(call->gates), down = product(call->down);
    const int64_t num_rows = call->num_rows, size = attention.num_outputs;
    Bfloat16 *sum = static_cast<Bfloat16*>(call->sum), *normed = static_cast<Bfloat16*>(call->normed);
    Bfloat16* gated = static_cast<Bfloat16*>(call->gated);
#pragma omp parallel num_threads(call->num_threads)
    {
        add_product(attention, num_rows, static_cast<const Bfloat16*>(call->attended),
                    static_cast<const Bfloat16*>(call->stream), sum);
#pragma omp for schedule(static)
        for (int64_t row = 0; row < num_rows; ++row)
            normalize_row(sum + row * size, static_cast<const Bfloat16*>(call->weight), size, call->epsilon, normed + row * size);
        compute_gates(gates, num_rows, normed, gated);
        add_product(down, num_rows, gated, sum, static_cast<Bfloat16*>(call->output));
    }
}

#endif
