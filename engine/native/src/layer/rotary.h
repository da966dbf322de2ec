// Rotary embedding of one head, in place. Each step is rounded as transformers rounds it.
#pragma once

#include <cstdint>

#include "common/storage.h"

// The first half of a head holds the real parts, and the second half the imaginary parts.
template <typename T>
inline void rotate(T* head, const T* cosine, const T* sine, int64_t dim) {
    const int64_t half = dim / 2;
    T* other = head + half;
#pragma omp simd
    for (int64_t i = 0; i < half; ++i) {
        const float real = load(head[i]), imaginary = load(other[i]);
        store(rounded<T>(real * load(cosine[i])) - rounded<T>(imaginary * load(sine[i])), head + i);
        store(rounded<T>(imaginary * load(cosine[half + i])) + rounded<T>(real * load(sine[half + i])), other + i);
    }
}
