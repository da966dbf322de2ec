"""The features that an engine can serve, by the fields of its requests."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.port.errors import NotCapable
from engine.port.info.capabilities import Capabilities, check_capabilities, check_embedding_capability
from engine.port.request import Grammar, GrammarKind, Pooling, SamplingParams, StopConditions, TimestampRules
from tests.support.engine_requests import embedding_request, generation_request

REQUEST = generation_request(
    token_ids=[1], sampling=SamplingParams(temperature=1.0), stopping=StopConditions(max_tokens=1)
)
NOTHING = Capabilities(
    typical_p=False,
    watermark=False,
    beams=False,
    logprob_token_ids=False,
    priority=False,
    embeddings=False,
    grammars=frozenset({GrammarKind.REGEX}),
)


def test_an_engine_of_ours_lacks_nothing() -> None:
    assert Capabilities().missing == ()


def test_a_plain_request_needs_nothing() -> None:
    check_capabilities(REQUEST, NOTHING)


def test_what_has_no_effect_is_not_refused() -> None:
    greedy = SamplingParams(temperature=0.0, typical_p=0.5)
    check_capabilities(replace(REQUEST, sampling=greedy), NOTHING)
    with pytest.raises(NotCapable, match="typical_p"):
        check_capabilities(replace(REQUEST, sampling=SamplingParams(typical_p=0.5)), NOTHING)


@pytest.mark.parametrize(
    "asked",
    [
        {"timestamps": TimestampRules(first_timestamp_id=5, text_end_id=2)},
        {"first_banned_token_ids": (1,)},
        {"adjusted_logprobs": True},
        {"prompt_logprob_token_ids": (1,)},
    ],
)
def test_what_transcripts_need_takes_an_engine_that_transcribes(asked: dict[str, Any]) -> None:
    request = replace(REQUEST, sampling=SamplingParams(**asked))
    check_capabilities(request, Capabilities(transcribes=True))
    with pytest.raises(NotCapable, match=next(iter(asked))):
        check_capabilities(request, Capabilities())


def test_grammars_are_told_apart_by_their_kind() -> None:
    regex, schema = Grammar(GrammarKind.REGEX, "a"), Grammar(GrammarKind.JSON_SCHEMA, "{}")
    check_capabilities(replace(REQUEST, sampling=SamplingParams(grammar=regex)), NOTHING)
    with pytest.raises(NotCapable, match="grammar"):
        check_capabilities(replace(REQUEST, sampling=SamplingParams(grammar=schema)), NOTHING)
    assert "json_schema grammars" in NOTHING.missing


def test_embeddings_may_lack_priorities_alone() -> None:
    request = embedding_request(token_ids=[1], pooling=Pooling.LAST, priority=1)
    check_embedding_capability(request, Capabilities())
    with pytest.raises(NotCapable, match="embeddings"):
        check_embedding_capability(request, NOTHING)
    with pytest.raises(NotCapable, match="priority"):
        check_embedding_capability(request, Capabilities(priority=False))
