// Numbers as torch stores them.
#pragma once

#include <cstdint>
#include <cstring>

struct Bfloat16 {
    uint16_t bits;
};

// As IEEE 754 has it; of weights and their scales alone.
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

// Rounds to nearest even; what float16 cannot hold becomes infinite, and a NaN stays one.
inline void store(float value, Float16* place) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x47800000u) {  // 65,536
        place->bits = static_cast<uint16_t>(sign | (magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u));
        return;
    }
    if (magnitude < 0x38800000u) {  // 2^-14: numbers of one step, which is that of float32 between 0.5 and 1
        float shifted;
        std::memcpy(&shifted, &magnitude, sizeof shifted);
        shifted += 0.5f;
        std::memcpy(&magnitude, &shifted, sizeof magnitude);
        place->bits = static_cast<uint16_t>(sign | (magnitude - 0x3f000000u));
        return;
    }
    magnitude += 0xfffu + (magnitude >> 13 & 1u);
    place->bits = static_cast<uint16_t>(sign | (magnitude - 0x38000000u) >> 13);
}

inline float load(Float16 value) {
    const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000u) << 16, rest = value.bits & 0x7fffu;
    uint32_t bits = rest << 13;
    float result;
    std::memcpy(&result, &bits, sizeof result);
    result *= 0x1p112f;  // the exponent at its place
    std::memcpy(&bits, &result, sizeof bits);
    bits |= sign | (rest >= 0x7c00u ? 0x7f800000u : 0u);
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

// The value as storage keeps it.
template <typename T>
inline float rounded(float value) {
    T kept;
    store(value, &kept);
    return load(kept);
}
