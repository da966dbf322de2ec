// The keys or values of one sequence and head where they lie; for chunk_attention.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

constexpr int64_t kKeysAtOnce = 128;  // which rows meet together: a multiple of a panel's outputs

// Keys or values `first` to `last` of a sequence. Those outside count as zeros: they may be another sequence's and hold a
// NaN, which a weight of 0 does not stop.
template <typename T>
struct PagedRows {
    const T* pages;         // [num_blocks, block_size, num_heads, dim], from the head on that is read
    const int64_t* blocks;  // of the sequence
    int64_t block_size, num_heads, dim, first, last;

    // Writes where the kKeysAtOnce rows from `begin` on lie; null for those outside. begin: at least `first`.
    void find(int64_t begin, const T** rows) const {
        const int64_t num = std::clamp<int64_t>(last - begin, 0, kKeysAtOnce);
        int64_t block = begin / block_size, offset = begin % block_size;
        for (int64_t i = 0; i < num; ++block, offset = 0)
            for (; offset < block_size && i < num; ++offset, ++i)
                rows[i] = pages + (blocks[block] * block_size + offset) * num_heads * dim;
        std::fill(rows + num, rows + kKeysAtOnce, nullptr);
    }
};
