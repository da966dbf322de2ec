// Numbers as torch stores them.
#pragma once

#include <cstdint>
#include <cstring>

struct Bfloat16 {
    uint16_t bits;
};

// As IEEE 754 has it; of weights alone, which common/lanes.h widens.
struct Float16 {
    uint16_t bits;
};

inline float load(float value) { return value; }

inline float load(Bfloat16 value) {
    const uint32_t bits = static_cast<uint32_t>(value.bits) << 16;
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

inline void store(float value, float* place) { *place = value; }

// Rounds to nearest even; a NaN stays one.
inline void store(float value, Bfloat16* place) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    place->bits = static_cast<uint16_t>((is_nan ? bits | 0x400000u : bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// The value as storage keeps it.
template <typename T>
inline float rounded(float value) {
    T kept;
    store(value, &kept);
    return load(kept);
}
