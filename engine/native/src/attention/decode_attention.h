// Attention of one row that decodes, over paged keys and values.
//
// A task is one sequence and one head of its keys: these are read once for the whole group of query heads that
// share them, where they lie, so nothing is gathered or padded. Arithmetic is float32, storage float32 or
// bfloat16.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "attention/lane_attention.h"
#include "common/fetch_ahead.h"
#include "common/layout.h"
#include "common/storage.h"
#ifdef __AVX512BF16__
#include "attention/bfloat16_attention.h"
#endif

extern "C" {

// Shapes as in engine/attention/paged_attention.py. Strides count elements; the last dimension is dense everywhere.
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

VERBATIM_LAYOUT(VerbatimDecode, query, keys, values, output, blocks, firsts, lows, highs, sinks, query_head_stride,
                query_row_stride, num_rows, num_heads, num_kv_heads, key_dim, value_dim, block_size, scaling, softcap,
                is_bfloat16, num_threads)

constexpr int64_t kBlock = 16;  // keys, at least as many as there are lanes
constexpr int64_t kKeysAhead = 64;  // that are fetched before they are used: pages lie anywhere
static_assert(kBlock % kNumLanes == 0);

// What a thread keeps from task to task.
template <typename T>
struct Scratch {
    std::vector<const T*> keys, values;  // whole blocks, of which those past the last key are the first
    std::vector<float> query;            // [group, key_dim padded to whole registers]
    std::vector<float> weights;          // [group, whole blocks of keys]
    std::vector<T> rounded;              // likewise
    std::vector<float> factors;          // [group]

    static Scratch& own() {
        thread_local Scratch scratch;
        return scratch;
    }

    void fit(int64_t num_keys, int64_t group) {
        const int64_t num_whole = (num_keys + kBlock - 1) / kBlock * kBlock;
        keys.resize(num_whole);
        values.resize(num_whole);
        weights.resize(group * num_whole);
        rounded.resize(group * num_whole);
        factors.resize(group);
    }

    // Where the keys and values of a row lie, of one head.
    void find_keys(const VerbatimDecode& call, int64_t row, int64_t kv_head) {
        const int64_t low = call.lows[row], num_keys = call.highs[row] - low, size = call.block_size;
        const int64_t* block = call.blocks + call.firsts[row] + low / size;
        for (int64_t i = 0, offset = low % size; i < num_keys; ++block, offset = 0)
            for (; offset < size && i < num_keys; ++offset, ++i) {
                const int64_t place = (*block * size + offset) * call.num_kv_heads + kv_head;
                keys[i] = static_cast<const T*>(call.keys) + place * call.key_dim;
                values[i] = static_cast<const T*>(call.values) + place * call.value_dim;
            }
        std::fill(keys.begin() + num_keys, keys.end(), keys[0]);
        std::fill(values.begin() + num_keys, values.end(), values[0]);
    }
};

inline void cap(float softcap, int64_t num_keys, float* scores) {
    if (softcap != 0.0f)
        for (int64_t i = 0; i < num_keys; ++i) scores[i] = std::tanh(scores[i] / softcap) * softcap;
}

// Fetches the rows of some keys, of those that there are.
template <typename T>
inline void fetch_rows(const std::vector<const T*>& rows, int64_t first, int64_t num, int64_t num_keys, int64_t dim) {
    for (int64_t key = first; key < std::min(first + num, num_keys); ++key) fetch_row(rows[key], dim);
}

// Caps the scores of a head, and gives those past the last key no weight.
inline void end_scores(const VerbatimDecode& call, int64_t num_keys, int64_t num_whole, float* scores) {
    cap(call.softcap, num_keys, scores);
    std::fill(scores + num_keys, scores + num_whole, -std::numeric_limits<float>::infinity());
}

#ifdef __AVX512BF16__
// As attend(), by pairs of numbers. Keys are filled up to whole tiles; what is filled in gets no weight.
inline void attend_by_pairs(const VerbatimDecode& call, const Bfloat16* query, int64_t group, const float* sinks,
                            int64_t num_keys, Scratch<Bfloat16>& scratch, Bfloat16* output) {
    const int64_t num_whole = scratch.keys.size(), dim = call.value_dim;
    float* const scores = scratch.weights.data();
    fetch_rows(scratch.keys, 0, kKeysAhead, num_keys, call.key_dim);
    for (int64_t key = 0; key < num_whole; key += kTileKeys) {
        fetch_rows(scratch.keys, key + kKeysAhead, kTileKeys, num_keys, call.key_dim);
        fetch_rows(scratch.values, key, kTileKeys, num_keys, dim);
        for (int64_t head = 0; head < group; head += 8)
            score_heads<8>(std::min<int64_t>(group - head, 8), query + head * call.query_head_stride, call.query_head_stride,
                           scratch.keys.data() + key, call.key_dim, call.scaling, scores + head * num_whole + key, num_whole);
    }
    Bfloat16* const rounded = scratch.rounded.data();
    for (int64_t head = 0; head < group; ++head) {
        float* own = scores + head * num_whole;
        end_scores(call, num_keys, num_whole, own);
        scratch.factors[head] = weigh(own, num_whole, sinks ? sinks + head : nullptr, rounded + head * num_whole);
    }
    const int64_t num_even = (num_keys + 1) / 2 * 2;
    for (int64_t head = 0; head < group; head += 4)
        sum_heads_by_pairs<4>(std::min<int64_t>(group - head, 4), scratch.values.data(), dim, num_even,
                              rounded + head * num_whole, num_whole, scratch.factors.data() + head, output + head * dim);
}
#endif

// Computes attend() in float32.
template <typename T>
void attend_by_lanes(const VerbatimDecode& call, const T* query, int64_t group, const float* sinks, int64_t num_keys,
                     Scratch<T>& scratch, T* output) {
    const int64_t num_whole = scratch.keys.size(), dim = call.value_dim;
    const int64_t query_stride = (call.key_dim + kNumLanes - 1) / kNumLanes * kNumLanes;
    scratch.query.assign(group * query_stride, 0.0f);
    for (int64_t head = 0; head < group; ++head)
        widen_numbers(query + head * call.query_head_stride, call.key_dim, scratch.query.data() + head * query_stride);
    float* const weights = scratch.weights.data();
    fetch_rows(scratch.keys, 0, kKeysAhead, num_keys, call.key_dim);
    for (int64_t key = 0; key < num_whole; key += kNumLanes) {
        fetch_rows(scratch.keys, key + kKeysAhead, kNumLanes, num_keys, call.key_dim);
        fetch_rows(scratch.values, key, kNumLanes, num_keys, dim);
        for (int64_t head = 0; head < group; head += kHeadsAtOnce)
            with_num_heads(std::min<int64_t>(group - head, kHeadsAtOnce), [&](auto num) {
                score_keys<num>(scratch.query.data() + head * query_stride, query_stride, scratch.keys.data() + key,
                                call.key_dim, call.scaling, weights + head * num_whole + key, num_whole);
            });
    }
    for (int64_t head = 0; head < group; ++head) {
        end_scores(call, num_keys, num_whole, weights + head * num_whole);
        scratch.factors[head] = weigh_lanes(weights + head * num_whole, num_whole, sinks ? sinks + head : nullptr);
    }
    for (int64_t head = 0; head < group; head += kHeadsAtOnce)
        with_num_heads(std::min<int64_t>(group - head, kHeadsAtOnce), [&](auto num) {
            sum_all_values<num>(scratch.values.data(), dim, num_keys, weights + head * num_whole, num_whole,
                                scratch.factors.data() + head, output + head * dim);
        });
}

template <typename T>
void attend(const VerbatimDecode& call, int64_t row, int64_t kv_head, Scratch<T>& scratch) {
    const int64_t group = call.num_heads / call.num_kv_heads, num_keys = call.highs[row] - call.lows[row];
    scratch.fit(num_keys, group);
    scratch.find_keys(call, row, kv_head);
    const T* query = static_cast<const T*>(call.query) + kv_head * group * call.query_head_stride +
                     row * call.query_row_stride;
    const float* sinks = call.sinks ? call.sinks + kv_head * group : nullptr;
    T* const output = static_cast<T*>(call.output) + (row * call.num_heads + kv_head * group) * call.value_dim;
#ifdef __AVX512BF16__
    if constexpr (std::is_same_v<T, Bfloat16>)
        if (call.key_dim % kTileDims == 0 && call.value_dim % kTileDims == 0)
            return attend_by_pairs(call, query, group, sinks, num_keys, scratch, output);
#endif
    attend_by_lanes(call, query, group, sinks, num_keys, scratch, output);
}
