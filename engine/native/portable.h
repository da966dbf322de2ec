// What avx512.h does, for any processor and any dimension.
#pragma once

#include <cstdint>
#include <vector>

#include "storage.h"

template <typename T>
void score_keys_portably(const T* query, const T* const* keys, int64_t num_keys, int64_t dim, float scaling, float* scores) {
    for (int64_t key = 0; key < num_keys; ++key) {
        const T* own = keys[key];
        float product = 0.0f;
#pragma omp simd reduction(+ : product)
        for (int64_t d = 0; d < dim; ++d) product += load(query[d]) * load(own[d]);
        scores[key] = product * scaling;
    }
}

template <typename T>
void sum_values_portably(const T* const* values, int64_t num_keys, int64_t dim, const float* weights, T* output) {
    std::vector<float> sums(dim, 0.0f);
    for (int64_t key = 0; key < num_keys; ++key) {
        const T* own = values[key];
        const float weight = weights[key];
#pragma omp simd
        for (int64_t d = 0; d < dim; ++d) sums[d] += weight * load(own[d]);
    }
    for (int64_t d = 0; d < dim; ++d) store(sums[d], output + d);
}
