"""Steps that are recorded and replayed give what the model's own forward gives.

There is no CUDA graph here. A tape of torch's operations takes its place, which also repeats them on the same
tensors and nothing that Python does between them.
"""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from engine.attention.batch import Batch
from engine.attention.varlen.library import VarlenLibrary
from engine.core.core import EngineCore
from engine.model.recorded_steps import RecordedSteps, StepSize, cuda_graphs
from engine.model.runner import ModelRunner
from engine.port.events import TokenEvent
from engine.port.info.kernels import Kernel as KernelReport
from engine.port.info.kernels import Obstacle
from engine.port.request import SamplingParams, StopConditions
from tests.parity.test_varlen_parity import parts_of
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import trials, usually
from tests.support.tape import capture
from tests.support.tiny_models.text import save_tiny_model
from tests.support.varlen_core import GRAPH_SIZES, NUM_BLOCKS, varlen_core
from tests.support.varlen_emulation import Kernel, emulated, recordable

NUM_REQUESTS = 10
CPU = torch.device("cpu")
ARCHITECTURES = ("llama", "mistral", "gemma3", "gpt_oss", "qwen3_moe", "gemma4")
MOST_ROWS = max(size.num_rows for size in GRAPH_SIZES)
BOTH = emulated(Kernel(), Kernel(needs_key_starts=True))


def new_core(architecture: str = "llama", **options: Any) -> EngineCore:
    return varlen_core(architecture, recordable(), CPU, torch.float32, **options)


def recordings_of(core: EngineCore) -> RecordedSteps:
    assert isinstance(core.runner, ModelRunner) and isinstance(core.runner.recordings, RecordedSteps)
    return core.runner.recordings


def generate(
    core: EngineCore, seed: int, *, aborts: bool = True
) -> tuple[dict[int, list[int]], dict[int, list[float]]]:
    """Run requests that arrive, end and are aborted at random, if it `aborts`; up to ten decode together."""
    random = Random(seed)
    tokens: dict[int, list[int]] = {}
    logprobs: dict[int, list[float]] = {}
    number = 0
    for step in count():
        if number == NUM_REQUESTS and not core.has_work:
            break
        if number < NUM_REQUESTS and (random.random() < 0.2 or not core.has_work):
            core.add(
                number,
                generation_request(
                    token_ids=[random.randrange(256) for _ in range(random.choice([1, 3, 9, 20]))],
                    sampling=SamplingParams(seed=number, temperature=0.5, num_logprobs=0),
                    stopping=StopConditions(max_tokens=random.choice([1, 5, 20])),
                ),
            )
            number += 1
        if aborts and step % 17 == 16:
            core.abort(random.randrange(number))
        for arrival, event in core.step():
            assert isinstance(event, TokenEvent), event
            tokens.setdefault(arrival, []).append(event.token_id)
            assert event.logprob is not None
            logprobs.setdefault(arrival, []).append(event.logprob)
    return tokens, logprobs


class Replayed(NamedTuple):
    """The numbers of rows of the steps that are replayed, as they come."""

    decoding: list[int]
    mixed: list[int]


def count_calls(core: EngineCore, monkeypatch: pytest.MonkeyPatch) -> Replayed:
    recorded, rows = recordings_of(core), Replayed([], [])
    run: Callable[..., tuple[Tensor, Tensor] | None] = recorded.run

    def noted(batch: Batch, logit_rows: list[int]) -> tuple[Tensor, Tensor] | None:
        result = run(batch, logit_rows)
        if result is not None:
            (rows.mixed if batch.chunks else rows.decoding).append(len(result[0]))
        return result

    monkeypatch.setattr(recorded, "run", noted)
    return rows


