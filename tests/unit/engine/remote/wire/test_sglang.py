"""Requests and answers in the form of SGLang's native API."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from engine.port.request import GenerationRequest, Grammar, GrammarKind, SamplingParams, StopConditions
from engine.port.text.tokenizer import Tokenizer
from engine.remote.wire.answer_reader import DONE, Malformed, NewToken, UpstreamError
from engine.remote.wire.sglang import SglangApi
from tests.support.engine_requests import generation_request
from tests.support.token_servers.emulated_sglang import answer
from tests.unit.engine.port.text.tiny_tokenizers import byte_level

API = SglangApi()


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return byte_level()


def new_request(
    sampling: SamplingParams | None = None, *, cache_salt: str | None = None, **stopping: Any
) -> GenerationRequest:
    return generation_request(
        request_id="a",
        token_ids=[1, 2],
        sampling=sampling or SamplingParams(),
        stopping=StopConditions(**{"max_tokens": 9} | stopping),
        cache_salt=cache_salt,
    )


def body(tokenizer: Tokenizer, request: GenerationRequest, index: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(API.encode(request, index, "m", tokenizer))
    return found


def read(
    tokenizer: Tokenizer, *documents: dict[str, Any], sampling: SamplingParams | None = None
) -> list[NewToken]:
    reader = API.reader(new_request(sampling), tokenizer)
    return [token for each in documents for token in reader.read(json.dumps(each).encode())]


def test_end_tokens_are_named_unless_they_are_ignored(tokenizer: Tokenizer) -> None:
    (end,) = tokenizer.end_token_ids
    params = body(tokenizer, new_request(stop_token_ids=(5,), stop=("x",)))["sampling_params"]
    assert (params["ignore_eos"], params["stop_token_ids"]) == (False, sorted([5, end]))
    assert "stop" not in params
    params = body(tokenizer, new_request(ignore_eos=True))["sampling_params"]
    assert (params["ignore_eos"], params["stop_token_ids"]) == (True, [])


@pytest.mark.parametrize(
    "kind, source, expected",
    [
        (GrammarKind.JSON_SCHEMA, "{}", {"json_schema": "{}"}),
        (GrammarKind.JSON_OBJECT, "", {"json_schema": '{"type": "object"}'}),
        (GrammarKind.REGEX, "a", {"regex": "a"}),
        (GrammarKind.EBNF, 'root ::= "a"', {"ebnf": 'root ::= "a"'}),
        (GrammarKind.STRUCTURAL_TAG, "{}", {"structural_tag": "{}"}),
    ],
)
def test_a_grammar_has_a_parameter_of_its_kind(
    tokenizer: Tokenizer, kind: GrammarKind, source: str, expected: dict[str, str]
) -> None:
    params = body(tokenizer, new_request(SamplingParams(grammar=Grammar(kind, source))))["sampling_params"]
    names = ("json_schema", "regex", "ebnf", "structural_tag")
    assert {name: params[name] for name in names if name in params} == expected


def test_each_sequence_is_a_request_with_an_id_and_a_seed_of_its_own(tokenizer: Tokenizer) -> None:
    request = new_request(SamplingParams(seed=2**63 - 1))
    first, second, again = (body(tokenizer, request, index) for index in (0, 1, 0))
    assert [one["sampling_params"]["sampling_seed"] for one in (first, second)] == [2**63 - 1, 0]
    assert len({one["rid"] for one in (first, second, again)}) == 3
    unseeded = new_request(SamplingParams(seed=None))
    seeds = {body(tokenizer, unseeded, 0)["sampling_params"]["sampling_seed"] for _ in range(3)}
    assert len(seeds) == 3  # the server would draw all from one
    assert "extra_key" not in first


def test_a_salt_separates_cached_prefixes(tokenizer: Tokenizer) -> None:
    one, other = (body(tokenizer, new_request(cache_salt=salt))["extra_key"] for salt in "ab")
    assert one != other and len(one) == 64


def test_log_probabilities_are_asked_for_where_they_are_wanted(tokenizer: Tokenizer) -> None:
    assert "return_logprob" not in body(tokenizer, new_request())
    found = body(tokenizer, new_request(SamplingParams(num_logprobs=2, num_prompt_logprobs=3)))
    assert (found["top_logprobs_num"], found["logprob_start_len"], found["stream"]) == (3, 0, False)
    found = body(tokenizer, new_request(SamplingParams(num_logprobs=2, num_prompt_logprobs=3)), index=1)
    assert (found["top_logprobs_num"], "logprob_start_len" in found) == (2, False)
    found = body(tokenizer, new_request(SamplingParams(num_logprobs=0, logprob_token_ids=(7, 5))))
    assert found["token_ids_logprob"] == [7, 5]


@pytest.mark.parametrize(
    "documents",
    [
        [answer([1]), answer([1, 2, 3]), answer([1, 2, 3, 4], "length")],
        [answer([1], num_tokens=1), answer([2, 3], num_tokens=3), answer([4], "length", num_tokens=4)],
        [answer([]), answer([1, 2, 3, 4], num_tokens=4), answer([], "length", num_tokens=4)],
    ],
    ids=["cumulative", "incremental", "empty"],
)
def test_each_token_is_read_once(tokenizer: Tokenizer, documents: list[dict[str, Any]]) -> None:
    assert [token.token_id for token in read(tokenizer, *documents)] == [1, 2, 3, 4]


def test_the_last_token_of_a_sequence_that_the_server_stopped_is_marked(tokenizer: Tokenizer) -> None:
    found = read(tokenizer, answer([1]), answer([1, 2, 3], "stop"))
    assert [token.is_complete for token in found] == [False, False, True]
    assert not any(token.is_at_limit for token in found)
    found = read(tokenizer, answer([1]), answer([1, 2, 3], "length"))
    assert [token.is_at_limit for token in found] == [False, False, True]
    assert not any(token.is_complete for token in found)


def test_the_bound_of_an_event_has_room_for_all_tokens_of_its_sequence(tokenizer: Tokenizer) -> None:
    num = 12_000
    sampling = SamplingParams(num_logprobs=20)
    scored = [-123.45678901234567, 123456, None]
    document = answer(
        [123456] * num, output_token_logprobs=[scored] * num, output_top_logprobs=[[scored] * 20] * num
    )
    size = len(json.dumps(document))
    assert 8 * 2**20 < size < API.max_event_bytes(new_request(sampling, max_tokens=num)) < 3 * size
    assert API.max_event_bytes(new_request(max_tokens=100)) < 9 * 2**20


@pytest.mark.parametrize("is_incremental", [False, True])
def test_log_probabilities_belong_to_their_tokens(tokenizer: Tokenizer, is_incremental: bool) -> None:
    scored = [[-0.1, 5, None], [-0.2, 6, None], [-0.3, 7, "x"]]
    ranked = [[[-0.1, 5, None], [-1.0, 9, None]], [[-0.05, 9, None], [-0.2, 6, None]], [[-0.3, 7], [None, 8]]]
    start = 1 if is_incremental else 0
    documents = [
        answer([5], num_tokens=1, output_token_logprobs=scored[:1], output_top_logprobs=ranked[:1]),
        answer(
            [5, 6, 7][start:],
            "length",
            num_tokens=3,
            output_token_logprobs=scored[start:],
            output_top_logprobs=ranked[start:],
        ),
    ]
    found = read(tokenizer, *documents, sampling=SamplingParams(num_logprobs=2))
    assert [(token.token_id, token.logprob) for token in found] == [(5, -0.1), (6, -0.2), (7, -0.3)]
    assert [[one.token_id for one in token.top_logprobs] for token in found] == [[5, 9], [9, 6], [7]]


def test_named_tokens_are_listed_in_the_order_of_the_request(tokenizer: Tokenizer) -> None:
    document = answer(
        [5],
        "length",
        output_token_logprobs=[[-0.1, 5, None]],
        output_token_ids_logprobs=[[[-2.0, 3, None], [-1.0, 4, None]]],
    )
    sampling = SamplingParams(num_logprobs=0, logprob_token_ids=(4, 3))
    (found,) = read(tokenizer, document, sampling=sampling)
    assert [(one.token_id, one.logprob) for one in found.top_logprobs] == [(4, -1.0), (3, -2.0)]


def test_the_prompts_log_probabilities_are_read_once(tokenizer: Tokenizer) -> None:
    reader = API.reader(new_request(SamplingParams(num_prompt_logprobs=1)), tokenizer)
    document = answer(
        [5],
        "length",
        cached_tokens=1,
        input_token_logprobs=[[None, 1, None], [-2.5, 2, None]],
        input_top_logprobs=[None, [[-0.5, 9, None], [-0.7, 8, None]]],
    )
    assert [token.token_id for token in reader.read(json.dumps(document).encode())] == [5]
    assert reader.prompt is not None and reader.num_cached_tokens == 1
    assert [one.logprob for one in reader.prompt] == [None, -2.5]
    assert [[one.token_id for one in each.top_logprobs] for each in reader.prompt] == [[], [9]]


def test_the_prompt_is_read_of_the_first_sequence_alone(tokenizer: Tokenizer) -> None:
    """SGLang answers every request for log-probabilities with those of the prompt's last token at least."""
    sampling = SamplingParams(num_logprobs=0, num_prompt_logprobs=0)
    reader = API.reader(new_request(sampling), tokenizer, 1)
    document = answer(
        [5],
        "length",
        output_token_logprobs=[[-0.1, 5, None]],
        input_token_logprobs=[[None, 2, None]],
        input_top_logprobs=[None],
    )
    assert [token.token_id for token in reader.read(json.dumps(document).encode())] == [5]
    assert reader.prompt is None


