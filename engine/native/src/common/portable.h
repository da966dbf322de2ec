// What avx512.h does, for any dimension. Only odd ones come here, so sums are double: exact rather than fast.
#pragma once

#include <cstdint>
#include <vector>

#include "common/storage.h"

template <typename T>
void score_keys_portably(const T* query, const T* const* keys, int64_t num_keys, int64_t dim, float scaling, float* scores) {
    for (int64_t key = 0; key < num_keys; ++key) {
        const T* own = keys[key];
        double product = 0.0;
#pragma omp simd reduction(+ : product)
        for (int64_t d = 0; d < dim; ++d) product += static_cast<double>(load(query[d])) * load(own[d]);
        scores[key] = static_cast<float>(product * scaling);
    }
}

template <typename T>
void sum_values_portably(const T* const* values, int64_t num_keys, int64_t dim, const float* weights, T* output) {
    std::vector<double> sums(dim, 0.0);
    for (int64_t key = 0; key < num_keys; ++key) {
        const T* own = values[key];
        const double weight = weights[key];
#pragma omp simd
        for (int64_t d = 0; d < dim; ++d) sums[d] += weight * load(own[d]);
    }
    for (int64_t d = 0; d < dim; ++d) store(static_cast<float>(sums[d]), output + d);
}
