// The best tokens of each row of logits, and the logarithms of sums; called by engine/sampling/native_ranking.py.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/exponential_lanes.h"
#include "common/layout.h"
#include "common/lanes.h"
#include "sampling/best_tokens.h"
#include "sampling/logit_rows.h"

extern "C" {

struct VerbatimBest {
    const void* logits;  // [num_rows, vocab_size]; rows are row_stride apart
    float* values;       // [num_rows, num_best], receives the largest logits, all NaN for a row with a NaN
    int64_t* ids;        // [num_rows, num_best], receives their token ids
    int64_t num_rows, row_stride, vocab_size, num_best;
    int32_t is_bfloat16, num_threads;
};

struct VerbatimLogSums {
    const void* logits;  // [num_rows, vocab_size]; rows are row_stride apart
    double* log_sums;    // [num_rows], receives log(sum(exp(logits))), NaN for a row whose largest logit is not finite
    int64_t num_rows, row_stride, vocab_size;
    int32_t is_bfloat16, num_threads;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimBest, logits, values, ids, num_rows, row_stride, vocab_size, num_best, is_bfloat16, num_threads)
VERBATIM_LAYOUT(VerbatimLogSums, logits, log_sums, num_rows, row_stride, vocab_size, is_bfloat16, num_threads)

namespace {

template <typename T>
void find_best(const T* row, int64_t size, int64_t num_best, float* values, int64_t* ids) {
    thread_local BestTokens tokens;
    const float best = tokens.find_maxima(row, size);
    if (best != best) {
        std::fill_n(values, num_best, best);
        std::fill_n(ids, num_best, 0);
        return;
    }
    std::vector<uint64_t>& keys = tokens.select(row, size, num_best);
    std::sort(keys.begin(), keys.end(), std::greater<>());
    for (int64_t i = 0; i < num_best; ++i) {
        ids[i] = BestTokens::id_of(keys[i]);
        values[i] = load(row[ids[i]]);
    }
}

template <typename T>
double log_sum(const T* row, int64_t size) {
    thread_local BestTokens tokens;
    const float best = tokens.find_maxima(row, size);
    double sum = 0;
    for_each_block(size, [&](int64_t first, int64_t num) {
        Floats block_sum{};
        for (int64_t i = 0; i < num; i += kNumLanes)
            block_sum += exp_negative(load_logits(row + first + i, num - i) - best);
        sum += sum_lanes(block_sum);
    });
    return best + std::log1p(sum - 1);  // std::log of a double needs a newer libm than wheels may
}

}  // namespace

extern "C" void verbatim_best(const VerbatimBest* call) {
    const int64_t num_best = call->num_best;
    for_each_row(*call, [=](int64_t i, const auto* row) {
        find_best(row, call->vocab_size, num_best, call->values + i * num_best, call->ids + i * num_best);
    });
}

extern "C" void verbatim_log_sums(const VerbatimLogSums* call) {
    for_each_row(*call, [=](int64_t i, const auto* row) { call->log_sums[i] = log_sum(row, call->vocab_size); });
}
