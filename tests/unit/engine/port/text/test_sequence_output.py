"""The events of one sequence: their text, and the rule by which the sequence ends."""

import pytest

from engine.port.events import FinishReason, TokenEvent
from engine.port.request import SamplingParams, StopConditions
from engine.port.text.sampled import Sampled
from engine.port.text.sequence_output import SequenceOutput
from engine.port.text.token_times import TokenTimes
from engine.port.text.tokenizer import Tokenizer
from tests.support.engine_requests import generation_request
from tests.unit.engine.port.text.tiny_tokenizers import byte_level

TEXT = "the fox"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return byte_level()


def events(tokenizer: Tokenizer, token_ids: list[int], **stopping: object) -> list[TokenEvent]:
    """Return the events of a sequence, up to the one that ends it."""
    conditions = StopConditions(**{"max_tokens": 100} | stopping)  # type: ignore[arg-type]
    request = generation_request(token_ids=[0, 1, 2], sampling=SamplingParams(), stopping=conditions)
    output = SequenceOutput(request, tokenizer, index=1)
    times = TokenTimes(queue_s=0.5, wait_s=0.25)
    made = []
    for token_id in token_ids:
        made.append(output.append(Sampled(token_id), times))
        if made[-1].finish is not None:
            break
    return made


def test_events_count_positions_and_carry_the_text(tokenizer: Tokenizer) -> None:
    made = events(tokenizer, tokenizer.encode(TEXT))
    assert [event.position for event in made] == list(range(len(made)))
    assert "".join(event.text for event in made) == TEXT
    assert {(event.index, event.num_prompt_tokens, event.finish) for event in made} == {(1, 3, None)}


def test_the_first_token_waited_from_submission(tokenizer: Tokenizer) -> None:
    made = events(tokenizer, tokenizer.encode(TEXT))
    assert made[0].wait_s == 0.5
    assert {event.wait_s for event in made[1:]} == {0.25}


def test_the_bound_of_tokens_ends_a_sequence(tokenizer: Tokenizer) -> None:
    made = events(tokenizer, tokenizer.encode(TEXT), max_tokens=2)
    assert [event.finish for event in made] == [None, FinishReason.LENGTH]


def test_an_end_token_ends_a_sequence_unless_it_is_ignored_or_too_early(tokenizer: Tokenizer) -> None:
    token_ids = [*tokenizer.encode(TEXT), *tokenizer.end_token_ids, *tokenizer.encode(TEXT)]
    assert events(tokenizer, token_ids)[-1].finish is FinishReason.END_TOKEN
    assert events(tokenizer, token_ids, ignore_eos=True)[-1].finish is None
    assert events(tokenizer, token_ids, min_tokens=len(token_ids))[-1].finish is None


@pytest.mark.parametrize("include_stop, text", [(True, TEXT), (False, TEXT[:-1])])
def test_a_stop_token_ends_a_sequence_and_its_text_is_cut_or_kept(
    tokenizer: Tokenizer, include_stop: bool, text: str
) -> None:
    *before, last = tokenizer.encode(TEXT[:-1]) + tokenizer.encode(TEXT[-1])
    made = events(tokenizer, [*before, last, last], stop_token_ids=(last,), include_stop=include_stop)
    assert made[-1].finish is FinishReason.STOP
    assert "".join(event.text for event in made) == text


def test_a_stop_string_ends_a_sequence(tokenizer: Tokenizer) -> None:
    made = events(tokenizer, tokenizer.encode(TEXT), stop=("e f",))
    assert made[-1].finish is FinishReason.STOP
    assert made[-1].stop_match == "e f"
    assert "".join(event.text for event in made) == "th"


def test_the_length_comes_first_where_it_is_to(tokenizer: Tokenizer) -> None:
    token_ids = tokenizer.encode(TEXT)
    made = events(tokenizer, token_ids, stop=("x",), max_tokens=len(token_ids), length_first=True)
    assert made[-1].finish is FinishReason.LENGTH
    assert made[-1].stop_match == "x"


def test_a_complete_grammar_ends_a_sequence(tokenizer: Tokenizer) -> None:
    request = generation_request(
        token_ids=[0], sampling=SamplingParams(), stopping=StopConditions(max_tokens=9)
    )
    event = SequenceOutput(request, tokenizer).append(Sampled(1), TokenTimes(), is_complete=True)
    assert event.finish is FinishReason.STOP


def test_a_fork_continues_by_itself(tokenizer: Tokenizer) -> None:
    conditions = StopConditions(max_tokens=9, stop=("fox",))
    request = generation_request(token_ids=[0], sampling=SamplingParams(), stopping=conditions)
    output, times = SequenceOutput(request, tokenizer), TokenTimes()
    first, *rest = map(Sampled, tokenizer.encode(TEXT))
    output.append(first, times)
    child = output.fork()
    assert [output.append(token, times).finish for token in rest][-1] is FinishReason.STOP
    assert child.append(first, times).position == 1
