// SwiGLU: the SiLU of a gate times its value. Each step is rounded as transformers rounds it.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/exponential.h"
#include "common/storage.h"

inline float silu(float x) {
    const float power = exp_negative(-std::fabs(x));
    return x * ((x >= 0.0f ? 1.0f : power) / (1.0f + power));
}

// Writes silu(gates) * values; `output` may be either of them.
template <typename T>
inline void gate(const T* gates, const T* values, int64_t size, T* output) {
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) store(rounded<T>(silu(load(gates[i]))) * load(values[i]), output + i);
}
