// Attention of rows that decode, over paged keys and values; called by engine/native_attention.py.
//
// A task is one sequence and one head of its keys: these are read once for the whole group of query heads that
// share them, where they lie, so nothing is gathered or padded. Arithmetic is float32, storage float32 or
// bfloat16. The oracle is the torch path of engine/attention.py (tests/parity/test_native_attention.py).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "exponential.h"
#include "portable.h"
#include "storage.h"
#ifdef __AVX512F__
#include "avx512.h"
#endif

extern "C" {

// Shapes as in engine/attention.py. Strides count elements; the last dimension is dense everywhere.
struct VerbatimDecode {
    const void* query;   // [num_heads, num_rows, key_dim]
    const void* keys;    // [num_blocks, block_size, num_kv_heads, key_dim]
    const void* values;  // [num_blocks, block_size, num_kv_heads, value_dim]
    void* output;        // [num_rows, num_heads, value_dim], dense
    const int64_t* blocks;  // of all rows, one after another
    const int64_t* firsts;  // [num_rows]: where a row's blocks begin
    const int64_t* lows;    // [num_rows]: the first key a row sees, counted from its first block
    const int64_t* highs;   // [num_rows]: one past the last
    const float* sinks;     // [num_heads] or null
    int64_t query_head_stride, query_row_stride;
    int64_t num_rows, num_heads, num_kv_heads, key_dim, value_dim, block_size;
    float scaling, softcap;  // softcap 0: none
    int32_t is_bfloat16, num_threads;
};

}  // extern "C"

namespace {

constexpr int64_t kBlock = 16;  // keys

// What a thread keeps from task to task.
template <typename T>
struct Scratch {
    std::vector<const T*> keys, values;
    std::vector<float> weights;  // [group, num_keys]
};

// Sixteen keys and all heads at a time, so that the keys are read from memory once.
template <typename T>
void score(const VerbatimDecode& call, const T* query, int64_t group, const std::vector<const T*>& keys, float* scores) {
    const int64_t num_keys = keys.size(), dim = call.key_dim;
    for (int64_t i = 0; i < num_keys; i += kBlock) {
        const int64_t num = std::min(kBlock, num_keys - i);
        const T* const* some = keys.data() + i;
        for (int64_t g = 0; g < group; ++g) {
            const T* own = query + g * call.query_head_stride;
            float* place = scores + g * num_keys + i;
#ifdef __AVX512F__
            if (dim == 64) {
                score_keys<T, 64>(own, some, num, dim, call.scaling, place);
                continue;
            }
            if (dim % 32 == 0) {
                score_keys<T, 0>(own, some, num, dim, call.scaling, place);
                continue;
            }
#endif
            score_keys_portably(own, some, num, dim, call.scaling, place);
        }
    }
}

// Scores become weights that sum to one. sink: a score without a value, or null.
void normalize(const VerbatimDecode& call, const float* sink, int64_t num_keys, float* weights) {
    if (call.softcap != 0.0f)
        for (int64_t i = 0; i < num_keys; ++i) weights[i] = std::tanh(weights[i] / call.softcap) * call.softcap;
    float best = sink ? *sink : weights[0];
    for (int64_t i = 0; i < num_keys; ++i) best = weights[i] > best ? weights[i] : best;
    double total = sink ? exp_negative(*sink - best) : 0.0f;
#pragma omp simd reduction(+ : total)
    for (int64_t i = 0; i < num_keys; ++i) {
        weights[i] = exp_negative(weights[i] - best);
        total += weights[i];
    }
    const float inverse = static_cast<float>(1.0 / total);
    for (int64_t i = 0; i < num_keys; ++i) weights[i] *= inverse;
}

#ifdef __AVX512F__
template <typename T, int kHeads>
void sum_heads(const Scratch<T>& scratch, int64_t dim, const float* weights, T* output) {
    const int64_t num_keys = scratch.values.size();
    std::vector<const T*> values(scratch.values);
    for (int64_t d = 0; d < dim;) {
        const bool is_wide = dim - d >= 4 * kLanes;
        if (is_wide)
            sum_values<T, kHeads, 4>(values.data(), num_keys, weights, num_keys, output + d, dim);
        else
            sum_values<T, kHeads, 1>(values.data(), num_keys, weights, num_keys, output + d, dim);
        const int64_t step = is_wide ? 4 * kLanes : kLanes;
        for (auto& value : values) value += step;
        d += step;
    }
}
#endif

template <typename T>
void sum(const VerbatimDecode& call, const Scratch<T>& scratch, int64_t group, T* output) {
    const int64_t num_keys = scratch.values.size(), dim = call.value_dim;
    const float* weights = scratch.weights.data();
#ifdef __AVX512F__
    if (dim % kLanes == 0) {
        int64_t head = 0;
        for (; head + 4 <= group; head += 4) sum_heads<T, 4>(scratch, dim, weights + head * num_keys, output + head * dim);
        for (; head + 2 <= group; head += 2) sum_heads<T, 2>(scratch, dim, weights + head * num_keys, output + head * dim);
        for (; head < group; ++head) sum_heads<T, 1>(scratch, dim, weights + head * num_keys, output + head * dim);
        return;
    }
#endif
    for (int64_t head = 0; head < group; ++head)
        sum_values_portably(scratch.values.data(), num_keys, dim, weights + head * num_keys, output + head * dim);
}

template <typename T>
void attend(const VerbatimDecode& call, int64_t row, int64_t kv_head, Scratch<T>& scratch) {
    const int64_t group = call.num_heads / call.num_kv_heads;
    const int64_t low = call.lows[row], num_keys = call.highs[row] - low;
    const int64_t* blocks = call.blocks + call.firsts[row];
    scratch.keys.resize(num_keys);
    scratch.values.resize(num_keys);
    scratch.weights.resize(group * num_keys);
    for (int64_t i = 0; i < num_keys; ++i) {
        const int64_t key = low + i;
        const int64_t slot = blocks[key / call.block_size] * call.block_size + key % call.block_size;
        const int64_t place = slot * call.num_kv_heads + kv_head;
        scratch.keys[i] = static_cast<const T*>(call.keys) + place * call.key_dim;
        scratch.values[i] = static_cast<const T*>(call.values) + place * call.value_dim;
    }
    const T* query = static_cast<const T*>(call.query) + kv_head * group * call.query_head_stride +
                     row * call.query_row_stride;
    float* weights = scratch.weights.data();
    score(call, query, group, scratch.keys, weights);
    for (int64_t g = 0; g < group; ++g) {
        const float* sink = call.sinks ? call.sinks + kv_head * group + g : nullptr;
        normalize(call, sink, num_keys, weights + g * num_keys);
    }
    sum(call, scratch, group, static_cast<T*>(call.output) + (row * call.num_heads + kv_head * group) * call.value_dim);
}

template <typename T>
void run(const VerbatimDecode& call) {
    const int64_t num_tasks = call.num_rows * call.num_kv_heads;
#pragma omp parallel num_threads(call.num_threads)
    {
        Scratch<T> scratch;
#pragma omp for schedule(dynamic)
        for (int64_t task = 0; task < num_tasks; ++task)
            attend(call, task / call.num_kv_heads, task % call.num_kv_heads, scratch);
    }
}

}  // namespace

extern "C" void verbatim_decode(const VerbatimDecode* call) {
    if (call->is_bfloat16)
        run<Bfloat16>(*call);
    else
        run<float>(*call);
}
