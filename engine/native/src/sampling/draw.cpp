// One token of each row, drawn at random as engine/sampling/draw.py has it; called by engine/sampling/native_draw.py.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/exponential_lanes.h"
#include "common/lanes.h"
#include "common/layout.h"
#include "common/storage.h"
#include "sampling/best_tokens.h"
#include "sampling/logit_rows.h"
#include "sampling/truncation.h"

extern "C" {

struct VerbatimDraw {
    const void* logits;      // [num_rows, vocab_size]; rows are row_stride apart
    const double* settings;  // [num_rows, 5]: 1 / temperature, top_k, top_p, typical_p, min_p
    const uint32_t* keys;    // [num_rows, 2], of the noise
    float* values;           // [num_rows], receives the largest logits, NaN for a row with a NaN
    int64_t* ids;            // [num_rows], receives the drawn tokens, 0 if the largest logit is not finite
    int64_t num_rows, row_stride, vocab_size;
    int32_t is_bfloat16, num_threads;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimDraw, logits, settings, keys, values, ids, num_rows, row_stride, vocab_size, is_bfloat16, num_threads)

namespace {

constexpr int64_t kNumSettings = 5;
constexpr uint32_t kFirstBlockCounter = 1u << 30;  // as FIRST_BLOCK_COUNTER in noise.py

uint32_t mix(uint32_t bits) {
    bits = (bits ^ bits >> 16) * 0x7feb352du;
    bits = (bits ^ bits >> 15) * 0x846ca68bu;
    return bits ^ bits >> 16;
}

// As exponential_noise in noise.py.
float exponential_noise(const uint32_t* key, uint32_t counter) {
    const uint32_t bits = mix(mix(counter ^ key[0]) ^ key[1]) & 0x7fffffffu;
    const float uniform = (static_cast<float>(static_cast<int32_t>(bits)) + 0.5f) * 0x1p-31f;
    return -std::log1p(-std::min(uniform, 1 - 0x1p-24f));
}

class RowDraw {
   public:
    // Returns a token, or 0 if the largest logit, which `best` receives, is not finite.
    template <typename T>
    int64_t draw(const T* row, int64_t vocab_size, const double* settings, const uint32_t* key, float* best) {
        *best = best_tokens_.find_maxima(row, vocab_size);
        if (!std::isfinite(*best)) return 0;
        const int64_t top_k = static_cast<int64_t>(settings[1]), size = vocab_size;
        logs_.resize(size + kNumLanes);
        weights_.resize(size + kNumLanes);
        float *const logs = logs_.data(), *const weights = weights_.data();
        const auto weigh = [=, most = *best, inverse = static_cast<float>(settings[0])](Floats logits, int64_t place) {
            const Floats some = (logits - most) * inverse;
            store_lanes(larger(some, everywhere(-1e30f)), logs + place);
            store_lanes(exp_negative(some), weights + place);
        };
        if (top_k >= size) {
            for (int64_t i = 0; i < size; i += kNumLanes) weigh(load_logits(row + i, size - i), i);
        } else {
            std::fill(weights_.begin(), weights_.end(), 0.0f);
            for (const uint64_t ranked : best_tokens_.select(row, size, top_k)) {
                const int64_t id = BestTokens::id_of(ranked);
                weigh(everywhere(load(row[id])), size);  // past the last
                logs[id] = logs[size];
                weights[id] = weights[size];
            }
        }
        truncation_.apply(logs, weights, size, settings[2], settings[3], static_cast<float>(settings[4]));
        return race(weights, size, key);
    }

   private:
    // Draws a block of tokens, then a token of it.
    static int64_t race(const float* weights, int64_t size, const uint32_t* key) {
        float best = 0;
        int64_t drawn_first = 0, drawn = 0;
        for_each_block(size, [&](int64_t first, int64_t num) {
            float sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t i = 0; i < num; ++i) sum += weights[first + i];
            const float score = sum == 0 ? 0 : sum / exponential_noise(key, kFirstBlockCounter + first / kBlock);
            if (score > best) drawn_first = first;
            best = std::max(best, score);
        });
        best = 0;
        for (int64_t id = drawn_first; id < std::min(size, drawn_first + kBlock); ++id) {
            const float score = weights[id] / exponential_noise(key, id);
            if (score > best) drawn = id;
            best = std::max(best, score);
        }
        return drawn;
    }

    BestTokens best_tokens_;
    Truncation truncation_;
    std::vector<float> logs_, weights_;  // and a register more
};

}  // namespace

extern "C" void verbatim_draw(const VerbatimDraw* call) {
    for_each_row(*call, [=](int64_t i, const auto* row) {
        thread_local RowDraw row_draw;
        call->ids[i] = row_draw.draw(row, call->vocab_size, call->settings + i * kNumSettings, call->keys + 2 * i, call->values + i);
    });
}
