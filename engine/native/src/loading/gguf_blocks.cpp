// The numbers that the blocks of GGUF files stand for; called by engine/model/loading/gguf/native_blocks.py.
//
// The layouts are those of ggml (ggml-common.h): a block has one or two scales of 16 bits, and integers of 4 to 8 bits. Blocks
// of 256 numbers (K) have groups of 16 or 32, each with a small integer that scales it. The oracle is `gguf.dequantize`.

#include <cstdint>
#include <cstring>

namespace {

constexpr int64_t kSmall = 32, kLarge = 256;  // numbers of a block

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

// The first 16 numbers have the low halves of 16 bytes, and the others the high ones.
void q4_0(const uint8_t* block, float* numbers) {
    const float scale = half(block);
    for (int i = 0; i < 16; ++i) {
        numbers[i] = scale * static_cast<float>((block[2 + i] & 15) - 8);
        numbers[16 + i] = scale * static_cast<float>((block[2 + i] >> 4) - 8);
    }
}

void q4_1(const uint8_t* block, float* numbers) {
    const float scale = half(block), least = half(block + 2);
    for (int i = 0; i < 16; ++i) {
        numbers[i] = scale * static_cast<float>(block[4 + i] & 15) + least;
        numbers[16 + i] = scale * static_cast<float>(block[4 + i] >> 4) + least;
    }
}

// The fifth bits of all 32 numbers stand together.
void fifth_bits(const uint8_t* low, const uint8_t* high, int32_t* values) {
    uint32_t bits;
    std::memcpy(&bits, high, sizeof bits);
    for (uint32_t i = 0; i < 16; ++i) {
        values[i] = static_cast<int32_t>((low[i] & 15u) | (bits >> i & 1u) << 4);
        values[16 + i] = static_cast<int32_t>(low[i] >> 4 | (bits >> (16 + i) & 1u) << 4);
    }
}

void q5_0(const uint8_t* block, float* numbers) {
    const float scale = half(block);
    int32_t values[kSmall];
    fifth_bits(block + 6, block + 2, values);
    for (int i = 0; i < kSmall; ++i) numbers[i] = scale * static_cast<float>(values[i] - 16);
}

void q5_1(const uint8_t* block, float* numbers) {
    const float scale = half(block), least = half(block + 2);
    int32_t values[kSmall];
    fifth_bits(block + 8, block + 4, values);
    for (int i = 0; i < kSmall; ++i) numbers[i] = scale * static_cast<float>(values[i]) + least;
}

void q8_0(const uint8_t* block, float* numbers) {
    const float scale = half(block);
    for (int i = 0; i < kSmall; ++i) numbers[i] = scale * static_cast<float>(static_cast<int8_t>(block[2 + i]));
}

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

// Two groups of 32 share 32 bytes: the low halves are the first's. fifth: the groups' fifth bits, a bit of each byte a group;
// null where there are none.
void scaled_groups(const uint8_t* block, const uint8_t* low, const uint8_t* fifth, float* numbers) {
    const float all = half(block), all_least = half(block + 2);
    for (int group = 0; group < 8; ++group) {
        int32_t scale, least;
        group_scales(block + 4, group, &scale, &least);
        const float by = all * static_cast<float>(scale), minus = all_least * static_cast<float>(least);
        const uint8_t* const bytes = low + group / 2 * 32;
        const int shift = group % 2 * 4;
        float* const place = numbers + group * 32;
        for (int i = 0; i < 32; ++i) {
            const int32_t high = fifth == nullptr ? 0 : (fifth[i] >> group & 1) << 4;
            place[i] = by * static_cast<float>((bytes[i] >> shift & 15) | high) - minus;
        }
    }
}

void q4_k(const uint8_t* block, float* numbers) { scaled_groups(block, block + 16, nullptr, numbers); }

void q5_k(const uint8_t* block, float* numbers) { scaled_groups(block, block + 48, block + 16, numbers); }

// Low four bits in 128 bytes, the next two in 64, a scale of 8 bits for each 16 numbers, and the scale of all.
void q6_k(const uint8_t* block, float* numbers) {
    const float all = half(block + 208);
    for (int group = 0; group < 8; ++group) {  // of 32
        const uint8_t* const low = block + group / 4 * 64 + group % 2 * 32;
        const uint8_t* const high = block + 128 + group / 4 * 32;
        const int low_shift = group % 4 / 2 * 4, high_shift = group % 4 * 2;
        for (int part = 0; part < 2; ++part) {
            const float by = all * static_cast<float>(static_cast<int8_t>(block[192 + group * 2 + part]));
            for (int i = part * 16; i < part * 16 + 16; ++i)
                numbers[group * 32 + i] =
                    by * static_cast<float>(((low[i] >> low_shift & 15) | (high[i] >> high_shift & 3) << 4) - 32);
        }
    }
}

template <void (*read)(const uint8_t*, float*), int64_t num_bytes, int64_t num_numbers>
void read_all(const uint8_t* blocks, int64_t num_blocks, float* numbers) {
    for (int64_t i = 0; i < num_blocks; ++i) read(blocks + i * num_bytes, numbers + i * num_numbers);
}

}  // namespace

extern "C" {

// kind: ggml's number of the type. numbers: of all blocks, is written. Returns whether the type is known here.
int32_t verbatim_gguf_numbers(int32_t kind, const uint8_t* blocks, int64_t num_blocks, float* numbers) {
    switch (kind) {
        case 2: read_all<q4_0, 18, kSmall>(blocks, num_blocks, numbers); return 1;
        case 3: read_all<q4_1, 20, kSmall>(blocks, num_blocks, numbers); return 1;
        case 6: read_all<q5_0, 22, kSmall>(blocks, num_blocks, numbers); return 1;
        case 7: read_all<q5_1, 24, kSmall>(blocks, num_blocks, numbers); return 1;
        case 8: read_all<q8_0, 34, kSmall>(blocks, num_blocks, numbers); return 1;
        case 12: read_all<q4_k, 144, kLarge>(blocks, num_blocks, numbers); return 1;
        case 13: read_all<q5_k, 176, kLarge>(blocks, num_blocks, numbers); return 1;
        case 14: read_all<q6_k, 210, kLarge>(blocks, num_blocks, numbers); return 1;
        default: return 0;
    }
}

}  // extern "C"
