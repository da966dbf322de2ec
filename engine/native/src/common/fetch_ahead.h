// What a product fetches from memory while it computes: without it memory stands still while a panel that is in the
// cache already meets the next rows, and the processor's own prefetching ends at every page of 4 KiB.
#pragma once

#include <cstdint>

constexpr int64_t kLine = 64;              // bytes of a cache line
constexpr int64_t kLeastAhead = 16 << 10;  // bytes; far enough for memory to answer in time

// Fetches a row of `size` numbers.
template <typename T>
inline void fetch_row(const T* row, int64_t size) {
    for (int64_t i = 0; i < size; i += kLine / static_cast<int64_t>(sizeof *row)) __builtin_prefetch(row + i);
}

// Two cache lines at each step of a product, `step` bytes further each time.
struct FetchAhead {
    const char* place;
    int64_t step;

    void fetch() {
        __builtin_prefetch(place);
        __builtin_prefetch(place + kLine);
        place += step;
    }

    // A single line, of what lies between steps.
    void fetch_line() {
        __builtin_prefetch(place);
        place += step / 2;
    }
};

// A panel that meets some rows. step: bytes of it that a step of the product reads, two cache lines at most. next: the
// panel that this thread reads after it; nothing is wrong with a place past the last one, which is not read.
struct FetchedPanel {
    const void *own, *next;
    int64_t num_bytes, step;

    // For one of the blocks of rows that the panel is multiplied with, one after another. A single block fetches its own
    // panel some way ahead; of more, the second fetches the next panel, or the second and third half of it each.
    FetchAhead ahead(int64_t block, int64_t num_blocks) const {
        const char* place = static_cast<const char*>(own);
        if (num_blocks == 1) return {place + kLeastAhead, step};
        const int64_t num_sharing = num_blocks == 2 ? 1 : 2;
        if (block == 0 || block > num_sharing) return {place, 0};
        return {static_cast<const char*>(next) + (block - 1) * num_bytes / num_sharing, step / num_sharing};
    }
};

// Calls multiply(first, num, part, ahead) for any number of rows, in blocks of nearly one size and `most` at most: 13 are 7
// and 6, since a block of one costs as much as one of four. A block's outputs come in num_parts(num) parts.
template <typename NumParts, typename Multiply>
inline void for_each_part(int64_t num_rows, int64_t most, NumParts num_parts, const FetchedPanel& panel, Multiply multiply) {
    const int64_t num_blocks = (num_rows + most - 1) / most;
    for (int64_t block = 0; block < num_blocks; ++block) {
        const int64_t first = num_rows * block / num_blocks, num = num_rows * (block + 1) / num_blocks - first;
        const int64_t parts = num_parts(num);
        for (int64_t part = 0; part < parts; ++part)
            multiply(first, num, part, panel.ahead(block * parts + part, num_blocks * parts));
    }
}

// The same in one part: calls multiply(first, num, ahead).
template <typename Multiply>
inline void for_each_block(int64_t num_rows, int64_t most, const FetchedPanel& panel, Multiply multiply) {
    for_each_part(num_rows, most, [](int64_t) { return 1; }, panel,
                  [&](int64_t first, int64_t num, int64_t, FetchAhead ahead) { multiply(first, num, ahead); });
}
