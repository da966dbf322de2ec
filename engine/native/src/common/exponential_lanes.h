// The exponential function of sixteen numbers, in registers of 512 bits.
#pragma once

#include <immintrin.h>

// exp(x) for x <= 0, as exponential.h has it: 0 below -87. A NaN stays one.
inline __m512 exp_negative(__m512 x) {
    const auto constant = [](float value) { return _mm512_set1_ps(value); };
    const __mmask16 is_there = _mm512_cmp_ps_mask(x, constant(-87.0f), _CMP_NLT_UQ);
    const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, constant(1.44269504088896341f)), 0);
    __m512 r = _mm512_fnmadd_ps(n, constant(0.693359375f), x);
    r = _mm512_fnmadd_ps(n, constant(-2.12194440e-4f), r);
    __m512 p = constant(1.9875691500e-4f);
    for (const float term : {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f})
        p = _mm512_fmadd_ps(p, r, constant(term));
    p = _mm512_fmadd_ps(_mm512_mul_ps(p, r), r, _mm512_add_ps(r, constant(1.0f)));
    return _mm512_maskz_scalef_ps(is_there, p, n);
}
