import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.sampling.noise import NoiseKey, exponential_noise, key_tensor, noise_key, random_bits
from tests.unit.engine.sampling.chi_square import chi_square_p_value

CPU = torch.device("cpu")
MASK_32, MASK_64 = 2**32 - 1, 2**64 - 1
NUM_BINS = 16

seeds = st.integers(0, MASK_64)


def reference_bits(seed: int, position: int, counter: int) -> int:
    """The generator in plain integers, from its papers."""

    def splitmix64(state: int) -> int:
        state = (state + 0x9E3779B97F4A7C15) & MASK_64
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK_64
        state = (state ^ state >> 27) * 0x94D049BB133111EB & MASK_64
        return state ^ state >> 31

    def lowbias32(bits: int) -> int:
        bits = (bits ^ bits >> 16) * 0x7FEB352D & MASK_32
        bits = (bits ^ bits >> 15) * 0x846CA68B & MASK_32
        return bits ^ bits >> 16

    key = splitmix64(splitmix64(seed) ^ position)
    return lowbias32(lowbias32(counter ^ key & MASK_32) ^ key >> 32)


def keys_of(*places: tuple[int, int]) -> torch.Tensor:
    return key_tensor([noise_key(seed, position) for seed, position in places], CPU)


def bins(bits: torch.Tensor, shift: int = 28) -> torch.Tensor:
    """4 bits of each number: [..] int32 -> [..] in [0, 16)."""
    return (bits >> shift) & (NUM_BINS - 1)


@given(seed=seeds, position=st.integers(0, 2**31), counter=st.integers(0, 2**31 - 1))
def test_bits_are_those_of_the_generator_in_plain_integers(seed: int, position: int, counter: int) -> None:
    [[bits]] = random_bits(keys_of((seed, position)), torch.tensor([counter])).tolist()
    assert bits & MASK_32 == reference_bits(seed, position, counter)


@given(seed=seeds, position=st.integers(0, 1000), counter=st.integers(0, 200_000))
def test_exponential_noise_is_the_logarithm_of_31_of_the_bits(seed: int, position: int, counter: int) -> None:
    [[noise]] = exponential_noise(keys_of((seed, position)), torch.tensor([counter])).tolist()
    # The uniform is a float32, whose distance to 1 is known to 2^-25 only.
    bits = torch.tensor(reference_bits(seed, position, counter) & 0x7FFFFFFF, dtype=torch.float32)
    uniform = (bits + 0.5).item() / 2**31
    assert noise == pytest.approx(-math.log1p(-min(uniform, 1 - 2**-24)), rel=1e-5)


def test_noise_is_finite_and_positive_at_both_ends_of_the_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = torch.tensor([[0, 0x7FFFFFFF, -1, -(2**31)]], dtype=torch.int32)
    monkeypatch.setattr("engine.sampling.noise.random_bits", lambda keys, counters: ends)
    noise = exponential_noise(keys_of((0, 0)), torch.arange(4))
    assert bool((noise > 0).all()) and bool(noise.isfinite().all())


def test_a_row_of_a_batch_has_the_noise_that_it_has_alone() -> None:
    places = [(seed, position) for seed in (0, 1, MASK_64) for position in (0, 1, 77)]
    counters = torch.arange(1000)
    batch = exponential_noise(keys_of(*places), counters)
    for place, row in zip(places, batch, strict=True):
        assert torch.equal(exponential_noise(keys_of(place), counters)[0], row)


@pytest.mark.parametrize("shift", [0, 7, 14, 21, 28])
@pytest.mark.parametrize(
    ("keys", "counters"),
    [
        ([noise_key(0, 0)], torch.arange(200_000)),
        ([noise_key(0, position) for position in range(40_000)], torch.tensor([0])),
        ([noise_key(seed, 0) for seed in range(40_000)], torch.tensor([151_935])),
    ],
    ids=["tokens", "positions", "seeds"],
)
def test_bits_are_uniform(keys: list[NoiseKey], counters: torch.Tensor, shift: int) -> None:
    counts = torch.bincount(
        bins(random_bits(key_tensor(keys, CPU), counters), shift).flatten(), minlength=NUM_BINS
    )
    assert chi_square_p_value(counts, torch.full((NUM_BINS,), 1 / NUM_BINS)) > 1e-4


@pytest.mark.parametrize("shift", [0, 14, 28])
@pytest.mark.parametrize(
    ("first", "second"),
    [((0, 0), (0, 1)), ((0, 7), (0, 8)), ((0, 0), (1, 0)), ((3, 4), (4, 3)), ((5, 0), (5 + 2**32, 0))],
    ids=["positions 0 and 1", "positions 7 and 8", "seeds 0 and 1", "swapped", "high half of the seed"],
)
def test_the_streams_of_two_keys_are_independent(
    first: tuple[int, int], second: tuple[int, int], shift: int
) -> None:
    both = bins(random_bits(keys_of(first, second), torch.arange(200_000)), shift)
    counts = torch.bincount(both[0] * NUM_BINS + both[1], minlength=NUM_BINS**2)
    assert chi_square_p_value(counts, torch.full((NUM_BINS**2,), NUM_BINS**-2)) > 1e-4


@pytest.mark.parametrize("distance", [1, 2, 256, 2**16])
@pytest.mark.parametrize("shift", [0, 14, 28])
def test_two_tokens_of_a_draw_are_independent(distance: int, shift: int) -> None:
    keys = key_tensor([noise_key(9, position) for position in range(40_000)], CPU)
    both = bins(random_bits(keys, torch.tensor([5, 5 + distance])), shift)
    counts = torch.bincount(both[:, 0] * NUM_BINS + both[:, 1], minlength=NUM_BINS**2)
    assert chi_square_p_value(counts, torch.full((NUM_BINS**2,), NUM_BINS**-2)) > 1e-4


def test_no_two_tokens_of_a_draw_share_their_bits() -> None:
    bits = random_bits(keys_of((1, 2), (1, 3)), torch.arange(200_000))
    assert all(len(row.unique()) == 200_000 for row in bits)  # the mix is a bijection
    streams = [set(row.tolist()) for row in bits]
    assert (
        len(streams[0] & streams[1]) < 50
    )  # 200,000^2 / 2^32 = 9.3 by chance; a permutation would share all


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_cuda_has_the_bits_of_the_cpu() -> None:
    keys, counters = keys_of((1, 2), (MASK_64, 2**40)), torch.arange(200_000)
    on_cuda = random_bits(keys.cuda(), counters.cuda())
    assert torch.equal(on_cuda.cpu(), random_bits(keys, counters))
    assert torch.allclose(
        exponential_noise(keys.cuda(), counters.cuda()).cpu(), exponential_noise(keys, counters), rtol=1e-5
    )
