"""The engine computes what transformers computes where torch's varlen attention serves its layers.

There is no GPU here, so an emulation of its kernels answers, which is compared with FlexAttention
(`tests/unit/engine/attention/varlen/test_emulation.py`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AutoModelForCausalLM

from engine.assembly.paged_parts import PagedParts, paged_parts
from engine.assembly.prepared_model import prepare_model
from engine.assembly.step_memory import PeakOf
from engine.attention.paged_attention import PagedAttention
from engine.attention.varlen.library import VarlenLibrary
from engine.model.recorded_steps import Capture
from engine.port.events import TokenEvent
from engine.port.info.kernels import Kernel as KernelReport
from engine.port.request import SamplingParams, StopConditions
from tests.parity.test_engine_parity import Expected, expect, run, tolerance_of
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import usually
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import ARCHITECTURES, HYBRIDS, INDEXED, save_tiny_model
from tests.support.varlen_emulation import Kernel, emulated

MAX_TOKENS = 8
PROMPT_LENGTHS = (1, 2, 16, 40, 23)
LIBRARY = emulated(Kernel(), Kernel(needs_key_starts=True))
OF_LARGE_PAGES = emulated(Kernel(page_multiple=256, needs_key_starts=True))

# Architecture -> how many of its layers are served, and why not the others; those that are not named: all.
LEFT_OUT = {
    "gemma2": (0, "has no soft cap of scores"),
    "deepseek_v3": (0, "takes keys and values of one size, not of 16 and 12"),
    "deepseek_v32": (0, "has no choice of keys by an index"),
    "glm_moe_dsa": (0, "has no choice of keys by an index"),
    "gpt2": (0, "takes heads of up to 256 numbers, a multiple of 8, not of 12"),
    "gpt_neox": (0, "takes heads of up to 256 numbers, a multiple of 8, not of 12"),
    "llama4": (1, "has no windows that begin at multiples of their size"),
    "mamba": (0, None),
    "mamba2": (0, None),
}
# Those that `make test` tries: all layers are served, one, some, and none.
USUAL = ("llama", "gemma3", "gemma4", "llama4", "gpt2", "qwen3_next")
NUM_ATTENDING = {"gemma4": 4, "qwen3_next": 2, "qwen3_5": 2, "lfm2": 2, "granitemoehybrid": 2, "jamba": 2}


@dataclass(frozen=True)
class Case:
    architecture: str
    directory: Path
    expected: list[Expected]


@pytest.fixture(scope="module", params=usually([*ARCHITECTURES, *INDEXED, *HYBRIDS], USUAL))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    architecture = request.param
    directory = save_tiny_model(tmp_path_factory.mktemp(architecture), architecture, has_end_token=False)
    model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, attn_implementation="eager")
    random = Random(architecture)
    prompts = [[random.randrange(256) for _ in range(length)] for length in PROMPT_LENGTHS]
    tolerance = tolerance_of(architecture)
    return Case(
        architecture,
        directory,
        [expect(model, prompt, tolerance, max_tokens=MAX_TOKENS) for prompt in prompts],
    )


def parts_of(
    directory: Path,
    library: VarlenLibrary = LIBRARY,
    capture: Capture | None = None,
    peak_of: PeakOf | None = None,
    on_progress: Callable[[str], None] = lambda line: None,
    **shape: Any,
) -> PagedParts:
    config = tiny_config(directory, dtype="float32", **shape)
    return paged_parts(prepare_model(config, on_progress), library, capture, peak_of, on_progress)


def report_of(parts: PagedParts) -> KernelReport:
    (report,) = (kernel for kernel in parts.info.kernels if kernel.name == "varlen_attention")
    return report


def generate(parts: PagedParts, case: Case) -> dict[int, list[TokenEvent]]:
    """Run the prompts, of which each comes a step after the one before."""
    core = parts.core()
    events: dict[int, list[TokenEvent]] = {}
    waiting = dict(enumerate(case.expected))
    while waiting or core.has_work:
        if waiting:
            number = min(waiting)
            request = generation_request(
                request_id=str(number),
                token_ids=waiting.pop(number).prompt,
                sampling=SamplingParams(temperature=0.0, num_logprobs=0, num_prompt_logprobs=0),
                stopping=StopConditions(max_tokens=MAX_TOKENS),
            )
            core.add(number, request)
        run(core, events)
    return events


def check(parts: PagedParts, case: Case) -> None:
    events = generate(parts, case)
    for number, expected in enumerate(case.expected):
        assert [event.token_id for event in events[number]] == expected.tokens
        prompt = events[number][0].prompt
        assert prompt is not None
        logprobs = [token.logprob for token in prompt[1:]] + [event.logprob for event in events[number]]
        assert logprobs == pytest.approx(expected.logprobs, abs=expected.tolerance)


def test_arriving_prompts_in_chunks_give_the_tokens_of_transformers(case: Case) -> None:
    parts = parts_of(case.directory, num_kv_blocks=28, block_size=4, max_batch_tokens=9)
    check(parts, case)
    report = report_of(parts)
    number = NUM_ATTENDING.get(case.architecture, 3)
    num_served, reason = LEFT_OUT.get(case.architecture, (number, None))
    assert report.scope == (f"{num_served} of {number} layers" if num_served else "")
    assert (report.obstacle and report.obstacle.reason) == reason


@pytest.mark.long
@pytest.mark.parametrize("shape", [{}, {"max_batch_tokens": 7}, {"max_draft_tokens": 3}], ids=str)
def test_other_shapes_give_the_tokens_of_transformers(case: Case, shape: dict[str, Any]) -> None:
    check(parts_of(case.directory, **shape), case)


@pytest.mark.long
def test_pages_of_256_tokens_give_the_tokens_of_transformers(case: Case) -> None:
    parts = parts_of(case.directory, OF_LARGE_PAGES, num_kv_blocks=8 * 16)
    assert parts.info.num_blocks == (8 if parts.info.block_size == 256 else 8 * 16)
    check(parts, case)
    assert parts.info.block_size == (256 if report_of(parts).in_use else 16)


@pytest.mark.parametrize(
    ("library", "block_size"), [(LIBRARY, 16), (OF_LARGE_PAGES, 256), (emulated(Kernel(skew=-1)), 16)]
)
def test_blocks_are_as_large_as_the_pages_of_the_kernel(
    library: VarlenLibrary, block_size: int, tmp_path: Path
) -> None:
    save_tiny_model(tmp_path, "mistral")
    parts = parts_of(tmp_path, library, num_kv_blocks=20)
    assert parts.info.num_blocks == -(-20 * 16 // block_size)  # as many tokens as were asked for
    assert parts.info.block_size == parts.config.block_size == block_size
    assert parts.scheduler.pool.block_size == parts.attention.block_size == block_size
    assert parts.info.max_total_tokens == parts.info.num_blocks * block_size
    assert report_of(parts).in_use == (library in (LIBRARY, OF_LARGE_PAGES))


def failing_for_a_model(change: Callable[[Tensor], None]) -> VarlenLibrary:
    """A library that is right in trials, and not for the five rows by which a model's logits are compared."""

    def attn_out(*args: Any, **named: Any) -> Any:
        result = LIBRARY.attn_out(*args, **named)
        if len(args[0]) == 5:
            change(args[0])
        return result

    return LIBRARY._replace(attn_out=attn_out)


def fail(out: Tensor) -> None:
    raise RuntimeError("no such kernel")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (fail, "the pass of a few tokens raises: RuntimeError: no such kernel"),
        (Tensor.zero_, "the logits of LlamaForCausalLM differ by"),
    ],
)
def test_our_own_attention_is_put_back_where_a_models_logits_differ(
    change: Callable[[Tensor], None], reason: str, tmp_path: Path
) -> None:
    save_tiny_model(tmp_path)
    parts = parts_of(tmp_path, failing_for_a_model(change), num_kv_blocks=8)
    report = report_of(parts)
    assert not report.in_use and report.obstacle is not None and report.obstacle.is_lack
    assert report.obstacle.reason.startswith(reason)
    assert parts.attention.attention is PagedAttention
