"""Requests and answers in the form of vLLM's token API."""

import json
from typing import Any

import pytest

from engine.port.request import GenerationRequest, Grammar, GrammarKind, SamplingParams, StopConditions
from engine.port.text.tokenizer import Tokenizer
from engine.remote.wire.answer_reader import DONE, Malformed
from engine.remote.wire.token_api import ApiFacts, PriorityOrder
from engine.remote.wire.vllm import VllmApi
from tests.support.engine_requests import generation_request
from tests.unit.engine.port.text.tiny_tokenizers import byte_level

API = VllmApi()


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return byte_level()


def new_request(
    sampling: SamplingParams | None = None,
    *,
    cache_salt: str | None = None,
    priority: int = 0,
    adapter: str | None = None,
    **stopping: Any,
) -> GenerationRequest:
    return generation_request(
        request_id="a",
        token_ids=[1, 2],
        sampling=sampling or SamplingParams(),
        stopping=StopConditions(**{"max_tokens": 9} | stopping),
        cache_salt=cache_salt,
        priority=priority,
        adapter=adapter,
    )


def params(tokenizer: Tokenizer, request: GenerationRequest, index: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(API.encode(request, index, "m", tokenizer))["sampling_params"]
    return found


def test_end_tokens_are_named_so_that_our_rule_alone_counts(tokenizer: Tokenizer) -> None:
    (end,) = tokenizer.end_token_ids
    found = params(tokenizer, new_request(stop_token_ids=(5,), stop=("x",)))
    assert (found["ignore_eos"], found["stop_token_ids"]) == (True, sorted([5, end]))
    assert "stop" not in found
    assert params(tokenizer, new_request(ignore_eos=True))["stop_token_ids"] == []


def test_excluded_tokens_have_a_bias_that_json_can_write(tokenizer: Tokenizer) -> None:
    sampling = SamplingParams(logit_bias={1: 2.0, 2: float("-inf"), 3: 5.0}, banned_token_ids=(3,))
    assert params(tokenizer, new_request(sampling))["logit_bias"] == {"1": 2.0, "2": -1e30, "3": -1e30}


@pytest.mark.parametrize(
    "kind, source, expected",
    [
        (GrammarKind.JSON_SCHEMA, "{}", {"json": "{}"}),
        (GrammarKind.JSON_OBJECT, "", {"json_object": True}),
        (GrammarKind.REGEX, "a", {"regex": "a"}),
        (GrammarKind.EBNF, 'root ::= "a"', {"grammar": 'root ::= "a"'}),
        (GrammarKind.STRUCTURAL_TAG, "{}", {"structural_tag": "{}"}),
    ],
)
def test_grammars_are_structured_outputs(
    tokenizer: Tokenizer, kind: GrammarKind, source: str, expected: dict[str, object]
) -> None:
    found = params(tokenizer, new_request(SamplingParams(grammar=Grammar(kind, source))))
    assert found["structured_outputs"] == expected


@pytest.mark.parametrize(
    "sampling, num_asked",
    [
        (SamplingParams(temperature=0.0, num_logprobs=20), 20),
        (SamplingParams(temperature=0.0, num_logprobs=3, presence_penalty=1.0), 4),
        (SamplingParams(temperature=1.0, num_logprobs=3), 4),
        (SamplingParams(temperature=1.0, num_logprobs=0), 0),
    ],
)
def test_one_more_token_is_ranked_where_another_may_be_drawn(
    tokenizer: Tokenizer, sampling: SamplingParams, num_asked: int
) -> None:
    assert params(tokenizer, new_request(sampling))["logprobs"] == num_asked


def test_a_salt_is_of_bounded_length_and_characters(tokenizer: Tokenizer) -> None:
    body = json.loads(API.encode(new_request(cache_salt="/@" * 1000), 0, "m", tokenizer))
    assert len(body["cache_salt"]) == 64 and body["cache_salt"].isalnum()


def test_the_prompts_scores_are_asked_for_with_the_first_sequence_alone(tokenizer: Tokenizer) -> None:
    request = new_request(SamplingParams(num_prompt_logprobs=2))
    assert ["prompt_logprobs" in params(tokenizer, request, index) for index in (0, 1)] == [True, False]


def test_no_server_writes_texts(tokenizer: Tokenizer) -> None:
    assert params(tokenizer, new_request())["detokenize"] is False


def test_truncation_is_left_out_where_nothing_is_drawn(tokenizer: Tokenizer) -> None:
    assert "top_p" not in params(tokenizer, new_request(SamplingParams(temperature=0.0, top_p=0.5)))
    found = params(tokenizer, new_request(SamplingParams(top_k=5, top_p=0.5, min_p=0.1)))
    assert (found["top_k"], found["top_p"], found["min_p"]) == (5, 0.5, 0.1)


def test_a_seed_is_sent_only_where_somebody_asked_for_it_and_it_counts(tokenizer: Tokenizer) -> None:
    """Requests without one, most of all, are drawn faster, and one seed slows a whole batch."""
    assert "seed" not in params(tokenizer, new_request(SamplingParams(seed=None)), 1)
    assert "seed" not in params(tokenizer, new_request(SamplingParams(temperature=0.0, seed=5)))
    assert params(tokenizer, new_request(SamplingParams(seed=0)), 1)["seed"] == 1


def test_log_probabilities_of_another_prompt_are_malformed(tokenizer: Tokenizer) -> None:
    reader = API.reader(new_request(SamplingParams(num_prompt_logprobs=1)), tokenizer)
    for listed in ([None], [None, {"7": {"logprob": -1.0}}]):
        with pytest.raises(Malformed):
            list(reader.read(json.dumps({"choices": [], "prompt_logprobs": listed}).encode()))


@pytest.mark.parametrize("scored", [{"token_id": 5}, {"token_id": 5, "logprob": None}, {"logprob": -1.0}])
def test_a_token_without_its_log_probability_is_malformed(
    tokenizer: Tokenizer, scored: dict[str, object]
) -> None:
    request = new_request(SamplingParams(num_logprobs=1, num_prompt_logprobs=1))
    whole = {"token_id": 5, "logprob": -1.0, "top_logprobs": [scored]}
    for own in (scored, whole):
        choice = {"token_ids": [5], "logprobs": {"content": [own]}}
        with pytest.raises(Malformed):
            API.reader(request, tokenizer).read(json.dumps({"choices": [choice]}).encode())
    listed = [None, {"2": {"logprob": None}}]
    with pytest.raises(Malformed):
        API.reader(request, tokenizer).read(json.dumps({"prompt_logprobs": listed}).encode())


def test_named_tokens_are_one_more_than_the_request_has(tokenizer: Tokenizer) -> None:
    """The server's list has the drawn token first, each token once, and is cut to its length."""
    sampling = SamplingParams(num_logprobs=0, logprob_token_ids=(5, 3))
    found = params(tokenizer, new_request(sampling))
    assert (found["logprobs"], found["logprob_token_ids"]) == (3, [5, 3, 3])
    for drawn, listed in ((7, [7, 5, 3]), (3, [3, 5])):
        scored = [{"token_id": token_id, "logprob": -1.0 * token_id} for token_id in listed]
        choice = {"token_ids": [drawn], "logprobs": {"content": [{**scored[0], "top_logprobs": scored}]}}
        answer = json.dumps({"choices": [choice]}).encode()
        (token,) = API.reader(new_request(sampling), tokenizer).read(answer)
        assert [(top.token_id, top.logprob) for top in token.top_logprobs] == [(5, -5.0), (3, -3.0)]


def test_a_priority_is_sent_as_it_is(tokenizer: Tokenizer) -> None:
    """The lowest comes first, there as here; none is sent to servers that would take it and do nothing."""
    assert "priority" in API.capabilities.missing
    fitted = API.fitted(ApiFacts(priorities=PriorityOrder.LOWEST_FIRST))
    assert "priority" not in fitted.capabilities.missing
    assert json.loads(fitted.encode(new_request(priority=-3), 0, "m", tokenizer))["priority"] == -3
    assert "priority" not in json.loads(fitted.encode(new_request(), 0, "m", tokenizer))


def test_an_adapter_is_asked_for_as_the_model(tokenizer: Tokenizer) -> None:
    assert json.loads(API.encode(new_request(adapter="poet"), 0, "m", tokenizer))["model"] == "poet"
    assert json.loads(API.encode(new_request(), 0, "m", tokenizer))["model"] == "m"


def test_the_last_token_waits_for_the_count_of_cached_ones(tokenizer: Tokenizer) -> None:
    fitted = API.fitted(ApiFacts(counts_cached_tokens=True))
    request = new_request()
    assert json.loads(fitted.encode(request, 0, "m", tokenizer))["stream_options"] == {"include_usage": True}
    assert "stream_options" not in json.loads(API.encode(request, 0, "m", tokenizer))
    last = json.dumps({"choices": [{"token_ids": [5, 6], "finish_reason": "stop"}], "usage": None}).encode()
    usage = json.dumps({"choices": [], "usage": {"prompt_tokens_details": {"cached_tokens": 2}}}).encode()
    reader = fitted.reader(request, tokenizer)
    assert [token.token_id for token in reader.read(last)] == [5]
    (token,) = reader.read(usage)
    assert (token.token_id, token.is_complete, reader.num_cached_tokens) == (6, True, 2)
    assert reader.read(DONE) == []
    without = fitted.reader(request, tokenizer)
    without.read(last)
    assert [token.token_id for token in without.read(DONE)] == [6]


@pytest.mark.parametrize(
    "probe, scores, expected",
    [
        ({"usage": {"prompt_tokens_details": {"cached_tokens": 0}}}, None, (True, False)),
        ({"usage": {"prompt_tokens_details": None}}, {"prompt_token_id_logprobs": "AA=="}, (False, True)),
        ({}, {}, (False, False)),  # a server that knows no such field, and ignores it
    ],
)
def test_the_first_answers_show_what_the_server_can_do(
    probe: dict[str, object], scores: dict[str, object] | None, expected: tuple[bool, bool]
) -> None:
    trial, _ = API.encode_trials("m", 7)
    assert json.loads(trial)["sampling_params"]["prompt_logprob_token_ids"] == [[7]]
    answer = None if scores is None else json.dumps(scores).encode()
    facts = API.learn(ApiFacts(), json.dumps(probe).encode(), (answer, None))
    assert (facts.counts_cached_tokens, facts.lists_named_logprobs) == expected
    assert ("logprob_token_ids" in API.fitted(facts).capabilities.missing) == (not expected[1])


@pytest.mark.parametrize("answer", [b'{"choices": []}', None])
def test_a_server_that_answers_with_a_thinking_budget_bounds_thoughts(answer: bytes | None) -> None:
    _, trial = API.encode_trials("m", 7)
    assert json.loads(trial)["sampling_params"]["thinking_token_budget"] == 1
    api = API.fitted(API.learn(ApiFacts(), b"{}", (None, answer)))
    assert api.capabilities.thinking_budget is (answer is not None)
