// The exponential function of as many numbers as a register holds.
#pragma once

#include "common/lanes.h"

// exp(x) for x <= 0, as exponential.h has it: 0 below -87. A NaN stays one.
inline Floats exp_negative(Floats x) {
    constexpr float kToPowersOf2 = 1.44269504088896341f, kLeast = -87.0f;
#if VERBATIM_LANES == 16
    const __mmask16 is_there = _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(kLeast), _CMP_NLT_UQ);
    const Floats n = (Floats)_mm512_roundscale_ps((__m512)(x * kToPowersOf2), 0);
#else
    const Floats clamped = x < kLeast ? everywhere(kLeast) : x;  // a NaN passes
    // Conversion drops what follows the point, so that of a negative number less a half rounds to nearest.
    const Integers power = __builtin_convertvector(multiply_add(clamped, everywhere(kToPowersOf2), everywhere(-0.5f)), Integers);
    const Floats n = __builtin_convertvector(power, Floats);
#endif
    Floats r = multiply_add(n, everywhere(-0.693359375f), x);
    r = multiply_add(n, everywhere(2.12194440e-4f), r);
    Floats p = everywhere(1.9875691500e-4f);
    for (const float term : {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f})
        p = multiply_add(p, r, everywhere(term));
    p = multiply_add(p * r, r, r + everywhere(1.0f));
#if VERBATIM_LANES == 16
    return (Floats)_mm512_maskz_scalef_ps(is_there, (__m512)p, (__m512)n);
#else
    const Floats scaled = p * (Floats)((power + 127) << 23);
    return x < kLeast ? Floats{} : scaled;
#endif
}
