// The integers, scales and numbers in the blocks of GGUF files; called by engine/model/loading/gguf/blocks.py.
//
// The layouts are those of ggml (ggml-common.h): a block has one or two scales of 16 bits, and integers of 4 to 8 bits. Blocks
// of 256 numbers (K) have groups of 16 or 32, each with a small integer that scales it. The oracle is `gguf.dequantize`.

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace {

// All of float16, infinity and NaN too.
float half(const uint8_t* place) {
    uint16_t bits;
    std::memcpy(&bits, place, sizeof bits);
    const uint32_t magnitude = bits & 0x7fffu, sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    float scaled;
    const uint32_t moved = magnitude >= 0x7c00u ? magnitude << 13 | 0x7f800000u : magnitude << 13;
    std::memcpy(&scaled, &moved, sizeof scaled);
    if (magnitude < 0x7c00u) scaled *= 0x1p112f;
    uint32_t result;
    std::memcpy(&result, &scaled, sizeof result);
    result |= sign;
    std::memcpy(&scaled, &result, sizeof scaled);
    return scaled;
}

// Each kind has a structure: the bytes and numbers of a block, the numbers of a group, and whether a group has a least number
// beside its scale. kMiddle is the integer that stands for 0. `read` writes a block's integers, and each group's scale and least
// number.

// The first 16 numbers have the low halves of 16 bytes, and the others the high ones.
void nibbles(const uint8_t* bytes, int8_t* values) {
    for (int i = 0; i < 16; ++i) {
        values[i] = static_cast<int8_t>(bytes[i] & 15);
        values[16 + i] = static_cast<int8_t>(bytes[i] >> 4);
    }
}

// The fifth bits of all 32 numbers stand together.
void five_bits(const uint8_t* low, const uint8_t* high, int8_t* values) {
    uint32_t bits;
    std::memcpy(&bits, high, sizeof bits);
    for (uint32_t i = 0; i < 16; ++i) {
        values[i] = static_cast<int8_t>((low[i] & 15u) | (bits >> i & 1u) << 4);
        values[16 + i] = static_cast<int8_t>(low[i] >> 4 | (bits >> (16 + i) & 1u) << 4);
    }
}

struct Q4_0 {
    static constexpr int kBytes = 18, kNumbers = 32, kGroup = 32, kMiddle = 8;
    static constexpr bool kHasLeast = false;
    static void read(const uint8_t* block, int8_t* values, float* scales, float*) {
        scales[0] = half(block);
        nibbles(block + 2, values);
    }
};

struct Q4_1 {
    static constexpr int kBytes = 20, kNumbers = 32, kGroup = 32, kMiddle = 0;
    static constexpr bool kHasLeast = true;
    static void read(const uint8_t* block, int8_t* values, float* scales, float* least) {
        scales[0] = half(block);
        least[0] = half(block + 2);
        nibbles(block + 4, values);
    }
};

struct Q5_0 {
    static constexpr int kBytes = 22, kNumbers = 32, kGroup = 32, kMiddle = 16;
    static constexpr bool kHasLeast = false;
    static void read(const uint8_t* block, int8_t* values, float* scales, float*) {
        scales[0] = half(block);
        five_bits(block + 6, block + 2, values);
    }
};

struct Q5_1 {
    static constexpr int kBytes = 24, kNumbers = 32, kGroup = 32, kMiddle = 0;
    static constexpr bool kHasLeast = true;
    static void read(const uint8_t* block, int8_t* values, float* scales, float* least) {
        scales[0] = half(block);
        least[0] = half(block + 2);
        five_bits(block + 8, block + 4, values);
    }
};

struct Q8_0 {
    static constexpr int kBytes = 34, kNumbers = 32, kGroup = 32, kMiddle = 0;
    static constexpr bool kHasLeast = false;
    static void read(const uint8_t* block, int8_t* values, float* scales, float*) {
        scales[0] = half(block);
        std::memcpy(values, block + 2, kNumbers);
    }
};

// A group's scale and least number, of 6 bits each, of eight groups in 12 bytes.
void group_scales(const uint8_t* packed, int group, int32_t* scale, int32_t* least) {
    if (group < 4) {
        *scale = packed[group] & 63;
        *least = packed[group + 4] & 63;
    } else {
        *scale = (packed[group + 4] & 15) | packed[group - 4] >> 6 << 4;
        *least = packed[group + 4] >> 4 | packed[group] >> 6 << 4;
    }
}

// The scales and least numbers of eight groups, which the block's own two multiply.
void scale_groups(const uint8_t* block, float* scales, float* least) {
    const float all = half(block), all_least = half(block + 2);
    for (int group = 0; group < 8; ++group) {
        int32_t scale, minus;
        group_scales(block + 4, group, &scale, &minus);
        scales[group] = all * static_cast<float>(scale);
        least[group] = -(all_least * static_cast<float>(minus));
    }
}

// Two groups of 32 share 32 bytes: the low halves are the first's.
struct Q4_K {
    static constexpr int kBytes = 144, kNumbers = 256, kGroup = 32, kMiddle = 0;
    static constexpr bool kHasLeast = true;
    static void read(const uint8_t* block, int8_t* values, float* scales, float* least) {
        scale_groups(block, scales, least);
        for (int pair = 0; pair < 4; ++pair) {
            const uint8_t* const bytes = block + 16 + pair * 32;
            for (int i = 0; i < 32; ++i) {
                values[pair * 64 + i] = static_cast<int8_t>(bytes[i] & 15);
                values[pair * 64 + 32 + i] = static_cast<int8_t>(bytes[i] >> 4);
            }
        }
    }
};

// The fifth bits of the eight groups are in 32 bytes, a bit of each byte a group.
struct Q5_K {
    static constexpr int kBytes = 176, kNumbers = 256, kGroup = 32, kMiddle = 0;
    static constexpr bool kHasLeast = true;
    static void read(const uint8_t* block, int8_t* values, float* scales, float* least) {
        scale_groups(block, scales, least);
        for (int group = 0; group < 8; ++group) {
            const uint8_t* const bytes = block + 48 + group / 2 * 32;
            const int shift = group % 2 * 4;
            for (int i = 0; i < 32; ++i)
                values[group * 32 + i] =
                    static_cast<int8_t>((bytes[i] >> shift & 15) | (block[16 + i] >> group & 1) << 4);
        }
    }
};

// Low four bits in 128 bytes, the next two in 64, a scale of 8 bits for each 16 numbers, and the scale of all.
struct Q6_K {
    static constexpr int kBytes = 210, kNumbers = 256, kGroup = 16, kMiddle = 32;
    static constexpr bool kHasLeast = false;
    static void read(const uint8_t* block, int8_t* values, float* scales, float*) {
        const float all = half(block + 208);
        for (int group = 0; group < 16; ++group)
            scales[group] = all * static_cast<float>(static_cast<int8_t>(block[192 + group]));
        for (int part = 0; part < 8; ++part) {  // of 32
            const uint8_t* const low = block + part / 4 * 64 + part % 2 * 32;
            const uint8_t* const high = block + 128 + part / 4 * 32;
            const int low_shift = part % 4 / 2 * 4, high_shift = part % 4 * 2;
            for (int i = 0; i < 32; ++i)
                values[part * 32 + i] =
                    static_cast<int8_t>((low[i] >> low_shift & 15) | (high[i] >> high_shift & 3) << 4);
        }
    }
};

// What is made of some blocks, of which the first has this index: all numbers, or integers and the scales of groups.
struct Numbers {
    float* numbers;

    template <class Kind>
    void make(const uint8_t* blocks, int64_t first, int64_t num_blocks) const {
        // As many at once as let a vector be loaded some time after its bytes were stored one by one.
        constexpr int kMost = kAtOnce / Kind::kNumbers, kGroups = Kind::kNumbers / Kind::kGroup;
        int8_t values[kAtOnce];
        float scales[kMost * kGroups], least[kMost * kGroups] = {};
        for (int64_t block = 0; block < num_blocks; block += kMost) {
            const int num = static_cast<int>(std::min<int64_t>(num_blocks - block, kMost));
            for (int i = 0; i < num; ++i)
                Kind::read(blocks + (block + i) * Kind::kBytes, values + i * Kind::kNumbers, scales + i * kGroups,
                           least + i * kGroups);
            float* const place = numbers + (first + block) * Kind::kNumbers;
            for (int group = 0; group < num * kGroups; ++group) {
                for (int i = group * Kind::kGroup; i < (group + 1) * Kind::kGroup; ++i) {
                    const float number = scales[group] * static_cast<float>(values[i] - Kind::kMiddle);
                    place[i] = Kind::kHasLeast ? number + least[group] : number;
                }
            }
        }
    }

   private:
    static constexpr int kAtOnce = 1024;
};

struct Groups {
    int8_t* values;
    float *scales, *least;

    template <class Kind>
    void make(const uint8_t* blocks, int64_t first, int64_t num_blocks) const {
        constexpr int kGroups = Kind::kNumbers / Kind::kGroup;
        for (int64_t block = 0; block < num_blocks; ++block) {
            const int64_t index = first + block;
            Kind::read(blocks + block * Kind::kBytes, values + index * Kind::kNumbers, scales + index * kGroups,
                       Kind::kHasLeast ? least + index * kGroups : nullptr);
        }
    }
};

template <class Kind, class Result>
void make_of(const uint8_t* blocks, int64_t num_blocks, const Result& result, int32_t num_threads) {
    constexpr int64_t kPart = (1 << 16) / Kind::kNumbers;  // blocks, whose numbers fit a core's cache
#pragma omp parallel for num_threads(num_threads)
    for (int64_t first = 0; first < num_blocks; first += kPart)
        result.template make<Kind>(blocks + first * Kind::kBytes, first, std::min(num_blocks - first, kPart));
}

template <class Result>
int32_t make(int32_t kind, const uint8_t* blocks, int64_t num_blocks, const Result& result, int32_t num_threads) {
    switch (kind) {  // ggml's numbers
        case 2: make_of<Q4_0>(blocks, num_blocks, result, num_threads); return 1;
        case 3: make_of<Q4_1>(blocks, num_blocks, result, num_threads); return 1;
        case 6: make_of<Q5_0>(blocks, num_blocks, result, num_threads); return 1;
        case 7: make_of<Q5_1>(blocks, num_blocks, result, num_threads); return 1;
        case 8: make_of<Q8_0>(blocks, num_blocks, result, num_threads); return 1;
        case 12: make_of<Q4_K>(blocks, num_blocks, result, num_threads); return 1;
        case 13: make_of<Q5_K>(blocks, num_blocks, result, num_threads); return 1;
        case 14: make_of<Q6_K>(blocks, num_blocks, result, num_threads); return 1;
        default: return 0;
    }
}

}  // namespace

extern "C" {

// kind: ggml's number of the type. numbers: of all blocks, is written. Returns whether the type is known here.
int32_t verbatim_gguf_numbers(int32_t kind, const uint8_t* blocks, int64_t num_blocks, float* numbers,
                              int32_t num_threads) {
    return make(kind, blocks, num_blocks, Numbers{numbers}, num_threads);
}

// The same blocks as integers, and a scale of each group; least: added to a group's numbers, is written of kinds that have such
// numbers, and may be null of others. Integers of less than 8 bits are written from 0 on; without least numbers, half of their
// range stands for 0.
int32_t verbatim_gguf_groups(int32_t kind, const uint8_t* blocks, int64_t num_blocks, int8_t* values, float* scales,
                             float* least, int32_t num_threads) {
    return make(kind, blocks, num_blocks, Groups{values, scales, least}, num_threads);
}

}  // extern "C"
