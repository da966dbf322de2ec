// The truncation of a row's distribution, as engine/sampling/truncation.py defines it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sampling/logit_rows.h"

inline uint32_t bits_of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

class Truncation {
   public:
    // Sets the weights of excluded tokens to 0. Weights are unnormalised probabilities, and logs are their logarithms,
    // but finite; where a weight is 0, any number.
    void apply(const float* logs, float* weights, int64_t size, double top_p, double typical_p, float min_p) {
        logs_ = logs;
        weights_ = weights;
        size_ = size;
        if (top_p < 1) keep_mass(top_p, [](float weight, float) { return 0x7f800000u - bits_of(weight); });
        if (typical_p < 1) {
            // The distance of surprisal and entropy is that of a logarithm and the mean logarithm.
            const float mean = mean_log();
            keep_mass(typical_p, [mean](float, float log) { return bits_of(std::fabs(log - mean)); });
        }
        if (min_p > 0) {
            float best = 0;
#pragma omp simd reduction(max : best)
            for (int64_t i = 0; i < size; ++i) best = weights[i] > best ? weights[i] : best;
            const float least = min_p * best;
#pragma omp simd
            for (int64_t i = 0; i < size; ++i) weights[i] = weights[i] < least ? 0.0f : weights[i];
        }
    }

   private:
    static constexpr int kPlaceShift = 18, kNumPlaces = 1 << (31 - kPlaceShift);

    float mean_log() const {
        double mass = 0, sum = 0;
        for_each_block(size_, [&](int64_t first, int64_t num) {
            const float *weights = weights_ + first, *logs = logs_ + first;
            float block_mass = 0, block_sum = 0;
#pragma omp simd reduction(+ : block_mass, block_sum)
            for (int64_t i = 0; i < num; ++i) {
                block_mass += weights[i];
                block_sum += weights[i] * logs[i];
            }
            mass += block_mass;
            sum += block_sum;
        });
        return static_cast<float>(sum / mass);
    }

    // Keeps the smallest set of tokens, by ascending (key, id), that has this share of the mass. Masses are added up by
    // the first bits of keys, which are 31, and only tokens that share those of the last one are sorted.
    template <typename KeyOf>
    void keep_mass(double share, KeyOf key_of) {
        std::memset(masses_, 0, sizeof masses_);
        for_each_block(size_, [&](int64_t first, int64_t num) {
            const float *weights = weights_ + first, *logs = logs_ + first;
            const KeyOf key = key_of;
            uint32_t places[kBlock];
            double masses[kBlock], block_mass = 0;
#pragma omp simd reduction(+ : block_mass)
            for (int64_t i = 0; i < num; ++i) {
                places[i] = key(weights[i], logs[i]) >> kPlaceShift;
                masses[i] = weights[i];
                block_mass += masses[i];
            }
            if (block_mass == 0) return;  // as most blocks after top_k: equal places would wait for one another
            for (int64_t i = 0; i + 1 < num; i += 2) {
                masses_[0][places[i]] += masses[i];
                masses_[1][places[i + 1]] += masses[i + 1];
            }
            if (num % 2 != 0) masses_[0][places[num - 1]] += masses[num - 1];
        });
        double wanted = 0, mass = 0, mass_before = 0;
        for (int place = 0; place < kNumPlaces; ++place) wanted += masses_[0][place] += masses_[1][place];
        wanted *= share;
        uint32_t last_place = 0;
        for (uint32_t place = 0; place < kNumPlaces && (mass == 0 || mass < wanted); ++place) {
            if (masses_[0][place] == 0) continue;
            last_place = place;
            mass_before = mass;
            mass += masses_[0][place];
        }

        find_members(last_place, key_of);
        std::sort(members_.begin(), members_.end());
        size_t num_needed = 0;
        do mass_before += weights_[static_cast<uint32_t>(members_[num_needed++])];
        while (num_needed < members_.size() && mass_before < wanted);
        const uint32_t last_key = members_[num_needed - 1] >> 32;
        const int32_t last_id = static_cast<int32_t>(members_[num_needed - 1]), size = static_cast<int32_t>(size_);
        const float* const logs = logs_;
        float* const weights = weights_;
#pragma omp simd
        for (int32_t i = 0; i < size; ++i) {
            const uint32_t key = key_of(weights[i], logs[i]);
            weights[i] = key < last_key || (key == last_key && i <= last_id) ? weights[i] : 0.0f;
        }
    }

    template <typename KeyOf>
    void find_members(uint32_t place, KeyOf key_of) {
        constexpr int64_t kGroup = 16;  // most have none
        members_.clear();
        for (int64_t first = 0; first < size_; first += kGroup) {
            const float *weights = weights_ + first, *logs = logs_ + first;
            uint32_t has_any = size_ - first < kGroup;
            if (!has_any) {
#pragma omp simd reduction(| : has_any)
                for (int64_t i = 0; i < kGroup; ++i) has_any |= key_of(weights[i], logs[i]) >> kPlaceShift == place;
            }
            for (int64_t i = 0; has_any && i < std::min(kGroup, size_ - first); ++i)
                if (const uint64_t key = key_of(weights[i], logs[i]); key >> kPlaceShift == place)
                    members_.push_back(key << 32 | static_cast<uint64_t>(first + i));
        }
    }

    const float* logs_;
    float* weights_;
    int64_t size_;
    double masses_[2][kNumPlaces];   // of neighbours by turns, which need not wait for one another
    std::vector<uint64_t> members_;  // keys and ids of tokens whose keys begin as the last one
};
