// All decoder layers of one decode step, run in a single parallel region with barriers between the steps; included by
// bfloat16_decoder.cpp, int8_decoder.cpp and grouped_decoder.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ctime>

#include "attention/decode_attention.h"
#include "layer/layer_steps.h"
#include "layer/low_rank.h"
#include "layer/norm.h"
#include "layer/rotary.h"
#include "common/layout.h"
#include "common/storage.h"

extern "C" {

// The constants of one layer; engine/fusion/native_decoder.py fills them once.
struct VerbatimDecoderLayer {
    VerbatimWeight qkv;  // queries, keys and values
    VerbatimLayerEnd end;
    const void* norm;                      // [hidden_size], the weight of the norm before `qkv`
    const void *query_norm, *key_norm;     // [dim], the weights of the heads' norms; null without them
    void *keys, *values;                   // the KV cache, laid out as in VerbatimDecode
    const float* sinks;                    // as in VerbatimDecode
    int64_t num_heads, num_kv_heads, dim, block_size;
    int64_t window;                        // index into VerbatimDecoder::keys
    float epsilon, query_epsilon, key_epsilon, scaling, softcap;
};

// The keys that each row attends to; the fields are those of VerbatimDecode.
struct VerbatimVisibleKeys {
    const int64_t *blocks, *firsts, *lows, *highs;
};

// One decode step. Rows are dense and bfloat16.
struct VerbatimDecoder {
    const VerbatimDecoderLayer* layers;
    const VerbatimVisibleKeys* keys;  // one entry per window
    const void* residual;             // [num_rows, hidden_size]
    void* output;                     // [num_rows, hidden_size]
    const void *cosine, *sine;        // [num_rows, dim]
    const int64_t* slots;             // [num_rows], the KV cache slots that keys and values are written to
    const VerbatimAdapter* const* adapters;  // [num_rows], null where a row has none; itself null if none has
    int64_t* nanoseconds;             // [kNumParts], to which the times are added; may be null
    int64_t num_layers, num_rows;
    int32_t writes_first;  // whether all rows write their keys before any attends, as several of one sequence must
    int32_t num_threads;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimDecoderLayer, qkv, end, norm, query_norm, key_norm, keys, values, sinks, num_heads,
                num_kv_heads, dim, block_size, window, epsilon, query_epsilon, key_epsilon, scaling, softcap)
VERBATIM_LAYOUT(VerbatimVisibleKeys, blocks, firsts, lows, highs)
VERBATIM_LAYOUT(VerbatimDecoder, layers, keys, residual, output, cosine, sine, slots, adapters, nanoseconds, num_layers,
                num_rows, writes_first, num_threads)

// The parts into which the time of a call is divided.
enum Part { kProducts, kAttention, kNumParts };
VERBATIM_CONSTANT(kNumParts)

class PartClock {
   public:
    explicit PartClock(int64_t* nanoseconds) : nanoseconds_(nanoseconds), last_(nanoseconds ? now() : 0) {}

    // Adds the time since the previous end() to nanoseconds[part].
    void end(Part part) {
        if (!nanoseconds_) return;
#pragma omp master
        {
            const int64_t before = last_;
            last_ = now();
            nanoseconds_[part] += last_ - before;
        }
    }

   private:
    static int64_t now() {
        timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return time.tv_sec * 1000000000 + time.tv_nsec;
    }

    int64_t* nanoseconds_;
    int64_t last_;
};

// Applies the head's norm, unless `norm` is null, and then the rotary embedding.
inline void rotate_head(const VerbatimDecoder& call, const VerbatimDecoderLayer& layer, int64_t row, const void* norm,
                        float epsilon, Bfloat16* head) {
    const auto of_row = [&](const void* rows) { return static_cast<const Bfloat16*>(rows) + row * layer.dim; };
    if (norm) normalize_row(head, static_cast<const Bfloat16*>(norm), layer.dim, epsilon, head);
    rotate(head, of_row(call.cosine), of_row(call.sine), layer.dim);
}

// Rotates one KV head of a row and the query heads that share it, and writes the key and the value to the KV cache. Calls
// for different rows or KV heads touch disjoint memory.
inline void write_head(const VerbatimDecoder& call, const VerbatimDecoderLayer& layer, int64_t row, int64_t kv_head,
                       Bfloat16* qkv) {
    const int64_t group = layer.num_heads / layer.num_kv_heads, dim = layer.dim;
    for (int64_t i = 0; i < group; ++i)
        rotate_head(call, layer, row, layer.query_norm, layer.query_epsilon, qkv + (kv_head * group + i) * dim);
    Bfloat16* const key = qkv + (layer.num_heads + kv_head) * dim;
    rotate_head(call, layer, row, layer.key_norm, layer.key_epsilon, key);
    const int64_t place = (call.slots[row] * layer.num_kv_heads + kv_head) * dim;
    std::memcpy(static_cast<Bfloat16*>(layer.keys) + place, key, dim * sizeof *key);
    std::memcpy(static_cast<Bfloat16*>(layer.values) + place, key + layer.num_kv_heads * dim, dim * sizeof *key);
}

// Returns the arguments of attend() for a layer whose queries lie side by side in `qkv`.
inline VerbatimDecode attention_of(const VerbatimDecoder& call, const VerbatimDecoderLayer& layer, const Bfloat16* qkv,
                                   Bfloat16* attended) {
    const VerbatimVisibleKeys& keys = call.keys[layer.window];
    VerbatimDecode attention{};
    attention.query = qkv;
    attention.keys = layer.keys;
    attention.values = layer.values;
    attention.output = attended;
    attention.blocks = keys.blocks;
    attention.firsts = keys.firsts;
    attention.lows = keys.lows;
    attention.highs = keys.highs;
    attention.sinks = layer.sinks;
    attention.query_head_stride = layer.dim;
    attention.query_row_stride = layer.qkv.num_outputs;
    attention.num_rows = call.num_rows;
    attention.num_heads = layer.num_heads;
    attention.num_kv_heads = layer.num_kv_heads;
    attention.key_dim = attention.value_dim = layer.dim;
    attention.block_size = layer.block_size;
    attention.scaling = layer.scaling;
    attention.softcap = layer.softcap;
    return attention;
}

template <typename Product>
void compute_qkv(const Product& product, const RowAdapters& adapters, const Rows& rows, const typename Product::Input& input,
                 Bfloat16* qkv) {
    const int64_t size = product.weight.num_outputs;
#pragma omp for schedule(static)
    for (int64_t panel = 0; panel < step_panels(size); ++panel) {
        const int64_t first = panel * kOutputs;
        product.compute({panel, 1, 1, panel + 1}, 0, rows.num, input, qkv + first, size, kOutputs);
        adapters.add(kQkv, 0, rows.num, first, kOutputs, qkv + first, size);
    }
}

// Writes the keys and values of all rows, and attends. A row that reads keys of other rows of the step is computed behind a
// barrier; otherwise, each task writes its own and attends at once.
inline void attend_rows(const VerbatimDecoder& call, const VerbatimDecoderLayer& layer, const VerbatimDecode& attention,
                        Bfloat16* qkv) {
    const int64_t num_kv_heads = layer.num_kv_heads, num_tasks = call.num_rows * num_kv_heads;
    const auto write = [&](int64_t task) {
        const int64_t row = task / num_kv_heads;
        write_head(call, layer, row, task % num_kv_heads, qkv + row * layer.qkv.num_outputs);
    };
    const auto attend_task = [&](int64_t task) {
        attend(attention, task / num_kv_heads, task % num_kv_heads, Scratch<Bfloat16>::own());
    };
    if (call.writes_first) {
#pragma omp for schedule(static)
        for (int64_t task = 0; task < num_tasks; ++task) write(task);
    }
#pragma omp for schedule(dynamic)
    for (int64_t task = 0; task < num_tasks; ++task) {
        if (!call.writes_first) write(task);
        attend_task(task);
    }
}

template <typename Product>
void decode_layer(const VerbatimDecoder& call, const VerbatimDecoderLayer& layer, const RowAdapters& adapters, const Rows& rows,
                  const Bfloat16* before, PartClock& clock) {
    Bfloat16 *const qkv = rows.shared.qkv.data(), *const attended = rows.shared.attended.data();
    const Product product(layer.qkv);
    const auto input = norm_rows(product, rows, before, layer.norm, layer.epsilon);
    adapters.reduce(kQkv, rows.num, rows.prepared().normed.data(), layer.qkv.num_inputs);
    compute_qkv(product, adapters, rows, input, qkv);
    clock.end(kProducts);
    attend_rows(call, layer, attention_of(call, layer, qkv, attended), qkv);
    clock.end(kAttention);
    end_layer<Product>(layer.end, adapters, rows, attended, before, static_cast<Bfloat16*>(call.output));
    clock.end(kProducts);
}

template <typename Product>
void decode(const VerbatimDecoder& call) {
    Sizes sizes;
    for (int64_t i = 0; i < call.num_layers; ++i) sizes.hold(call.layers[i].qkv).hold(call.layers[i].end);
    const Rows rows(call.num_rows, sizes, Product::fit);
    const RowAdapters adapters(call.adapters, call.num_rows, rows.shared.reduced);
    PartClock clock(call.nanoseconds);
#pragma omp parallel num_threads(call.num_threads)
    {
        rows.fit();
        for (int64_t i = 0; i < call.num_layers; ++i)
            decode_layer<Product>(call, call.layers[i], adapters.of_layer(i), rows,
                                  static_cast<const Bfloat16*>(i ? call.output : call.residual), clock);
    }
}
