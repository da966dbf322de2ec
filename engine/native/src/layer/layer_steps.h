// The steps of a decoder layer except attention. Every thread of a parallel region calls them; a barrier separates a
// step from the results that it reads.
//
// The template parameter Product multiplies by one kind of weight: PanelLayer, Int8Layer or GroupedLayer.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "layer/gate.h"
#include "layer/low_rank.h"
#include "layer/norm.h"
#include "common/layout.h"
#include "common/storage.h"
#include "linear/grouped_rows.h"
#include "linear/panels.h"
#include "linear/weight.h"

constexpr int64_t kOutputs = 32;  // outputs per panel, for every kind of weight
VERBATIM_CONSTANT(kOutputs)
// 24 blocks of 12 rows: the gates and the values of a tile take half of the L1 cache.
constexpr int64_t kMaxTileRows = 288;
constexpr int64_t kMostPanels = 8;  // that a product computes at once

inline int64_t step_panels(int64_t num_outputs) { return (num_outputs + kOutputs - 1) / kOutputs; }

extern "C" {

// The constants of the part of a layer that follows attention.
struct VerbatimLayerEnd {
    VerbatimWeight output, gate_up, down;  // gate_up: all gates, then as many values; each half is whole panels
    const void* norm;                      // [hidden_size], the weight of the norm before gate_up
    float epsilon;
};

// One call of a layer end. Rows are dense and bfloat16.
struct VerbatimLayerEndRows {
    const VerbatimLayerEnd* layer;
    const void* residual;  // [num_rows, hidden_size]
    const void* attended;  // [num_rows, output.num_inputs]
    void* output;          // [num_rows, hidden_size]
    int64_t num_rows;
    int32_t num_threads;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimLayerEnd, output, gate_up, down, norm, epsilon)
VERBATIM_LAYOUT(VerbatimLayerEndRows, layer, residual, attended, output, num_rows, num_threads)

// The largest number of elements per row that each buffer must hold for a set of layers.
struct Sizes {
    int64_t inputs = 0, qkv = 0, attended = 0, gated = 0;

    Sizes& hold(const VerbatimWeight& weight) {
        inputs = std::max(inputs, weight.num_inputs);
        qkv = std::max(qkv, weight.num_outputs);
        return *this;
    }

    Sizes& hold(const VerbatimLayerEnd& end) {
        for (const VerbatimWeight& weight : {end.output, end.gate_up, end.down}) inputs = std::max(inputs, weight.num_inputs);
        attended = std::max(attended, end.output.num_inputs);
        gated = std::max(gated, end.down.num_inputs);
        return *this;
    }
};

// Intermediate results of the steps. Each thread keeps its buffers from call to call.
struct Buffers {
    std::vector<Bfloat16> qkv, attended, gated;  // [num_rows, ...], dense; all threads use the calling thread's
    std::vector<Bfloat16> normed;
    std::vector<float> wide;     // the rows as float32, laid out as in WideRows
    std::vector<int8_t> values;  // the rows quantized, with `scales` as in Int8Rows
    std::vector<float> scales;
    GroupedRowBuffers grouped;   // the rows as they meet weights in groups
    std::vector<float> reduced;  // by RowAdapters; all threads use the calling thread's

    static Buffers& own() {
        thread_local Buffers buffers;
        return buffers;
    }

    void fit_shared(int64_t num_rows, const Sizes& sizes) {
        fit(qkv, num_rows * sizes.qkv);
        fit(attended, num_rows * sizes.attended);
        fit(gated, num_rows * sizes.gated);
    }

    template <typename T>
    static void fit(std::vector<T>& buffer, int64_t size) {
        if (static_cast<int64_t>(buffer.size()) < size) buffer.resize(size);
    }
};

// Makes room for rows in the form in which a class of products takes them.
using FitInputs = void (*)(Buffers&, int64_t num_rows, int64_t num_inputs);

// The rows of a step. Before a product they are prepared: normalized, widened or quantized. Up to kFew rows are prepared
// by each thread for itself, which takes less time than a barrier; more are shared out among the threads.
struct Rows {
    static constexpr int64_t kFew = 4;

    int64_t num;
    const Sizes& sizes;
    FitInputs fit_inputs;
    Buffers& shared;

    // Must be called by the calling thread before the parallel region.
    Rows(int64_t num_rows, const Sizes& sizes, FitInputs fit_inputs)
        : num(num_rows), sizes(sizes), fit_inputs(fit_inputs), shared(Buffers::own()) {
        shared.fit_shared(num, sizes);
        fit_prepared(shared);
    }

    // Must be called by each thread at the start of the region.
    void fit() const {
        if (are_few()) fit_prepared(Buffers::own());
    }

    bool are_few() const { return num <= kFew; }
    Buffers& prepared() const { return are_few() ? Buffers::own() : shared; }

    void fit_prepared(Buffers& buffers) const {
        Buffers::fit(buffers.normed, num * sizes.inputs);
        fit_inputs(buffers, num, sizes.inputs);
    }

    template <typename Prepare>
    void prepare(Prepare prepare) const {
        if (are_few()) {
            for (int64_t row = 0; row < num; ++row) prepare(row);
        } else {
#pragma omp for schedule(static)
            for (int64_t row = 0; row < num; ++row) prepare(row);
        }
    }
};

// Calls compute(first_row, num_rows, panel, num_panels) for all rows and panels, at most num_together panels at once. Rows
// are divided into tiles, each of which is multiplied by all panels in turn, so that it stays in the L2 cache.
template <typename Product, typename Compute>
void for_each_tile(const Product& product, int64_t num_rows, int64_t num_panels, int64_t num_together, Compute compute) {
    const int64_t most = std::min(product.rows_at_once(), kMaxTileRows);
    const int64_t tile_rows = rows_of_group(num_rows, most, product.kRowsOfBlock);
    const int64_t num_tiles = (num_rows + tile_rows - 1) / tile_rows;
#pragma omp for collapse(2) schedule(static)
    for (int64_t tile = 0; tile < num_tiles; ++tile)
        for (int64_t panel = 0; panel < num_panels; panel += num_together)
            compute(tile * tile_rows, std::min(tile_rows, num_rows - tile * tile_rows), panel,
                    std::min(num_together, num_panels - panel));
}

// Returns the product's input: the normalized residual.
template <typename Product>
typename Product::Input norm_rows(const Product& product, const Rows& rows, const Bfloat16* residual, const void* weight,
                                  float epsilon) {
    const int64_t size = product.weight.num_inputs;
    Buffers& buffers = rows.prepared();
    rows.prepare([&](int64_t row) {
        Bfloat16* normed = buffers.normed.data() + row * size;
        normalize_row(residual + row * size, static_cast<const Bfloat16*>(weight), size, epsilon, normed);
        if constexpr (Product::kPrepares) product.prepare(rows.num, row, normed, buffers);
    });
    return product.input(rows.num, buffers.normed.data(), buffers);
}

// Returns the product's input: `source`, [num_rows, num_inputs], widened or quantized if the weight asks for it.
template <typename Product>
typename Product::Input input_rows(const Product& product, const Rows& rows, const Bfloat16* source) {
    Buffers& buffers = rows.prepared();
    if constexpr (Product::kPrepares)
        rows.prepare([&](int64_t row) {
            product.prepare(rows.num, row, source + row * product.weight.num_inputs, buffers);
        });
    return product.input(rows.num, source, buffers);
}

// Writes before + the product, each rounded to bfloat16, to `residual`, which may be `before`. place: the product's in the
// layer; RowAdapters::reduce() has been called for it.
template <typename Product>
void add_product(const Product& product, LayerProduct place, const RowAdapters& adapters, const Rows& rows,
                 const typename Product::Input& input, const Bfloat16* before, Bfloat16* residual) {
    const int64_t size = product.weight.num_outputs, together = product.panels_at_once(input, omp_get_num_threads());
    for_each_tile(product, rows.num, step_panels(size), together,
                  [&](int64_t first_row, int64_t num_rows, int64_t panel, int64_t num_panels) {
                      alignas(64) Bfloat16 outputs[kMaxTileRows][kMostPanels * kOutputs];
                      const int64_t first = panel * kOutputs, num = std::min(num_panels * kOutputs, size - first);
                      product.compute({panel, num_panels, 1, panel + num_panels}, first_row, num_rows, input, outputs[0],
                                      kMostPanels * kOutputs, kOutputs);
                      adapters.add(place, first_row, num_rows, first, num, outputs[0], kMostPanels * kOutputs);
                      for (int64_t row = 0; row < num_rows; ++row) {
                          const Bfloat16* addend = before + (first_row + row) * size + first;
                          Bfloat16* sum = residual + (first_row + row) * size + first;
#pragma omp simd
                          for (int64_t i = 0; i < num; ++i) store(load(addend[i]) + load(outputs[row][i]), sum + i);
                      }
                  });
}

template <typename Product>
void compute_gate_up(const Product& product, const RowAdapters& adapters, const Rows& rows,
                     const typename Product::Input& input, Bfloat16* gated) {
    const int64_t size = product.weight.num_outputs / 2, half = size / kOutputs;
    for_each_tile(product, rows.num, half, 1, [&](int64_t first_row, int64_t num_rows, int64_t panel, int64_t) {
        alignas(64) Bfloat16 parts[2][kMaxTileRows][kOutputs];
        // The gates' panel and that of their values.
        product.compute({panel, 2, half, panel + 1}, first_row, num_rows, input, parts[0][0], kOutputs, kMaxTileRows * kOutputs);
        for (int64_t part = 0; part < 2; ++part)
            adapters.add(kGateUp, first_row, num_rows, part * size + panel * kOutputs, kOutputs, parts[part][0], kOutputs);
        for (int64_t row = 0; row < num_rows; ++row)
            gate(parts[0][row], parts[1][row], kOutputs, gated + (first_row + row) * size + panel * kOutputs);
    });
}

// Computes the output projection, the norm and the MLP, with both residual additions. attended: [num_rows,
// output.num_inputs]. residual: receives the sum; may be `before`.
template <typename Product>
void end_layer(const VerbatimLayerEnd& layer, const RowAdapters& adapters, const Rows& rows, const Bfloat16* attended,
               const Bfloat16* before, Bfloat16* residual) {
    const Product output(layer.output), gate_up(layer.gate_up), down(layer.down);
    adapters.reduce(kOutput, rows.num, attended, layer.output.num_inputs);
    add_product(output, kOutput, adapters, rows, input_rows(output, rows, attended), before, residual);
    Bfloat16* const gated = rows.shared.gated.data();
    const auto normed = norm_rows(gate_up, rows, residual, layer.norm, layer.epsilon);
    adapters.reduce(kGateUp, rows.num, rows.prepared().normed.data(), layer.gate_up.num_inputs);
    compute_gate_up(gate_up, adapters, rows, normed, gated);
    adapters.reduce(kDown, rows.num, gated, layer.down.num_inputs);
    add_product(down, kDown, adapters, rows, input_rows(down, rows, gated), residual, residual);
}

template <typename Product>
void end_layer(const VerbatimLayerEndRows& call) {
    const Sizes sizes = Sizes().hold(*call.layer);
    const Rows rows(call.num_rows, sizes, Product::fit);
#pragma omp parallel num_threads(call.num_threads)
    {
        rows.fit();
        end_layer<Product>(*call.layer, RowAdapters(), rows, static_cast<const Bfloat16*>(call.attended),
                           static_cast<const Bfloat16*>(call.residual), static_cast<Bfloat16*>(call.output));
    }
}
