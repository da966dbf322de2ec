"""A thinking budget bounds the tokens of thoughts, and leaves the answer to the model."""

from codecs import getincrementaldecoder
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from msgspec.structs import replace

from engine.core.ahead import can_follow
from engine.core.stages import sampling_stage
from engine.demo_model import DEMO_MODEL
from engine.port.events import FinishReason, TokenEvent
from engine.port.request import (
    BeamParams,
    GenerationRequest,
    Grammar,
    GrammarKind,
    Prompt,
    SamplingParams,
    StopConditions,
    ThinkingBudget,
)
from engine.speculation.ngram_proposer import NgramProposer
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import trials
from tests.support.tiny_models.text import save_tiny_model
from tests.unit.engine.core.test_speculation import Engine, Foreseeing, run

# A thought that the prompt has opened, with a marker of one token, of several, and of bytes that are no
# characters of their own; the model writes parts of the last two by itself.
MARKERS: Final = ("</think>", "ab", "é")
SHAPES: Final[dict[str, dict[str, Any]]] = {
    "roomy": {},
    "without jumps": {"jump_forward": False},
    "preempted": {"num_kv_blocks": 24, "block_size": 4, "max_total_tokens": 90},
    "chunked": {"max_batch_tokens": 3, "block_size": 4, "num_kv_blocks": 400},
}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="module")
def engine(directory: Path) -> Engine:
    return Engine(directory)


def budget(max_tokens: int, end: str = "</think>", **changes: Any) -> ThinkingBudget:
    given = ThinkingBudget(max_tokens=max_tokens, begin="<", end=end, closing=f"\n{end}\n\n", is_open=True)
    return replace(given, **changes)


def request(bound: ThinkingBudget | None, max_tokens: int = 60, **sampling: Any) -> GenerationRequest:
    return generation_request(
        token_ids=(0,),
        sampling=SamplingParams(**{"temperature": 0.0, "thinking_budget": bound, **sampling}),
        stopping=StopConditions(max_tokens=max_tokens, ignore_eos=True),
    )


def outputs(engine: Engine, requests: Sequence[GenerationRequest], **core: Any) -> dict[Any, list[Any]]:
    """Return the events of each sequence; request i has a prompt of its own."""
    made = engine.core(**core)
    for arrival, each in enumerate(requests):
        prompt = tuple(engine.tokenizer.encode(f"The {'abc' * (arrival % 4)} town, the town"))
        compiled = engine.compiler.compile(each.sampling.grammar) if each.sampling.grammar else None
        made.add(arrival, replace(each, prompt=Prompt(prompt)), compiled)
    told: dict[Any, list[Any]] = {}
    for arrival, event in run(made):
        assert isinstance(event, TokenEvent), event
        told.setdefault((arrival, event.index), []).append(event)
    return told


def ids(events: Sequence[TokenEvent]) -> list[int]:
    return [event.token_id for event in events]


def num_thinking(engine: Engine, token_ids: Sequence[int], end: str) -> int:
    """Return the number of tokens until the thought has ended, or of all."""
    text = b""
    for place, token_id in enumerate(token_ids):
        text += engine.tokenizer.token_bytes(token_id)
        if end.encode() in text:
            return place + 1
    return len(token_ids)


def num_unfinished(engine: Engine, token_ids: Sequence[int]) -> int:
    """Return the most tokens that may follow to finish a character."""
    decoder = getincrementaldecoder("utf-8")("replace")
    decoder.decode(b"".join(map(engine.tokenizer.token_bytes, token_ids)))
    return 3 if decoder.getstate()[0] else 0


def random_request(random: Random, end: str) -> GenerationRequest:
    bound = budget(random.choice([0, 1, 2, 5, 17, 100]), end)
    # Any thought, its end, at most two blanks, and a bound answer.
    grammar = Grammar(
        GrammarKind.EBNF, f'root ::= thought "{end}" [ \\n]? [ \\n]? "x"+\nthought ::= [^{end[0]}]*'
    )
    made = request(
        bound,
        random.randint(1, 60),
        temperature=random.choice([0.0, 1.0]),
        seed=random.randrange(99),
        repetition_penalty=random.choice([1.0, 1.3]),
        num_logprobs=random.choice([None, None, 1]),
        grammar=random.choice([None, None, grammar]) if end != "é" else None,
        banned_token_ids=random.choice([(), (3,)]),
    )
    return replace(made, num_sequences=random.choice([1, 1, 3]))


