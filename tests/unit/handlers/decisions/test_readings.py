"""Log-probabilities of labels, read as an engine lists them."""

from math import log

import pytest
from msgspec.structs import replace

from engine.port.events import FinishReason, TokenEvent, TokenLogprob
from engine.port.info.capabilities import Capabilities
from engine.port.request import SamplingParams, StopConditions
from handlers.decisions.readings import NoProbabilities, found_logprobs, readings
from tests.support.engine_requests import generation_request
from tests.support.scripted.engine import token

REQUEST = generation_request(
    token_ids=(5, 6),
    sampling=SamplingParams(temperature=0.0, num_logprobs=0),
    stopping=StopConditions(max_tokens=1),
)


def event(token_id: int, logprob: float, *listed: tuple[int, float]) -> TokenEvent:
    top = tuple(TokenLogprob(each, "x", score, False) for each, score in listed)
    first = token(REQUEST, 0, "x", finish=FinishReason.LENGTH)
    return replace(first, token_id=token_id, logprob=logprob, top_logprobs=top)


def test_one_request_names_all_tokens() -> None:
    (found,) = readings(REQUEST, (7,), (1, 2, 3), Capabilities())
    assert found.prompt.token_ids == (5, 6, 7)
    assert found.sampling.logprob_token_ids == (1, 2, 3)
    assert found_logprobs([event(9, log(0.5), (1, -1.0), (2, -2.0))]) == {9: log(0.5), 1: -1.0, 2: -2.0}


def test_a_bound_on_tokens_parts_them() -> None:
    found = readings(REQUEST, (), (1, 2, 3), Capabilities(max_logprob_token_ids=2))
    assert [each.sampling.logprob_token_ids for each in found] == [(1, 2), (3,)]


def test_an_engine_that_names_none_is_asked_for_each_alone() -> None:
    found = list(readings(REQUEST, (), (1, 2), Capabilities(logprob_token_ids=False)))
    assert [each.sampling.allowed_token_ids for each in found] == [(1,), (2,)]
    assert not any(each.sampling.logprob_token_ids for each in found)
    assert len({each.request_id for each in found}) == 2
    assert found_logprobs([event(1, log(0.7)), event(2, log(0.2))]) == {1: log(0.7), 2: log(0.2)}


@pytest.mark.parametrize("logprobs", [(0.0, 0.0), (14.0, -800.0)], ids=["after the mask", "logits"])
def test_what_is_not_of_one_distribution_is_refused(logprobs: tuple[float, float]) -> None:
    with pytest.raises(NoProbabilities):
        found_logprobs([event(number, each) for number, each in enumerate(logprobs)])