MALFORMED: dict[str, tuple[list[dict[str, Any]], SamplingParams]] = {
    "fewer tokens than before": ([answer([1, 2]), answer([1])], SamplingParams()),
    "tokens that are not counted": ([answer([1, 2], num_tokens=5)], SamplingParams()),
    "no account of the tokens": ([{"output_ids": [1]}], SamplingParams()),
    "an id outside the vocabulary": ([answer([10**6])], SamplingParams()),
    "no log-probabilities": ([answer([1])], SamplingParams(num_logprobs=0)),
    "those of another token": (
        [answer([1], output_token_logprobs=[[-1.0, 2, None]])],
        SamplingParams(num_logprobs=0),
    ),
    "another prompt": (
        [answer([1], input_token_logprobs=[[None, 9, None]])],
        SamplingParams(num_prompt_logprobs=0),
    ),
}


@pytest.mark.parametrize("documents, sampling", MALFORMED.values(), ids=MALFORMED)
def test_what_the_api_does_not_define_is_malformed(
    tokenizer: Tokenizer, documents: list[dict[str, Any]], sampling: SamplingParams
) -> None:
    with pytest.raises(Malformed):
        read(tokenizer, *documents, sampling=sampling)


def test_errors_in_a_stream_have_a_status(tokenizer: Tokenizer) -> None:
    with pytest.raises(UpstreamError) as raised:
        read(tokenizer, {"error": {"message": "top_p\n must be"}})
    assert (raised.value.status, raised.value.reason) == (400, "top_p must be")
    with pytest.raises(UpstreamError) as raised:
        read(tokenizer, {"error": {"message": "no encoder", "code": 503, "retryable": True}})
    assert raised.value.status == 503
    abort = {"type": "abort", "message": "queue is full", "status_code": 503}
    with pytest.raises(UpstreamError) as raised:
        read(tokenizer, answer([], num_tokens=0, finish_reason=abort))
    assert raised.value.status == 503


