// The norm of one row, which norm.h declares.

#include "layer/norm.h"

#include <cmath>
#include <cstdint>

#include "common/storage.h"

template <typename T>
void normalize_row(const T* row, const T* weight, int64_t size, float epsilon, T* output) {
    float squares = 0.0f;
#pragma omp simd reduction(+ : squares)
    for (int64_t i = 0; i < size; ++i) squares += load(row[i]) * load(row[i]);
    const float scale = 1.0f / std::sqrt(squares / static_cast<float>(size) + epsilon);
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) store(load(weight[i]) * rounded<T>(load(row[i]) * scale), output + i);
}

template void normalize_row(const float*, const float*, int64_t, float, float*);
template void normalize_row(const Bfloat16*, const Bfloat16*, int64_t, float, Bfloat16*);
