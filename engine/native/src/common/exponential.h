// The exponential function, in a form that compilers turn into vector instructions.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

// exp(x) for x <= 0, to a few units in the last place: 2^n times a polynomial of the rest (Cephes, expf).
inline float exp_negative(float x) {
    const float clamped = x > -87.0f ? x : (x <= -87.0f ? -87.0f : x);  // a NaN passes
    const float n = std::floor(clamped * 1.44269504088896341f + 0.5f);
    // ln 2 in two parts, of which the first times n is exact; fused, so that no compiler adds them up first.
    const float r = std::fma(n, 2.12194440e-4f, std::fma(n, -0.693359375f, clamped));
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    const int32_t power = (static_cast<int32_t>(n) + 127) << 23;
    float scale;
    std::memcpy(&scale, &power, sizeof scale);
    return x < -87.0f ? 0.0f : p * scale;
}