def test_the_end_of_a_stream_holds_no_token(tokenizer: Tokenizer) -> None:
    assert list(API.reader(new_request(), tokenizer).read(DONE)) == []


def test_facts_are_the_caches_size_and_what_seeds_do() -> None:
    told = {"page_size": 16, "max_total_num_tokens": 1000, "x": 1}
    told |= {"enable_deterministic_inference": True, "incremental_streaming_output": True}
    facts = API.read_facts(json.dumps(told).encode())
    assert (facts.num_blocks, facts.block_size, facts.max_total_tokens) == (62, 16, 1000)
    assert facts.warnings == ()
    seeds, events = API.read_facts(b"{}").warnings
    assert "seeds" in seeds and "--incremental-streaming-output" in events
    assert API.read_facts(b"<html>").warnings == ()


@pytest.mark.parametrize(
    "options, sent",
    [
        ({}, {}),
        ({"enable_priority_scheduling": True}, {"priority": -4}),
        (
            {"enable_priority_scheduling": True, "schedule_low_priority_values_first": True},
            {"priority": 4},
        ),
    ],
)
def test_a_priority_is_sent_in_the_order_of_the_server(
    tokenizer: Tokenizer, options: dict[str, bool], sent: dict[str, int]
) -> None:
    fitted = API.fitted(API.read_facts(json.dumps(options).encode()))
    assert ("priority" in fitted.capabilities.missing) == (not sent)
    request = replace(new_request(), priority=4)
    assert json.loads(fitted.encode(request, 0, "m", tokenizer)).items() >= sent.items()
    if sent:  # a request without one would come last
        assert json.loads(fitted.encode(new_request(), 0, "m", tokenizer))["priority"] == 0
    else:
        assert "priority" not in json.loads(fitted.encode(request, 0, "m", tokenizer))


def test_an_adapter_is_asked_for_by_its_name(tokenizer: Tokenizer) -> None:
    assert body(tokenizer, replace(new_request(), adapter="poet"))["lora_path"] == "poet"
    assert "lora_path" not in body(tokenizer, new_request())
