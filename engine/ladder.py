"""The ladder: how fast a model decodes by each way of computing its steps, each in addition to those before.

It shows what each of them gives on a machine, next to what the memory's bandwidth allows.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
import torch
from msgspec.structs import replace

from engine.assembly.engine_parts import EngineParts
from engine.assembly.paged_parts import PagedParts
from engine.attention.kv_cache.budget import free_bytes
from engine.attention.paged_attention import PagedAttention
from engine.build import choose_parts
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.model.recorded_steps import RecordedSteps
from engine.port.events import TokenEvent
from engine.port.info.model_info import ModelInfo
from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions

NUM_SEQUENCES: Final = (1, 8, 32, 128)
_NUM_STEPS: Final = 32
_NUM_WARM_STEPS: Final = 4
_NUM_FIRST_TOKENS: Final = 3
_MOST_COPIED: Final = 2**30  # bytes


class Rung(msgspec.Struct, frozen=True, kw_only=True):
    """One way of computing steps.

    tokens_per_s: by the number of sequences that decode together, as far as the cache holds them.
    first_token_s: the median time from a prompt's arrival to its first token, while nothing else runs.
    """

    name: str
    tokens_per_s: dict[int, float]
    first_token_s: float


class Ladder(msgspec.Struct, frozen=True, kw_only=True):
    """The rungs of a model, the slowest first.

    num_prompt_tokens: of each sequence. bytes_per_s: of memory that is read, in a copy of a large tensor.
    bound: the tokens per second, by the number of sequences, if a step took as long as it takes to read all
    weights and the cache once; empty for quantized weights.
    """

    info: ModelInfo
    torch_version: str
    device_name: str
    num_prompt_tokens: int
    bytes_per_s: float
    bound: dict[int, float]
    rungs: tuple[Rung, ...]


class _Way(NamedTuple):
    """A way of computing steps. prepare: sets it up in the parts."""

    name: str
    prepare: Callable[[], None]
    runs_ahead: bool = False


def climb(
    config: EngineConfig,
    on_progress: Callable[[str], None],
    *,
    num_prompt_tokens: int | None = None,
    num_sequences: Sequence[int] = NUM_SEQUENCES,
) -> Ladder:
    """Load a model and measure each rung. Raises what `build_core` raises.

    num_prompt_tokens: None takes 1,024 on a GPU, and 64 on a CPU.
    """
    config = replace(config, prefix_caching=False, kv_events=None, max_draft_tokens=0)
    parts = choose_parts(config, on_progress)
    return measure(parts, on_progress, num_prompt_tokens=num_prompt_tokens, num_sequences=num_sequences)


def measure(
    parts: EngineParts,
    on_progress: Callable[[str], None],
    *,
    num_prompt_tokens: int | None = None,
    num_sequences: Sequence[int] = NUM_SEQUENCES,
) -> Ladder:
    """Measure each rung of a model that has no prefix cache, and no core yet; arguments as in `climb`."""
    device = parts.runner.device
    num_prompt_tokens = num_prompt_tokens or (1024 if device.type == "cuda" else 64)
    num_prompt_tokens = min(num_prompt_tokens, parts.info.max_total_tokens - _num_output_tokens(1) - 1)
    rungs = []
    for way in _ways(parts):
        way.prepare()
        core = parts.core(runs_ahead=way.runs_ahead)
        on_progress(f"{way.name} ...")
        rungs.append(_measure(way.name, core, parts, num_prompt_tokens, num_sequences))
        core.close()
    bytes_per_s = measure_bandwidth(device)
    return Ladder(
        info=parts.info,
        torch_version=str(torch.__version__),
        device_name=torch.cuda.get_device_name(device) if device.type == "cuda" else "",
        num_prompt_tokens=num_prompt_tokens,
        bytes_per_s=bytes_per_s,
        bound=_bound(parts.info, bytes_per_s, num_prompt_tokens, rungs[-1].tokens_per_s),
        rungs=tuple(rungs),
    )


def _ways(parts: EngineParts) -> Iterator[_Way]:
    """Yield the ways that the parts have, each to be prepared before the next is asked for."""
    if not isinstance(parts, PagedParts):
        yield _Way("one sequence after another", lambda: None)
        return
    runner, attention = parts.runner, parts.attention
    own_attention, path, recordings = attention.attention, runner.decode_path, runner.recordings

    def without_all() -> None:
        attention.attention, runner.decode_path, runner.recordings = PagedAttention, None, None

    def attend() -> None:
        attention.attention = own_attention

    def decode() -> None:
        runner.decode_path = path

    yield _Way("model's own forward", without_all)
    if own_attention is not PagedAttention:
        yield _Way("+ varlen attention", attend)
    if path is not None:
        yield _Way("+ decode path", decode)
    if isinstance(recordings, RecordedSteps):
        yield _Way("+ decode graphs", lambda: setattr(runner, "recordings", recordings.of_decodes()))
        yield _Way("+ mixed graphs", lambda: setattr(runner, "recordings", recordings))
    if parts.scheduler.is_even:
        yield _Way("+ launch ahead", lambda: None, runs_ahead=True)


def _num_output_tokens(num_sequences: int) -> int:
    """Return the tokens that each of so many sequences may need, of which the first waits for all others."""
    return num_sequences * 2 + _NUM_WARM_STEPS + _NUM_STEPS + 2


def _measure(
    name: str, core: EngineCore, parts: EngineParts, num_prompt_tokens: int, num_sequences: Sequence[int]
) -> Rung:
    info, arrivals = parts.info, iter(range(10**9))
    first_token = [
        _first_token_s(core, next(arrivals), info, num_prompt_tokens) for _ in range(1 + _NUM_FIRST_TOKENS)
    ]
    tokens_per_s = {}
    for number in num_sequences:
        length = num_prompt_tokens + _num_output_tokens(number)
        num_blocks = number * -(-length // info.block_size)
        if (
            number <= info.max_num_sequences
            and length <= info.max_total_tokens
            and num_blocks <= info.num_blocks
        ):
            tokens_per_s[number] = _tokens_per_s(core, arrivals, info, num_prompt_tokens, number)
    return Rung(name=name, tokens_per_s=tokens_per_s, first_token_s=statistics.median(first_token[1:]))


def _request(arrival: int, info: ModelInfo, num_prompt_tokens: int, max_tokens: int) -> GenerationRequest:
    vocab_size = min(info.vocab_size, 256)
    tokens = tuple((place * 7 + arrival) % vocab_size for place in range(num_prompt_tokens))
    return GenerationRequest(
        request_id=str(arrival),
        prompt=Prompt(tokens),
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=max_tokens, ignore_eos=True),
    )


def _step(core: EngineCore) -> int:
    """Run a step and return the number of its tokens. Raises what a request is told."""
    number = 0
    for _, event in core.step():
        if isinstance(event, Exception):
            raise event
        number += isinstance(event, TokenEvent)
    return number


def _first_token_s(core: EngineCore, arrival: int, info: ModelInfo, num_prompt_tokens: int) -> float:
    began = time.perf_counter()
    core.add(arrival, _request(arrival, info, num_prompt_tokens, 1))
    while not _step(core):
        pass
    taken = time.perf_counter() - began
    while core.has_work:
        _step(core)
    return taken


def _tokens_per_s(
    core: EngineCore, arrivals: Iterator[int], info: ModelInfo, num_prompt_tokens: int, number: int
) -> float:
    """Let so many sequences decode together, and return their tokens per second."""
    own = [next(arrivals) for _ in range(number)]
    max_tokens = _num_output_tokens(number)
    for arrival in own:
        core.add(arrival, _request(arrival, info, num_prompt_tokens, max_tokens))
    while _step(core) < number:
        pass
    for _ in range(_NUM_WARM_STEPS):
        _step(core)
    began, num_tokens = time.perf_counter(), 0
    for _ in range(_NUM_STEPS):
        num_tokens += _step(core)
    taken = time.perf_counter() - began
    for arrival in own:
        core.abort(arrival)
    while core.has_work:
        _step(core)
    return num_tokens / taken


def measure_bandwidth(device: torch.device) -> float:
    """Return the bytes per second of memory that a copy of a large tensor reads and writes, at its best."""
    size = min(_MOST_COPIED, free_bytes(device) // 4) if device.type == "cuda" else 2**27
    source = torch.empty(size, dtype=torch.uint8, device=device).fill_(1)
    target = torch.empty_like(source)
    times = []
    for _ in range(6):
        _wait(device)
        began = time.perf_counter()
        target.copy_(source)
        _wait(device)
        times.append(time.perf_counter() - began)
    return 2 * size / min(times)


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _bound(
    info: ModelInfo, bytes_per_s: float, num_prompt_tokens: int, numbers: dict[int, float]
) -> dict[int, float]:
    if info.quantization or info.stored_layers:
        return {}
    weights = info.num_parameters * getattr(torch, info.dtype).itemsize
    token_bytes = info.kv_cache_bytes / (info.num_blocks * info.block_size)
    return {
        number: number * bytes_per_s / (weights + number * num_prompt_tokens * token_bytes)
        for number in numbers
    }
