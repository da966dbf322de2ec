"""Counter-based random numbers, which are the same on every device and in every batch.

A draw of a sequence's token needs one number for each candidate. `noise_key(seed, position)` mixes 64 bits of
key with SplitMix64 (Steele, Lea and Flood 2014); each candidate's number is its 32-bit counter put through
two rounds of the lowbias32 finaliser (Chris Wellons 2018, a bijection of MurmurHash3's kind), the first keyed
with the low half of the key, the second with the high half. All of it is integer arithmetic modulo 2^32 and
2^64, so bits are equal on CPU and CUDA; only the logarithm of `exponential_noise` may differ in its last
place.

Keying twice matters: with one key, the streams of two positions would be permutations of each other.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from engine.host.transfers import send

_MASK_64 = (1 << 64) - 1
_GOLDEN_GAMMA = 0x9E3779B97F4A7C15

# Counters from here on are not token ids, since every vocabulary is far smaller.
FIRST_BLOCK_COUNTER = 1 << 30

NoiseKey = tuple[int, int]


def noise_key(seed: int, position: int) -> NoiseKey:
    """Return hash(seed, position) as two signed 32-bit halves. Both arguments are taken modulo 2^64."""
    key = _splitmix64(_splitmix64(seed & _MASK_64) ^ (position & _MASK_64))
    return _signed_32(key & 0xFFFFFFFF), _signed_32(key >> 32)


def key_tensor(keys: Sequence[NoiseKey], device: torch.device) -> Tensor:
    """Return n keys as a tensor [n, 2] int32."""
    return send(torch.tensor(keys, dtype=torch.int32).reshape(-1, 2), device)


def random_bits(keys: Tensor, counters: Tensor) -> Tensor:
    """Return uniform 32-bit integers.

    keys: [n, 2] int32. counters: [n, m] or [m], integers in [0, 2^31). Returns [n, m] int32.
    """
    bits = counters.to(torch.int32) ^ keys[:, :1]
    _mix(bits)
    bits ^= keys[:, 1:]
    _mix(bits)
    return bits


def exponential_noise(keys: Tensor, counters: Tensor) -> Tensor:
    """Return draws of Exp(1), [n, m] float32, in [2^-32, 16.64]; arguments as in `random_bits`.

    E = -log(1 - u), u from 31 bits: small values, which decide races, keep full relative precision. If w are
    weights, argmax(w / E) is i with probability w_i / sum(w): this is Gumbel-max, max(log w - log E), without
    logarithms of weights.
    """
    uniform = (random_bits(keys, counters) & 0x7FFFFFFF).to(torch.float32)
    uniform.add_(0.5).mul_(2.0**-31).clamp_(max=1 - 2.0**-24)  # rounding would reach 1, so infinite noise
    return uniform.neg_().log1p_().neg_()


def _mix(bits: Tensor) -> None:
    """Apply lowbias32 in place. int32 multiplies modulo 2^32; its shift copies the sign, so mask it."""
    bits ^= (bits >> 16) & 0xFFFF
    bits *= 0x7FEB352D
    bits ^= (bits >> 15) & 0x1FFFF
    bits *= _signed_32(0x846CA68B)
    bits ^= (bits >> 16) & 0xFFFF


def _splitmix64(state: int) -> int:
    state = (state + _GOLDEN_GAMMA) & _MASK_64
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK_64
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK_64
    return state ^ (state >> 31)


def _signed_32(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value