@pytest.mark.parametrize("end", MARKERS)
def test_thoughts_are_within_their_budget_and_the_same_in_every_way_to_compute_them(
    directory: Path, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling_stage, "MAX_JUMPING", 100)
    engines = {name: Engine(directory, **shape) for name, shape in SHAPES.items()}
    plain = engines["without jumps"]
    closing = plain.tokenizer.encode(f"\n{end}\n\n", add_special_tokens=False)
    for seed in range(trials(2, whole=10)):
        random = Random(seed)
        requests = [random_request(random, end) for _ in range(8)]
        expected = {key: ids(events) for key, events in outputs(plain, requests).items()}
        for (arrival, _), output in expected.items():
            bound = requests[arrival].sampling.thinking_budget
            assert bound is not None
            num_allowed = bound.max_tokens + num_unfinished(plain, output[: bound.max_tokens])
            assert num_thinking(plain, output, end) <= num_allowed + len(closing)
        for engine in engines.values():
            assert {key: ids(events) for key, events in outputs(engine, requests).items()} == expected
        drafts = Foreseeing({key: [(each,) for each in output] for key, output in expected.items()}, None)
        for proposer in (drafts, NgramProposer()):
            drafted = outputs(engines["roomy"], requests, proposer=proposer)
            assert {key: ids(events) for key, events in drafted.items()} == expected


@pytest.mark.parametrize("end", MARKERS)
@pytest.mark.parametrize("max_tokens", [0, 1, 4, 9])
def test_the_answer_is_that_of_a_prompt_that_holds_the_closed_thought(
    engine: Engine, end: str, max_tokens: int
) -> None:
    [output] = outputs(engine, [request(budget(max_tokens, end))]).values()
    token_ids = ids(output)
    num_closed = num_thinking(engine, token_ids, end)
    assert num_closed < len(token_ids) - 2
    closed = num_closed + len(engine.tokenizer.encode("\n\n", add_special_tokens=False))
    prompt = engine.tokenizer.encode("The  town, the town")
    core = engine.core()
    core.add(0, replace(request(None, 60 - closed), prompt=Prompt((*prompt, *token_ids[:closed]))))
    answer = [event for _, event in run(core) if isinstance(event, TokenEvent)]
    assert ids(answer) == token_ids[closed:]


def test_the_closing_costs_no_step_where_nothing_else_needs_its_logits(engine: Engine) -> None:
    closing = engine.tokenizer.encode("\n</think>\n\n", add_special_tokens=False)
    for num_logprobs, num_steps in ((None, 12 - len(closing)), (0, 11)):
        core = engine.core()
        before = core.counters.num_steps
        engine.add(core, 0, request(budget(0), 11, num_logprobs=num_logprobs))
        events = [event for _, event in run(core) if isinstance(event, TokenEvent)]
        assert ids(events)[: len(closing)] == closing
        assert all((event.logprob is None) == (num_logprobs is None) for event in events)
        assert core.counters.num_steps - before == num_steps


def test_a_thought_that_ends_by_itself_is_left_alone(engine: Engine) -> None:
    plain, bound = (ids(outputs(engine, [request(each)])[0, 0]) for each in (None, budget(100, "a")))
    end = next(place for place, each in enumerate(plain) if b"a" in engine.tokenizer.token_bytes(each))
    assert plain == bound
    # The thought has as many tokens as it may, and the next one ends it.
    assert ids(outputs(engine, [request(budget(end + 1, "a"))])[0, 0]) == plain


def test_a_thought_longer_than_max_tokens_ends_by_length(engine: Engine) -> None:
    [plain], [bound] = (outputs(engine, [request(each, 9)]).values() for each in (None, budget(99)))
    assert ids(plain) == ids(bound)
    assert bound[-1].finish is FinishReason.LENGTH


def test_a_marker_that_has_begun_is_completed_and_not_written_twice(engine: Engine) -> None:
    """The bias makes the thought consist of the marker's first letter."""
    [letter] = engine.tokenizer.encode("q", add_special_tokens=False)
    events = outputs(engine, [request(budget(3, "qxj"), 12, logit_bias={letter: 1e4})])[0, 0]
    text = engine.tokenizer.decode(ids(events), skip_special_tokens=False)
    assert text.startswith("qqqxj\n\nq")


