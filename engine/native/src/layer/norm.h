// RMS norm as transformers computes it: in float32, rounded before and after the weight.
#pragma once

#include <cstdint>

// output may be row. Compiled once, in norm_row.cpp: inlined, its sum might be taken in another order here than there.
template <typename T>
void normalize_row(const T* row, const T* weight, int64_t size, float epsilon, T* output);
