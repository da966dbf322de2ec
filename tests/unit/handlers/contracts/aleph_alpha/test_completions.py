"""Completions: fields, answers, streams."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.port.events import FinishReason, TokenEvent, TokenLogprob
from engine.port.request import GenerationRequest
from generated.aleph_alpha import models as m
from handlers.contracts.aleph_alpha.completions.events import _encode_text
from tests.support.scripted.engine import Script, says, token
from tests.unit.handlers.contracts.aleph_alpha.api import (
    COMPLETE,
    MODEL,
    Api,
    completion,
    quiet,
    refused,
    submitted,
)

TEXT = {"type": "text", "data": "Hi", "controls": []}
TOKENS = {"type": "token_ids", "data": [39, 72]}
IMAGE = {"type": "image", "data": "aGk="}


async def asked(**fields: Any) -> GenerationRequest:
    return await submitted(COMPLETE, completion(**fields))


async def events_of(script: Script, **fields: Any) -> list[Any]:
    return [orjson.loads(event) for event in await Api(script).events(COMPLETE, completion(**fields))]


@pytest.mark.parametrize(
    ("field", "value", "name", "expected"),
    [
        ("temperature", 0.5, "temperature", 0.5),
        ("temperature", None, "temperature", 0.0),
        ("top_k", 5, "top_k", 5),
        ("top_k", 0, "top_k", None),
        ("top_p", 0.5, "top_p", 0.5),
        ("top_p", 0, "top_p", 1.0),
        ("presence_penalty", 0.5, "presence_penalty", 0.5),
        ("frequency_penalty", 0.5, "frequency_penalty", 0.5),
        ("logit_bias", {"5": 2.5}, "logit_bias", {5: 2.5}),
        ("log_probs", 0, "num_logprobs", 0),
        ("log_probs", 3, "num_logprobs", 3),
        ("completion_bias_exclusion", ["no"], "bad_words", ("no",)),
        ("best_of", 2, "num_logprobs", 0),
    ],
)
async def test_a_field_of_sampling_reaches_the_engine(
    field: str, value: object, name: str, expected: object
) -> None:
    assert getattr((await asked(**{field: value})).sampling, name) == expected


@pytest.mark.parametrize(
    ("field", "value", "name", "expected"),
    [
        ("maximum_tokens", 7, "max_tokens", 7),
        ("maximum_tokens", None, "max_tokens", 998),
        ("minimum_tokens", 7, "min_tokens", 7),
        ("stop_sequences", ["a", "b"], "stop", ("a", "b")),
    ],
)
async def test_a_field_of_stopping_reaches_the_engine(
    field: str, value: object, name: str, expected: object
) -> None:
    assert getattr((await asked(**{field: value})).stopping, name) == expected


@pytest.mark.parametrize(("query", "priority"), [("", 0), ("?nice=true", 1)])
async def test_a_nice_request_lets_the_others_go_first(query: str, priority: int) -> None:
    assert (await submitted(COMPLETE + query, completion())).priority == priority


@pytest.mark.parametrize("prompt", ["HiHi", [TEXT, TOKENS], [TOKENS, TEXT], [TOKENS, TOKENS]])
async def test_items_of_text_and_of_tokens_follow_each_other(prompt: object) -> None:
    assert (await submitted(COMPLETE, completion(prompt))).prompt.token_ids == (39, 72, 39, 72)


@pytest.mark.parametrize("prompt", ["", [], [{**TEXT, "data": ""}], [{**TOKENS, "data": []}]])
async def test_an_empty_prompt_is_the_token_that_stands_before_a_text(prompt: object) -> None:
    token_ids = (await submitted(COMPLETE, completion(prompt))).prompt.token_ids
    assert token_ids == quiet().engine.tokenizer.end_token_ids[:1]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"prompt": [IMAGE]}, "prompt[0]"),
        ({"prompt": [TEXT, {**TOKENS, "data": [5, 300]}]}, "prompt[1].data[1]"),
        ({"prompt": [{**TEXT, "controls": [{"start": 0, "length": 1, "factor": 2}]}]}, "controls"),
        ({"prompt": 1}, "prompt"),
        ({"maximum_tokens": -1}, "maximum_tokens"),
        ({"maximum_tokens": 3, "minimum_tokens": 4}, "minimum_tokens"),
        ({"best_of": 1}, "best_of"),
        ({"best_of": 2, "n": 2}, "best_of"),
        ({"best_of": 2, "stream": True}, "best_of"),
        ({"best_of": 101}, "best_of"),
        ({"log_probs": 21}, "log_probs"),
        ({"top_p": 1.1}, "top_p"),
        ({"stop_sequences": [""]}, "stop_sequences"),
        ({"sequence_penalty": 0.5}, "sequence_penalty"),
        ({"penalty_bias": "x"}, "penalty_bias"),
        ({"penalty_exceptions": ["x"]}, "penalty_exceptions"),
        ({"completion_bias_inclusion": ["x"]}, "completion_bias_inclusion"),
        ({"steering_concepts": ["x"]}, "steering_concepts"),
        ({"repetition_penalties_include_prompt": True}, "repetition_penalties_include_prompt"),
        ({"repetition_penalties_include_completion": False}, "repetition_penalties_include_completion"),
        ({"use_multiplicative_presence_penalty": True}, "use_multiplicative_presence_penalty"),
        ({"use_multiplicative_frequency_penalty": True}, "use_multiplicative_frequency_penalty"),
        ({"use_multiplicative_sequence_penalty": True}, "use_multiplicative_sequence_penalty"),
        ({"completion_bias_inclusion_first_token_only": True}, "completion_bias_inclusion_first_token_only"),
        ({"completion_bias_exclusion_first_token_only": True}, "completion_bias_exclusion_first_token_only"),
        (
            {"presence_penalty": 1, "stop_sequences": ["x"]},
            "penalty_exceptions_include_stop_sequences",
        ),
    ],
)
async def test_what_cannot_be_honoured_is_refused_by_its_name(fields: dict[str, Any], field: str) -> None:
    assert field in await refused(COMPLETE, {**completion(), **fields})


async def test_penalties_with_stop_sequences_are_taken_where_nothing_is_excepted() -> None:
    request = await asked(
        presence_penalty=1, stop_sequences=["x"], penalty_exceptions_include_stop_sequences=False
    )
    assert request.sampling.presence_penalty == 1


async def test_an_answer_has_what_was_asked_and_no_more() -> None:
    assert await Api(says("a", "b")).answer(COMPLETE, completion()) == {
        "completions": [{"index": 0, "completion": "ab", "finish_reason": "end_of_text"}],
        "model_version": MODEL,
        "num_tokens_prompt_total": 2,
        "num_tokens_generated": 3,
    }


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        (FinishReason.END_TOKEN, "end_of_text"),
        (FinishReason.STOP, "stop_sequence_reached"),
        (FinishReason.LENGTH, "maximum_tokens"),
    ],
)
async def test_the_finish_reason_tells_the_end_whole_and_streamed(finish: FinishReason, reason: str) -> None:
    answer = await Api(says("a", finish=finish)).answer(COMPLETE, completion())
    *_, summary, _ = await events_of(says("a", finish=finish))
    assert answer["completions"][0]["finish_reason"] == summary["finish_reason"] == reason


async def test_no_tokens_with_echo_tell_of_the_prompt_alone() -> None:
    body = completion(maximum_tokens=0, echo=True, tokens=True, log_probs=0)
    answer = await Api(says("a")).answer(COMPLETE, body)
    assert answer["num_tokens_generated"] == 0
    assert answer["completions"] == [
        {
            "index": 0,
            "log_probs": [{}, {"i": -1.0}],
            "completion": "Hi",
            "completion_tokens": ["H", "i"],
            "finish_reason": "maximum_tokens",
        }
    ]


async def test_the_raw_completion_keeps_special_tokens() -> None:
    answer = await Api(says("a")).answer(COMPLETE, completion(raw_completion=True))
    assert answer["completions"][0]["raw_completion"] == "a<|im_end|>"


@pytest.mark.parametrize("ranks", [(("b", 65, -0.25), ("a", 64, -0.5)), (("b", 65, -0.25),), ()])
async def test_log_probs_have_the_most_likely_tokens_and_the_sampled_one(
    ranks: tuple[tuple[str, int, float], ...],
) -> None:
    def script(request: GenerationRequest) -> Iterator[TokenEvent]:
        top = tuple(TokenLogprob(token_id, text, logprob, False) for text, token_id, logprob in ranks)
        event = token(request, 0, "a", finish=FinishReason.LENGTH)
        yield replace(event, token_id=64, top_logprobs=top)

    answer = await Api(script).answer(COMPLETE, completion(log_probs=len(ranks)))
    expected = {**{text: logprob for text, _, logprob in ranks}, "a": -0.5}
    assert answer["completions"][0]["log_probs"] == [expected]


async def test_the_best_are_told_and_all_are_counted() -> None:
    script = says("a", logprobs=(-3.0, -1.0, -2.0))
    answer = await Api(script).answer(COMPLETE, completion(n=2, best_of=3))
    assert [one["index"] for one in answer["completions"]] == [0, 1]
    assert (answer["num_tokens_prompt_total"], answer["num_tokens_generated"]) == (6, 6)


async def test_a_stream_has_pieces_a_summary_for_each_completion_and_one_for_all() -> None:
    events = await events_of(says("a", "b"), n=2)
    assert [event for event in events if event["type"] == "stream_chunk"] == [
        {"type": "stream_chunk", "index": index, "completion": text} for text in "ab" for index in (0, 1)
    ]
    assert events[-3:] == [
        *(
            {
                "type": "stream_summary",
                "index": index,
                "model_version": MODEL,
                "finish_reason": "end_of_text",
            }
            for index in (0, 1)
        ),
        {"type": "completion_summary", "num_tokens_prompt_total": 4, "num_tokens_generated": 6},
    ]


@pytest.mark.parametrize("maximum_tokens", [0, 5])
async def test_the_pieces_of_a_stream_joined_are_the_completion(maximum_tokens: int) -> None:
    fields = {
        "maximum_tokens": maximum_tokens,
        **{"echo": True, "tokens": True, "log_probs": 1, "raw_completion": True, "n": 2},
    }
    whole = await Api(says("a", "b")).answer(COMPLETE, completion(**fields))
    pieces = [event for event in await events_of(says("a", "b"), **fields) if event["type"] == "stream_chunk"]
    for expected in whole["completions"]:
        own = [piece for piece in pieces if piece["index"] == expected["index"]]
        for name in ("completion", "raw_completion"):
            assert "".join(piece[name] for piece in own) == expected[name]
        for name in ("completion_tokens", "log_probs"):
            assert [one for piece in own for one in piece[name]] == expected[name]


@given(st.text(min_size=1), st.integers(0, 9))
def test_the_prebuilt_piece_is_what_the_model_writes(text: str, index: int) -> None:
    chunk = m.StreamChunk(type="stream_chunk", index=index, completion=text)
    assert _encode_text(index, text) == chunk.model_dump_json().encode()
