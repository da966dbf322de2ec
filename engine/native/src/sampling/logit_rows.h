// Rows of logits, which are float32 or bfloat16, in vectors and in blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/lanes.h"
#include "common/storage.h"

constexpr int64_t kBlock = 256;  // tokens whose weights are added up in float32, as _BLOCK_SIZE in draw.py

// Calls visit(first, num) for each block of `size` tokens.
template <typename Visit>
void for_each_block(int64_t size, Visit visit) {
    for (int64_t first = 0; first < size; first += kBlock) visit(first, std::min(kBlock, size - first));
}

// Calls visit(i, row i) for each row of a call's logits, several at once.
template <typename Call, typename Visit>
void for_each_row(const Call& call, Visit visit) {
#pragma omp parallel for schedule(dynamic) num_threads(call.num_threads)
    for (int64_t i = 0; i < call.num_rows; ++i)
        if (call.is_bfloat16)
            visit(i, static_cast<const Bfloat16*>(call.logits) + i * call.row_stride);
        else
            visit(i, static_cast<const float*>(call.logits) + i * call.row_stride);
}

// The next logits of a row that has `num` more; lanes for which there is none are -inf.
template <typename T>
Floats load_logits(const T* logits, int64_t num) {
    if (num >= kNumLanes) return load_lanes_of(logits);
    T some[kNumLanes];
    for (T& lane : some) store(-std::numeric_limits<float>::infinity(), &lane);
    std::copy_n(logits, num, some);
    return load_lanes_of(some);
}
