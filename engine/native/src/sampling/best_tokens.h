// The best tokens of a row of logits, by (value descending, id ascending).
//
// A row is cut into blocks of consecutive tokens, and only blocks with a high maximum are searched: if k blocks have a
// maximum of at least some value, the k best tokens are at least as high.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "common/lanes.h"
#include "common/storage.h"
#include "sampling/logit_rows.h"

constexpr int64_t kRankedBlock = 64;

class BestTokens {
   public:
    // Returns the largest value, or NaN if any value is one.
    template <typename T>
    float find_maxima(const T* row, int64_t size) {
        maxima_.resize((size + kRankedBlock - 1) / kRankedBlock);
        const Floats least = everywhere(-std::numeric_limits<float>::infinity());
        Floats best = least;
        Integers is_nan{};
        for (size_t block = 0; block < maxima_.size(); ++block) {
            const int64_t first = block * kRankedBlock, num = std::min(kRankedBlock, size - first);
            Floats block_best = least;
            for (int64_t i = 0; i < num; i += kNumLanes) {
                const Floats values = load_logits(row + first + i, num - i);
                is_nan |= values != values;
                block_best = larger(values, block_best);
            }
            maxima_[block] = largest_lane(block_best);
            best = larger(block_best, best);
        }
        for (int64_t lane = 0; lane < kNumLanes; ++lane)
            if (is_nan[lane]) return std::numeric_limits<float>::quiet_NaN();
        return largest_lane(best);
    }

    // Returns keys of the k best tokens of the row whose maxima were found, 1 to `size`, in any order.
    template <typename T>
    std::vector<uint64_t>& select(const T* row, int64_t size, int64_t k) {
        float least = -std::numeric_limits<float>::infinity();
        if (k < static_cast<int64_t>(maxima_.size())) {
            ranked_maxima_.assign(maxima_.begin(), maxima_.end());  // an assignment needs a newer libstdc++ than wheels may
            std::nth_element(ranked_maxima_.begin(), ranked_maxima_.begin() + (k - 1), ranked_maxima_.end(), std::greater<>());
            least = ranked_maxima_[k - 1];
        }
        keys_.clear();
        for (size_t block = 0; block < maxima_.size(); ++block) {
            if (maxima_[block] < least) continue;
            const int64_t end = std::min<int64_t>(size, (block + 1) * kRankedBlock);
            for (int64_t id = block * kRankedBlock; id < end; ++id)
                if (const float value = load(row[id]); value >= least) keys_.push_back(key_of(value, id));
        }
        std::nth_element(keys_.begin(), keys_.begin() + (k - 1), keys_.end(), std::greater<>());
        keys_.resize(k);
        return keys_;
    }

    static int64_t id_of(uint64_t key) { return ~static_cast<uint32_t>(key); }

   private:
    // Better tokens have greater keys.
    static uint64_t key_of(float value, int64_t id) {
        uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        if (bits == 0x80000000u) bits = 0;  // -0 equals 0
        bits ^= bits >> 31 ? 0xffffffffu : 0x80000000u;
        return static_cast<uint64_t>(bits) << 32 | static_cast<uint32_t>(~id);
    }

    std::vector<float> maxima_, ranked_maxima_;
    std::vector<uint64_t> keys_;
};
