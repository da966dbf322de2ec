// The best token of each row of logits; called by engine/sampling/native_ranking.py.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/layout.h"
#include "common/storage.h"

extern "C" {

struct VerbatimBest {
    const void* logits;  // [num_rows, vocab_size]; rows are row_stride apart
    float* values;       // [num_rows], receives the largest logits
    int64_t* ids;        // [num_rows], receives their token ids
    int64_t num_rows, row_stride, vocab_size;
    int32_t is_bfloat16, num_threads;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimBest, logits, values, ids, num_rows, row_stride, vocab_size, is_bfloat16, num_threads)

namespace {

constexpr int64_t kBlock = 4096;  // logits whose largest value is found first, and its index only in the best block

// Returns the largest value, or NaN if any value is one.
template <typename T>
float largest(const T* values, int64_t size) {
    float best = -std::numeric_limits<float>::infinity();
    int num_nans = 0;
#pragma omp simd reduction(max : best) reduction(+ : num_nans)
    for (int64_t i = 0; i < size; ++i) {
        const float value = load(values[i]);
        best = value > best ? value : best;
        num_nans += value != value;
    }
    return num_nans ? std::numeric_limits<float>::quiet_NaN() : best;
}

template <typename T>
void find_best(const T* row, int64_t size, float* value, int64_t* id) {
    float best = -std::numeric_limits<float>::infinity();
    int64_t index = 0;
    for (int64_t first = 0; first < size && best == best; first += kBlock) {
        const float block_best = largest(row + first, std::min(kBlock, size - first));
        if (block_best <= best) continue;
        best = block_best;
        index = first;
    }
    *value = best;
    if (best == best)
        while (load(row[index]) != best) ++index;
    *id = index;
}

template <typename T>
void run(const VerbatimBest& call) {
#pragma omp parallel for schedule(static) num_threads(call.num_threads)
    for (int64_t i = 0; i < call.num_rows; ++i)
        find_best(static_cast<const T*>(call.logits) + i * call.row_stride, call.vocab_size, call.values + i, call.ids + i);
}

}  // namespace

extern "C" void verbatim_best(const VerbatimBest* call) {
    if (call->is_bfloat16)
        run<Bfloat16>(*call);
    else
        run<float>(*call);
}
