// RMS norm as transformers computes it: in float32, rounded before and after the weight.
#pragma once

#include <cmath>
#include <cstdint>

#include "storage.h"

// output may be row.
template <typename T>
inline void normalize_row(const T* row, const T* weight, int64_t size, float epsilon, T* output) {
    float squares = 0.0f;
#pragma omp simd reduction(+ : squares)
    for (int64_t i = 0; i < size; ++i) squares += load(row[i]) * load(row[i]);
    const float scale = 1.0f / std::sqrt(squares / static_cast<float>(size) + epsilon);
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) store(load(weight[i]) * rounded<T>(load(row[i]) * scale), output + i);
}
