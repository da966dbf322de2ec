// What a product fetches from memory while it computes: without it memory stands still while a panel that is in the
// cache already meets the next rows, and the processor's own prefetching ends at every page of 4 KiB.
#pragma once

#include <immintrin.h>

#include <cstdint>

constexpr int64_t kLine = 64;              // bytes of a cache line
constexpr int64_t kLeastAhead = 16 << 10;  // bytes; far enough for memory to answer in time

// Two cache lines at each step of a product, `step` bytes further each time.
struct FetchAhead {
    const char* place;
    int64_t step;

    void fetch() {
        _mm_prefetch(place, _MM_HINT_T0);
        _mm_prefetch(place + kLine, _MM_HINT_T0);
        place += step;
    }
};

// For one of the blocks of rows that a panel is multiplied with, one after another. A single block fetches its own
// panel some way ahead; of more, the second fetches the panel that is `next`, or the second and third half of it
// each. step: bytes of a panel that a step of the product reads, two cache lines at most. Nothing is wrong with places
// past the last panel: they are not read.
inline FetchAhead fetch_ahead(const void* panel, const void* next, int64_t num_bytes, int64_t step, int64_t block,
                              int64_t num_blocks) {
    const char* own = static_cast<const char*>(panel);
    if (num_blocks == 1) return {own + kLeastAhead, step};
    const int64_t num_sharing = num_blocks == 2 ? 1 : 2;
    if (block == 0 || block > num_sharing) return {own, 0};
    return {static_cast<const char*>(next) + (block - 1) * num_bytes / num_sharing, step / num_sharing};
}
