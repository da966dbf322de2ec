"""The memory that is measured at load is as much as any step takes, and the cache leaves it free."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import torch
from msgspec.structs import replace

from engine.assembly.step_memory import PeakOf, cuda_peak, largest_step_bytes
from engine.attention.kv_cache.budget import StepMemory
from engine.attention.paged_attention import PagedAttention
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.core.launched_step import LaunchedStep
from engine.port.errors import EngineError, ModelNotSupported, NoPagedAttention
from engine.port.request import GenerationRequest, Prompt
from tests.parity.test_meta_steps import LIBRARY, META, numbers_made_up
from tests.parity.test_varlen_parity import parts_of
from tests.support.live_bytes import peak_on
from tests.support.selection.effort import trials, usually
from tests.support.tiny_models.text import save_tiny_model
from tests.support.varlen_core import varlen_core
from tests.unit.engine.core.test_device_reads import REQUESTS, add

__all__ = ["numbers_made_up"]  # a fixture
MAX_BATCH_TOKENS, MAX_NUM_SEQUENCES = 48, 12
CONFIG = EngineConfig(model="", max_batch_tokens=MAX_BATCH_TOKENS, max_num_sequences=MAX_NUM_SEQUENCES)
ON_META = peak_on("meta")


def new_core(architecture: str = "llama") -> EngineCore:
    return varlen_core(
        architecture,
        LIBRARY,
        META,
        torch.bfloat16,
        max_batch_tokens=MAX_BATCH_TOKENS,
        max_num_sequences=MAX_NUM_SEQUENCES,
    )


def measure(core: EngineCore, peak_of: PeakOf = ON_META, *, is_recorded: bool = False) -> int:
    return largest_step_bytes(core.runner, core.tokenizer, CONFIG, 10_000, peak_of, is_recorded=is_recorded)


def of_steps(core: EngineCore) -> int:
    """Run the requests that the core has, and return the most bytes that a step took."""
    peaks = []

    def step() -> None:
        launched = core.launch()
        assert isinstance(launched, LaunchedStep) and launched.error is None
        assert not any(isinstance(event, EngineError) for _, event in core.collect(launched))

    while core.has_work:
        peaks.append(ON_META(step))
    return max(peaks)


@pytest.mark.usefixtures("numbers_made_up")
@pytest.mark.parametrize("architecture", usually(["llama", "gemma3", "gpt_oss", "qwen3_moe"], ("llama",)))
@pytest.mark.parametrize("seed", range(trials(3, whole=20)))
def test_no_step_takes_more_than_was_measured(architecture: str, seed: int) -> None:
    core = new_core(architecture)
    measured = measure(core)
    random = Random(seed)
    for arrival in range(random.choice([3, 40])):
        request = REQUESTS[random.choice(list(REQUESTS))]
        length = random.choice([1, 4, 30, 100])
        add(core, arrival, replace(request, prompt=Prompt(tuple(range(5, 5 + length)))))
    assert of_steps(core) <= measured


@pytest.mark.usefixtures("numbers_made_up")
def test_a_full_step_takes_about_what_was_measured() -> None:
    """Else memory would be reserved for nothing, or too little."""
    core = new_core()
    request = REQUESTS["prompt logprobs"]
    assert isinstance(request, GenerationRequest)
    measured = measure(core)
    core.add(0, replace(request, prompt=Prompt((5,) * MAX_BATCH_TOKENS)))
    assert measured / 2 < of_steps(core) <= measured


@pytest.mark.usefixtures("numbers_made_up")
def test_recordings_have_memory_of_their_own() -> None:
    peaks: list[int] = []

    def noted(compute: Callable[[], None]) -> int:
        peaks.append(ON_META(compute))
        return peaks[-1]

    core = new_core()
    assert measure(core, noted, is_recorded=True) == peaks[0] + max(peaks[1:])
    assert 0 < peaks[0] < max(peaks[1:])


def fails(error: Exception) -> PeakOf:
    def peak_of(compute: Callable[[], None]) -> int:
        raise error

    return peak_of


def test_a_step_that_does_not_fit_is_refused_with_what_to_do() -> None:
    with pytest.raises(ModelNotSupported, match="of 48 tokens .* a smaller --max-batch-prefill-tokens"):
        measure(new_core(), fails(torch.OutOfMemoryError("of 3 GiB")))


def test_a_model_whose_largest_step_fails_is_left_to_the_fallback_path() -> None:
    with pytest.raises(NoPagedAttention, match="a step of 48 tokens raises: RuntimeError: no kernel"):
        measure(new_core(), fails(RuntimeError("no kernel")))


@pytest.mark.parametrize(("architecture", "is_bounded"), [("llama", True), ("gemma2", False)])
def test_the_cache_leaves_free_what_was_measured(
    architecture: str, is_bounded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[StepMemory | None] = []

    def free_bytes(device: torch.device, reserved_bytes: int, steps: StepMemory | None) -> int:
        found.append(steps)
        return 10**6

    monkeypatch.setattr("engine.attention.kv_cache.budget.free_bytes", free_bytes)
    lines: list[str] = []
    numbers = iter([5 * 10**6, 3 * 10**6, 4 * 10**6])

    def peak_of(compute: Callable[[], None]) -> int:
        compute()
        return next(numbers)

    save_tiny_model(tmp_path, architecture)
    parts = parts_of(tmp_path, peak_of=peak_of, on_progress=lines.append, num_kv_blocks=None)
    assert found == [StepMemory(5 * 10**6, is_bounded)]
    assert "steps take up to 5.0 MB in addition to weights and cache" in lines
    assert parts.attention.num_blocks == parts.info.num_blocks > 1
    assert (parts.attention.attention is PagedAttention) == (not is_bounded)


def test_models_with_recurrent_states_are_not_measured(tmp_path: Path) -> None:
    save_tiny_model(tmp_path, "lfm2")
    parts = parts_of(tmp_path, peak_of=fails(AssertionError()), num_kv_blocks=None, kv_cache_bytes=None)
    assert parts.runner.num_slots is not None


def test_a_cache_of_a_given_size_needs_no_measure(tmp_path: Path) -> None:
    save_tiny_model(tmp_path)
    assert parts_of(tmp_path, peak_of=fails(AssertionError()), num_kv_blocks=8).info.num_blocks == 8


def test_a_cpu_is_not_measured() -> None:
    assert cuda_peak(torch.device("cpu")) is None
