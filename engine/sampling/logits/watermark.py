"""The green-list watermark and its detector (Kirchenbauer et al. 2023, arXiv 2301.10226, algorithm 2).

The previous token decides which tokens are green: token t after p is green if the unsigned 32-bit number that
`noise.random_bits` gives for counter t under `noise_key(WATERMARK_SEED, p)` is below gamma * 2^32. Sampling
adds delta to green logits, so marked text has more green tokens than the share gamma that chance gives.
Anyone can detect it: only the tokens are needed, neither the model nor the prompt.

The paper colours exactly gamma * v tokens with a permutation of the vocabulary. Here each token is coloured
on its own, so a list has that length only on average; the test below is as exact, the list does not depend on
the device or the vocabulary's size, and one token is coloured in constant time.
"""

import math
from collections.abc import Sequence

import msgspec
import torch
from torch import Tensor

from engine.sampling.noise import key_tensor, noise_key, random_bits

WATERMARK_SEED = 15_485_863  # the millionth prime, as in the paper's code


class WatermarkScore(msgspec.Struct, frozen=True):
    """The evidence for a watermark in a text.

    num_scored: distinct pairs of neighbouring tokens. A repeated pair has the same colour again, so counting
        it again would make repetitive text look marked.
    num_green: the pairs among these whose second token is green.
    z_score: (num_green - gamma * num_scored) / sqrt(num_scored * gamma * (1 - gamma));
        0 if no pair is scored.
    p_value: the probability that unmarked text has this z-score or a higher one, by the normal approximation.
    """

    num_scored: int
    num_green: int
    z_score: float
    p_value: float


def green_mask(previous_token_id: int, vocab_size: int, gamma: float, *, device: torch.device) -> Tensor:
    """Return the tokens that are green after this one: [vocab_size] float32, 1 or 0."""
    keys = key_tensor([noise_key(WATERMARK_SEED, previous_token_id)], device)
    bits = random_bits(keys, torch.arange(vocab_size, dtype=torch.int32, device=device))
    return _is_green(bits, gamma).squeeze(0).float()


def detect(token_ids: Sequence[int], gamma: float = 0.5) -> WatermarkScore:
    """Score the generated tokens of a text; the first only colours the second.

    gamma: the share that the text was generated with.
    """
    pairs = sorted(set(zip(token_ids, token_ids[1:], strict=False)))
    if not pairs:
        return WatermarkScore(0, 0, 0.0, 0.5)
    keys = key_tensor([noise_key(WATERMARK_SEED, previous) for previous, _ in pairs], torch.device("cpu"))
    bits = random_bits(keys, torch.tensor([[token_id] for _, token_id in pairs]))
    num_green = int(_is_green(bits, gamma).sum())
    z_score = (num_green - gamma * len(pairs)) / math.sqrt(len(pairs) * gamma * (1 - gamma))
    return WatermarkScore(len(pairs), num_green, z_score, 0.5 * math.erfc(z_score / math.sqrt(2)))


def _is_green(bits: Tensor, gamma: float) -> Tensor:
    """Compare as unsigned numbers: subtracting 2^31 from both sides, which flips the sign bit, keeps the
    order.
    """
    return (bits ^ -(1 << 31)) < round(gamma * 2**32) - 2**31
