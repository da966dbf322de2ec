// RMS norm as transformers computes it: in float32, rounded before and after the weight.
#pragma once

#include <cstdint>

// `output` may be `row`. It is compiled once, in norm_row.cpp, because inlining could change the order of the sum from
// one caller to the next.
template <typename T>
void normalize_row(const T* row, const T* weight, int64_t size, float epsilon, T* output);