@pytest.mark.parametrize("architecture", usually(ARCHITECTURES, ("llama", "gemma3", "gpt_oss")))
@pytest.mark.parametrize("seed", range(trials(1, whole=5)))
def test_replayed_steps_give_the_tokens_of_the_models_own_forward(
    architecture: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = new_core(architecture, capture=capture)
    rows = count_calls(recorded, monkeypatch)
    tokens, logprobs = generate(recorded, seed)
    expected, expected_logprobs = generate(new_core(architecture), seed)
    assert tokens == expected
    for number, values in expected_logprobs.items():
        assert logprobs[number] == pytest.approx(values, abs=1e-4)
    # Sizes of all kinds were replayed, whole ones and others.
    assert {1, 2, 3} <= set(rows.decoding) and max(rows.decoding) <= MOST_ROWS
    assert {2, 6} <= set(rows.mixed) and min(rows.mixed) < 6


@pytest.mark.parametrize("seed", range(trials(2, whole=10)))
def test_a_step_that_is_replayed_ahead_takes_the_tokens_of_the_one_before(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = new_core(capture=capture, runs_ahead=True)
    rows, unseen = count_calls(recorded, monkeypatch), count_unseen(recorded, monkeypatch)
    assert generate(recorded, seed, aborts=False)[0] == generate(new_core(), seed, aborts=False)[0]
    assert 1 in rows.decoding and rows.mixed and max(unseen) > 1


def count_unseen(core: EngineCore, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of tokens that each replayed step takes from the one before, as they come."""
    recorded, numbers = recordings_of(core), list[int]()
    run: Callable[..., tuple[Tensor, Tensor] | None] = recorded.run

    def noted(batch: Batch, logit_rows: list[int]) -> tuple[Tensor, Tensor] | None:
        numbers.append(0 if batch.unseen is None else len(batch.unseen.rows))
        return run(batch, logit_rows)

    monkeypatch.setattr(recorded, "run", noted)
    return numbers


def test_drafted_rows_are_replayed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = new_core(capture=capture, num_drafted=3)
    rows = count_calls(recorded, monkeypatch)
    assert generate(recorded, 1)[0] == generate(new_core(), 1)[0]
    assert recorded.counters.drafts.num_drafted_tokens > 0
    assert max(rows.decoding) > 3


def run_greedily(core: EngineCore, prompts: dict[int, list[int]], max_tokens: dict[int, int]) -> list[int]:
    """Return the tokens of the request with the highest number."""
    for number, prompt in prompts.items():
        core.add(
            number,
            generation_request(
                token_ids=prompt,
                sampling=SamplingParams(temperature=0.0),
                stopping=StopConditions(max_tokens=max_tokens[number]),
            ),
        )
    tokens = []
    while core.has_work:
        for arrival, event in core.step():
            assert isinstance(event, TokenEvent), event
            if arrival == max(prompts):
                tokens.append(event.token_id)
    return tokens


def test_rows_that_a_step_does_not_fill_write_to_no_page_of_a_sequence() -> None:
    """Four rows are followed by three of the same recording, which still holds the slot of the fourth."""
    prompts = {0: [1, 2], 1: [3, 4], 2: [5, 6], 3: [7, 8, 9]}
    max_tokens = {0: 4, 1: 12, 2: 12, 3: 12}
    alone = run_greedily(new_core(), {3: prompts[3]}, max_tokens)
    assert run_greedily(new_core(capture=capture), prompts, max_tokens) == alone


def test_larger_steps_are_left_to_the_models_own_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    core = new_core(capture=capture)
    rows = count_calls(core, monkeypatch)
    for number in range(MOST_ROWS + 1):
        core.add(
            number,
            generation_request(
                token_ids=[number],
                sampling=SamplingParams(temperature=0.0),
                stopping=StopConditions(max_tokens=8),
            ),
        )
    while core.has_work:
        assert all(isinstance(event, TokenEvent) for _, event in core.step())
    assert 0 < max(rows.decoding + rows.mixed, default=0) <= MOST_ROWS


def reports_of(
    directory: Path, library: VarlenLibrary = BOTH, **options: Any
) -> tuple[list[KernelReport], Any]:
    """The reports on steps that decode and on the others, and the recordings."""
    parts = parts_of(directory, library, capture=options.pop("capture", again), **options)
    reports = [kernel for kernel in parts.info.kernels if kernel.name in ("decode_graphs", "mixed_graphs")]
    return reports, parts.runner.recordings


def again(compute: Callable[[], None]) -> Callable[[], None]:
    """A recording that computes anew, which compiled code of a CPU allows too."""
    compute()
    return compute


def test_recordings_of_all_sizes_are_in_the_report(tmp_path: Path) -> None:
    save_tiny_model(tmp_path, "qwen3")
    reports, recorded = reports_of(tmp_path, num_kv_blocks=20, max_num_sequences=5, max_batch_tokens=500)
    assert reports == [
        KernelReport("decode_graphs", True, "4 of 4 sizes"),
        KernelReport("mixed_graphs", True, "2 of 2 sizes"),
    ]
    assert recorded.sizes == [
        *map(StepSize.of_decodes, (1, 2, 4, 8)),
        StepSize.of_any(256, 8),
        StepSize.of_any(512, 8),
    ]


def test_a_model_that_cannot_be_recorded_keeps_its_own_forward(tmp_path: Path) -> None:
    def fail(compute: Callable[[], None]) -> Callable[[], None]:
        raise RuntimeError("operation not permitted when stream is capturing")

    save_tiny_model(tmp_path, "qwen3")
    reports, recorded = reports_of(tmp_path, num_kv_blocks=20, max_num_sequences=2, capture=fail)
    assert recorded is None
    for report in reports:
        assert not report.in_use and report.obstacle is not None and report.obstacle.is_lack
        assert "cannot be recorded: RuntimeError: operation" in report.obstacle.reason


def test_a_recording_that_gives_other_logits_is_forgotten(tmp_path: Path) -> None:
    """Its first result stays, as of a model that decides on the host by what it computed first."""

    def once(compute: Callable[[], None]) -> Callable[[], None]:
        compute()
        return lambda: None

    save_tiny_model(tmp_path, "qwen3")
    reports, recorded = reports_of(tmp_path, num_kv_blocks=20, max_num_sequences=2, capture=once)
    assert recorded is None
    for report in reports:
        assert not report.in_use and report.obstacle is not None
        assert "the logits of Qwen3ForCausalLM differ by" in report.obstacle.reason


@pytest.mark.parametrize(
    ("architecture", "reason"),
    [
        ("gemma2", "take models whose layers all attend by torch's own"),
        ("lfm2", "take no recurrent states"),
    ],
)
def test_models_that_need_more_are_not_recorded(architecture: str, reason: str, tmp_path: Path) -> None:
    save_tiny_model(tmp_path, architecture)
    reports, recorded = reports_of(tmp_path, num_kv_blocks=20)
    assert [(report.in_use, report.obstacle) for report in reports] == [(False, Obstacle(reason))] * 2
    assert recorded is None


def test_a_cpu_has_no_graphs() -> None:
    assert cuda_graphs(CPU) is None
    core = new_core()
    assert core.stats().num_blocks == NUM_BLOCKS