def test_options_that_exclude_the_closing_do_not_keep_a_thought_open(engine: Engine) -> None:
    closing = engine.tokenizer.encode("\n</think>\n\n", add_special_tokens=False)
    excluding: list[dict[str, Any]] = [
        {"banned_token_ids": tuple(closing)},
        {"allowed_token_ids": (5, 6), "num_logprobs": 1},
        {"logit_bias": dict.fromkeys(closing, -1e30), "temperature": 1.0, "top_k": 1},
        {"bad_words": ("</think>",), "num_logprobs": 0},
    ]
    for options in excluding:
        output = ids(outputs(engine, [request(budget(2), **options)])[0, 0])
        assert output[2 : 2 + len(closing)] == closing
        assert output[2 + len(closing) :] != closing


@pytest.mark.parametrize("text", ["<", "\\n <", "x<"])
def test_only_a_thought_at_the_start_of_the_output_counts(engine: Engine, text: str) -> None:
    """A grammar writes the beginning of the output, and leaves the end of the thought to the budget."""
    grammar = Grammar(GrammarKind.EBNF, f'root ::= "{text}" [a-pq]*')
    bound = budget(3, "q", closing="q", is_open=False)
    [closing] = engine.tokenizer.encode("q", add_special_tokens=False)
    output = ids(outputs(engine, [request(bound, grammar=grammar, banned_token_ids=(closing,))])[0, 0])
    num_begun = output.index(engine.tokenizer.encode("<", add_special_tokens=False)[0]) + 1
    assert (output[num_begun + 3] == closing) is not text.startswith("x")
    assert output.count(closing) == (not text.startswith("x"))


@pytest.mark.parametrize("max_tokens", [0, 2, 5])
def test_no_other_thought_begins_once_the_budget_of_several_is_spent(engine: Engine, max_tokens: int) -> None:
    """The bias makes the model begin thoughts all the time, and end none."""
    first, second = (engine.tokenizer.encode(each, add_special_tokens=False)[0] for each in "<>")
    bound = budget(max_tokens, "]", begin="<>", closing="]", is_open=False, is_single=False)
    thinks = request(bound, 40, logit_bias={first: 1e4, second: 9e3}, bad_words=("<<",))
    token_ids = ids(outputs(engine, [thinks])[0, 0])
    if max_tokens == 0:
        assert (first, second) not in zip(token_ids, token_ids[1:], strict=False)
        return
    assert token_ids[:2] == [first, second]
    assert token_ids[2 + max_tokens] == engine.tokenizer.encode("]", add_special_tokens=False)[0]
    answer = token_ids[3 + max_tokens :]
    assert answer[::2] == [first] * len(answer[::2])
    assert second not in answer


def test_beams_close_their_thoughts(engine: Engine) -> None:
    closing = engine.tokenizer.encode("\n</think>\n\n", add_special_tokens=False)
    for max_tokens in (0, 3):
        searched = replace(request(budget(max_tokens), 14), beams=BeamParams(num_beams=3), num_sequences=3)
        found = outputs(engine, [searched])
        assert len(found) == 3
        for events in found.values():
            assert ids(events)[max_tokens:][: len(closing)] == closing


def test_steps_are_launched_ahead_again_once_the_thoughts_are_over(directory: Path) -> None:
    engine = Engine(directory)
    core = engine.core()
    engine.add(core, 0, request(budget(2), 20, num_logprobs=0))
    followed = []
    while core.has_work:
        launched = core.launch()
        assert launched is not None
        followed.append(can_follow(launched))
        core.collect(launched)
    num_bound = 2 + len(engine.tokenizer.encode("\n</think>\n\n", add_special_tokens=False))
    assert followed == [False] * num_bound + [True] * (20 - num_bound)


def test_the_embedded_model_thinks_within_its_budget() -> None:
    engine = Engine(DEMO_MODEL)
    prompt = "<|im_start|>user\nWhat is 12 plus 30?<|im_end|>\n<|im_start|>assistant\n"
    bound = budget(4, begin="<think>", is_open=False)
    core = engine.core()
    core.add(0, replace(request(bound, 40), prompt=Prompt(tuple(engine.tokenizer.encode(prompt)))))
    text = "".join(event.text for _, event in run(core) if isinstance(event, TokenEvent))
    thought, _, answer = text.partition("\n</think>\n\n")
    assert thought.startswith("<think>")
    assert len(engine.tokenizer.encode(thought)) <= 5
    assert answer and "<think>" not in answer
