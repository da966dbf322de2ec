// The steps of a decoder layer but attention. Called by all threads of one region, which wait for one
// another where a step needs what others made.
//
// A product is of a class that says how its weight is multiplied: Bfloat16Layer or Int8Layer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "layer/gate.h"
#include "layer/norm.h"
#include "common/layout.h"
#include "common/storage.h"

constexpr int64_t kOutputs = 32;     // of a panel, in products of every class
VERBATIM_CONSTANT(kOutputs)
constexpr int64_t kMostTileRows = 288;  // 24 blocks of 12, whose gates and values are half of a first-level cache

inline int64_t step_panels(int64_t num_outputs) { return (num_outputs + kOutputs - 1) / kOutputs; }

extern "C" {

// A linear layer's weight in panels, as VerbatimLinear or VerbatimInt8Weight has it. scales: of int8 alone.
struct VerbatimWeight {
    const void* panels;
    const float *scales, *bias;
    int64_t num_inputs, num_outputs;
};

// What a layer does after attention.
struct VerbatimLayerEnd {
    VerbatimWeight output, gate_up, down;  // gate_up: first the gates, then their values, as many and whole panels
    const void* norm;                    // [hidden_size], of the norm before gate_up
    float epsilon;
};

// Rows of it, dense and of bfloat16.
struct VerbatimLayerEndRows {
    const VerbatimLayerEnd* layer;
    const void* residual;    // [num_rows, hidden_size]
    const void* attended;  // [num_rows, output.num_inputs]
    void* output;          // as residual
    int64_t num_rows;
    int32_t num_threads;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimWeight, panels, scales, bias, num_inputs, num_outputs)
VERBATIM_LAYOUT(VerbatimLayerEnd, output, gate_up, down, norm, epsilon)
VERBATIM_LAYOUT(VerbatimLayerEndRows, layer, residual, attended, output, num_rows, num_threads)

// Numbers that the steps of some layers keep of a row, at most.
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

// What steps leave for the next ones. A thread keeps its own from call to call.
struct Buffers {
    std::vector<Bfloat16> qkv, attended, gated;  // [num_rows, ...], dense; those of the thread that calls serve all
    std::vector<Bfloat16> normed;
    std::vector<int8_t> values;  // of rounded rows, as in Int8Rows
    std::vector<float> scales;
    std::vector<int32_t> corrections;

    static Buffers& own() {
        thread_local Buffers buffers;
        return buffers;
    }

    void fit_shared(int64_t num_rows, const Sizes& sizes) {
        fit(qkv, num_rows * sizes.qkv);
        fit(attended, num_rows * sizes.attended);
        fit(gated, num_rows * sizes.gated);
    }

    void fit_prepared(int64_t num_rows, const Sizes& sizes) {
        fit(normed, num_rows * sizes.inputs);
        fit(values, num_rows * (sizes.inputs + 2 * kLine));
        fit(scales, num_rows);
        fit(corrections, num_rows);
    }

   private:
    static constexpr int64_t kLine = 64;  // to which Int8Rows pads

    template <typename T>
    static void fit(std::vector<T>& buffer, int64_t size) {
        if (static_cast<int64_t>(buffer.size()) < size) buffer.resize(size);
    }
};

// The rows of a step. Few are prepared for a product by each thread for itself, which is sooner done than waited for.
struct Rows {
    static constexpr int64_t kFew = 4;

    int64_t num;
    Buffers& shared;

    // Of the thread that calls, before the region begins.
    Rows(int64_t num_rows, const Sizes& sizes) : num(num_rows), shared(Buffers::own()) {
        shared.fit_shared(num, sizes);
        shared.fit_prepared(num, sizes);
    }

    // Of each thread of the region, when it begins.
    void fit(const Sizes& sizes) const {
        if (are_few()) Buffers::own().fit_prepared(num, sizes);
    }

    bool are_few() const { return num <= kFew; }
    Buffers& prepared() const { return are_few() ? Buffers::own() : shared; }

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

// Calls compute(first, num, panel) for all rows and panels. Rows that are many meet all panels tile by tile, so that
// they stay in the second-level cache.
template <typename Product, typename Compute>
void for_each_tile(const Product& product, int64_t num_rows, int64_t num_panels, Compute compute) {
    const int64_t most = std::min(product.rows_at_once(), kMostTileRows), num_tiles = (num_rows + most - 1) / most;
#pragma omp for collapse(2) schedule(static)
    for (int64_t tile = 0; tile < num_tiles; ++tile)
        for (int64_t panel = 0; panel < num_panels; ++panel)
            compute(tile * most, std::min(most, num_rows - tile * most), panel);
}

// What the product multiplies: norms of the residual.
template <typename Product>
typename Product::Input norm_rows(const Product& product, const Rows& rows, const Bfloat16* residual, const void* weight,
                                  float epsilon) {
    const int64_t size = product.weight.num_inputs;
    Buffers& buffers = rows.prepared();
    rows.prepare([&](int64_t row) {
        Bfloat16* normed = buffers.normed.data() + row * size;
        normalize_row(residual + row * size, static_cast<const Bfloat16*>(weight), size, epsilon, normed);
        if constexpr (Product::kRounds) product.round(row, normed, buffers);
    });
    return product.input(buffers.normed.data(), buffers);
}

// What the product multiplies: these rows, [num_rows, num_inputs].
template <typename Product>
typename Product::Input round_rows(const Product& product, const Rows& rows, const Bfloat16* source) {
    Buffers& buffers = rows.prepared();
    if constexpr (Product::kRounds)
        rows.prepare([&](int64_t row) { product.round(row, source + row * product.weight.num_inputs, buffers); });
    return product.input(source, buffers);
}

// residual: before + the product, rounded each; may be `before`.
template <typename Product>
void add_product(const Product& product, const Rows& rows, const typename Product::Input& input, const Bfloat16* before,
                 Bfloat16* residual) {
    const int64_t size = product.weight.num_outputs;
    for_each_tile(product, rows.num, step_panels(size), [&](int64_t first_row, int64_t num_rows, int64_t panel) {
        const int64_t first = panel * kOutputs, num = std::min(kOutputs, size - first);
        alignas(64) Bfloat16 outputs[kMostTileRows][kOutputs];
        product.compute(panel, panel + 1, first_row, num_rows, input, outputs[0], kOutputs);
        for (int64_t row = 0; row < num_rows; ++row) {
            const Bfloat16* own = before + (first_row + row) * size + first;
            Bfloat16* sum = residual + (first_row + row) * size + first;
#pragma omp simd
            for (int64_t i = 0; i < num; ++i) store(load(own[i]) + load(outputs[row][i]), sum + i);
        }
    });
}

template <typename Product>
void compute_gate_up(const Product& product, const Rows& rows, const typename Product::Input& input, Bfloat16* gated) {
    const int64_t size = product.weight.num_outputs / 2, half = size / kOutputs;
    for_each_tile(product, rows.num, half, [&](int64_t first_row, int64_t num_rows, int64_t panel) {
        alignas(64) Bfloat16 parts[2][kMostTileRows][kOutputs];
        const int64_t places[] = {panel, panel + half, panel + 1};  // of gates, of their values, of the next gates
        for (int64_t i = 0; i < 2; ++i)
            product.compute(places[i], places[i + 1], first_row, num_rows, input, parts[i][0], kOutputs);
        for (int64_t row = 0; row < num_rows; ++row)
            gate(parts[0][row], parts[1][row], kOutputs, gated + (first_row + row) * size + panel * kOutputs);
    });
}

// attended: [num_rows, output.num_inputs]. residual: before, and what the layer adds to it; may be `before`.
template <typename Product>
void end_layer(const VerbatimLayerEnd& layer, const Rows& rows, const Bfloat16* attended, const Bfloat16* before,
               Bfloat16* residual) {
    const Product output(layer.output), gate_up(layer.gate_up), down(layer.down);
    add_product(output, rows, round_rows(output, rows, attended), before, residual);
    Bfloat16* const gated = rows.shared.gated.data();
    compute_gate_up(gate_up, rows, norm_rows(gate_up, rows, residual, layer.norm, layer.epsilon), gated);
    add_product(down, rows, round_rows(down, rows, gated), residual, residual);
}

template <typename Product>
void end_layer(const VerbatimLayerEndRows& call) {
    const Sizes sizes = Sizes().hold(*call.layer);
    const Rows rows(call.num_rows, sizes);
#pragma omp parallel num_threads(call.num_threads)
    {
        rows.fit(sizes);
        end_layer<Product>(*call.layer, rows, static_cast<const Bfloat16*>(call.attended),
                           static_cast<const Bfloat16*>(call.residual), static_cast<Bfloat16*>(call.output));
    }
}
