"""Sequences on either side of LongRoPE's original context, and across it, get transformers' tokens.

transformers' Phi-3 drops its cache when a sequence outgrows the original context, and computes all of its
tokens again with the long frequencies; so does the engine, for that sequence alone.
"""

from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, Phi3Config

from engine.core.core import EngineCore
from engine.port.events import TokenEvent
from engine.port.request import SamplingParams, StopConditions
from tests.parity.test_engine_parity import TOLERANCE, Expected, expect, new_core
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import usually
from tests.support.tiny_models.text import save_tiny_model, tiny_tokenizer

ORIGINAL = 32
MAX_TOKENS = 24
# Short to the end, across while it decodes, of the original context exactly, and long from the start.
LENGTHS = (3, 8, 9, 20, 31, 32, 33, 45, 60)
SHAPES: dict[str, dict[str, Any]] = {
    "whole prompts": {},
    "drafts": {"max_draft_tokens": 8},
    "chunks and preemption": {"num_kv_blocks": 48, "max_batch_tokens": 9},
    "no prefix cache": {"prefix_caching": False, "max_batch_tokens": 20},
}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = Phi3Config(
        vocab_size=274, hidden_size=48, intermediate_size=64, num_hidden_layers=3, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=128, original_max_position_embeddings=ORIGINAL,
        initializer_range=0.3, bos_token_id=None, eos_token_id=None, pad_token_id=None,
        rope_parameters={
            "rope_type": "longrope", "rope_theta": 1e4, "short_factor": [1.0, 1.1, 1.2, 1.3, 1.5, 2.0],
            "long_factor": [1.0, 2.0, 4.0, 6.0, 9.0, 14.0], "original_max_position_embeddings": ORIGINAL,
        },
    )  # fmt: skip
    torch.manual_seed(0)
    auto: Any = AutoModelForCausalLM
    place = tmp_path_factory.mktemp("phi3")
    auto.from_config(config, dtype=torch.float32).save_pretrained(place)
    tiny_tokenizer(has_end_token=False).save_pretrained(place)
    return place


@pytest.fixture(scope="module")
def expected(directory: Path) -> list[Expected]:
    model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, attn_implementation="eager")
    random = Random(5)
    stem = [random.randrange(256) for _ in range(max(LENGTHS))]
    prompts = [stem[:length] for length in LENGTHS]
    prompts += [[*prompt[:-2], *random.choices(range(256), k=2)] for prompt in prompts]
    found = [expect(model, prompt, max_tokens=MAX_TOKENS) for prompt in prompts]
    crossing = [one for one in found if len(one.prompt) <= ORIGINAL < len(one.prompt) + MAX_TOKENS - 1]
    assert len(crossing) >= 6
    assert any(one.tokens != without_restart(model, one.prompt) for one in crossing), "the cases show nothing"
    return found


def without_restart(model: Any, prompt: tuple[int, ...]) -> list[int]:
    """The greedy tokens of a model that keeps the short frequencies of what it has computed."""
    ids, cache, tokens = torch.tensor([prompt]), None, list[int]()
    with torch.inference_mode():
        while len(tokens) < MAX_TOKENS:
            output = model(ids, past_key_values=cache, use_cache=True)
            cache = output.past_key_values
            ids = output.logits[:, -1:].argmax(dim=-1)
            tokens.append(int(ids))
    return tokens


def add(core: EngineCore, arrival: int, expected: Expected, num_sequences: int) -> None:
    request = generation_request(
        request_id=str(arrival),
        token_ids=expected.prompt,
        sampling=SamplingParams(temperature=0.0, num_logprobs=0),
        stopping=StopConditions(max_tokens=MAX_TOKENS),
        num_sequences=num_sequences,
    )
    core.add(arrival, request)


@pytest.mark.parametrize(
    "shape", usually(SHAPES.values(), (SHAPES["drafts"], SHAPES["chunks and preemption"])), ids=SHAPES
)
def test_sequences_across_the_original_context_give_the_tokens_of_transformers(
    directory: Path, expected: list[Expected], shape: dict[str, Any]
) -> None:
    core = new_core(directory, block_size=4, **shape)
    random = Random(3)
    wanted = random.choices(range(len(expected)), k=12) + [*range(len(expected))]
    num_sequences = [random.choice([1, 1, 2]) for _ in wanted]
    events: dict[tuple[int, int], list[TokenEvent]] = {}

    def step() -> None:
        for arrival, event in core.step():
            assert isinstance(event, TokenEvent), event
            events.setdefault((arrival, event.index), []).append(event)

    for arrival, number in enumerate(wanted):
        add(core, arrival, expected[number], num_sequences[arrival])
        for _ in range(random.choice([0, 2, 20])):
            step()
    while core.has_work:
        step()
    for arrival, number in enumerate(wanted):
        one = expected[number]
        for index in range(num_sequences[arrival]):
            own = events[arrival, index]
            assert [event.token_id for event in own] == one.tokens, (len(one.prompt), index)
            first = len(one.prompt) - 1
            if len(one.prompt) > ORIGINAL or len(one.prompt) + MAX_TOKENS <= ORIGINAL:
                logprobs = [event.logprob for event in own]
                assert logprobs == pytest.approx(one.logprobs[first:], abs=TOLERANCE)
    stats = core.stats()
    assert stats.num_free_blocks == stats.num_blocks
    assert (stats.counters.num_preemptions > 0) == ("num_kv_blocks" in shape)
    if shape.get("prefix_caching", True):
        assert stats.counters.num_cache_hit_tokens > 0


def test_the_whole_context_is_served_where_rows_have_frequencies_of_their_own(directory: Path) -> None:
    core = new_core(directory, block_size=4)
    add(core, 0, Expected(tuple(range(100)), [], []), 1)
    events = []
    while core.has_work:
        events += core.step()
    assert len(events) == MAX_TOKENS


def test_a_dynamic_rotary_embedding_is_cut_to_its_original_context_and_says_so(tmp_path: Path) -> None:
    rope = {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 128}
    save_tiny_model(tmp_path, max_position_embeddings=512, rope_parameters=rope)
    from engine.config import EngineConfig
    from engine.dry_run import dry_run

    found = dry_run(EngineConfig(model=str(tmp_path), device="cpu"), lambda line: None)
    assert found.info is not None and found.info.max_total_tokens == 128
    assert any("its context is cut from 512 to 128 tokens" in note for note in found.notes)
