"""Requests and answers in the form of Verbatim's own token API, beyond vLLM's."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from engine.port.media_item import FilePrompt
from engine.port.request import GenerationRequest, Media, MediaKind, SamplingParams, StopConditions, Watermark
from engine.port.text.tokenizer import Tokenizer
from engine.remote.wire.answer_reader import Malformed, UpstreamError
from engine.remote.wire.verbatim import VerbatimApi
from tests.support.engine_requests import generation_request
from tests.unit.engine.port.text.tiny_tokenizers import byte_level

API = VerbatimApi()


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return byte_level()


def new_request(sampling: SamplingParams, **fields: Any) -> GenerationRequest:
    return generation_request(
        request_id="a", token_ids=[1, 2], sampling=sampling, stopping=StopConditions(max_tokens=9), **fields
    )


def sent(tokenizer: Tokenizer, request: GenerationRequest, index: int = 0) -> Any:
    return json.loads(API.encode(request, index, "m", tokenizer))


def test_what_vllm_lacks_is_sent(tokenizer: Tokenizer) -> None:
    sampling = SamplingParams(
        typical_p=0.5, watermark=Watermark(0.25, 3.0), banned_token_ids=(3,), logit_bias={1: float("-inf")}
    )
    body = sent(tokenizer, new_request(sampling, priority=-4))
    params = body["sampling_params"]
    assert (body["priority"], params["typical_p"]) == (-4, 0.5)
    assert params["watermark"] == {"gamma": 0.25, "delta": 3.0}
    assert (params["banned_token_ids"], params["logit_bias"]) == ([3], {"1": -1e30})


@pytest.mark.parametrize("kind, error", [(MediaKind.VIDEO, UpstreamError), (MediaKind.AUDIO, Malformed)])
def test_other_tokens_of_a_video_alone_are_the_files_fault(
    tokenizer: Tokenizer, kind: MediaKind, error: type[Exception]
) -> None:
    """A front counts the parts of a video, and the server finds which of them hold a frame."""
    media = (Media(digest=b"d", position=1, num_tokens=3, kind=kind),)
    prompt = FilePrompt((1, 2, 2, 2), media, (1, 2), (b"data:,",))
    request = replace(new_request(SamplingParams()), prompt=prompt)
    event = b'{"choices": [{"token_ids": [5]}], "prompt_token_ids": %b}'
    assert [token.token_id for token in API.reader(request, tokenizer).read(event % b"[1,2,2,2]")] == [5]
    with pytest.raises(error) as raised:
        API.reader(request, tokenizer).read(event % b"[1,2,2]")
    if isinstance(raised.value, UpstreamError):
        assert (raised.value.status, raised.value.parameter) == (400, "content_parts")
        assert "broken or cut off" in raised.value.reason


def test_a_body_has_the_prompts_files_without_a_copy(tokenizer: Tokenizer) -> None:
    kinds = (MediaKind.IMAGE, MediaKind.VIDEO)
    media = tuple(Media(digest=b"d", position=1 + i, num_tokens=1, kind=kind) for i, kind in enumerate(kinds))
    sources = tuple(b"data:;base64," + b"QUJD" * num for num in (1, 100_000))
    request = replace(new_request(SamplingParams()), prompt=FilePrompt((1, 2, 3), media, (1, 4), sources))
    for index in range(2):
        parts = API.body(request, index, "m", tokenizer)
        assert [any(part is source for part in parts) for source in sources] == [True, True]
        body = json.loads(b"".join(parts))
        files = [(f"{kind.value}_url", source.decode()) for kind, source in zip(kinds, sources, strict=True)]
        assert [(each["type"], each["url"]) for each in body["content_parts"]] == files
        assert (body["token_ids"], body["sampling_params"]["seed"]) == ([1, 4], index)


def test_seeds_have_all_their_bits(tokenizer: Tokenizer) -> None:
    request = new_request(SamplingParams(seed=2**64 - 1))
    assert [sent(tokenizer, request, index)["sampling_params"]["seed"] for index in (0, 1)] == [2**64 - 1, 0]


def test_no_seed_is_sent_that_nobody_asked_for(tokenizer: Tokenizer) -> None:
    assert "seed" not in sent(tokenizer, new_request(SamplingParams(seed=None)))["sampling_params"]


def test_all_answers_are_streamed_and_list_as_many_as_asked(tokenizer: Tokenizer) -> None:
    request = new_request(SamplingParams(num_logprobs=20, num_prompt_logprobs=1))
    assert API.is_streamed(request)
    assert sent(tokenizer, request)["sampling_params"]["logprobs"] == 20


def test_the_first_event_says_how_the_sequence_began(tokenizer: Tokenizer) -> None:
    reader = API.reader(new_request(SamplingParams()), tokenizer)
    start = {"queue_s": 0.5, "cached_tokens": 1}
    choice = {"index": 0, "token_ids": [3], "finish_reason": None, "start": start}
    assert [token.token_id for token in reader.read(json.dumps({"choices": [choice]}).encode())] == [3]
    assert (reader.queue_s, reader.num_cached_tokens) == (0.5, 1)


def test_named_tokens_come_in_the_order_of_the_request(tokenizer: Tokenizer) -> None:
    request = new_request(SamplingParams(num_logprobs=0, logprob_token_ids=(5, 3)))
    scored = [{"token_id": token_id, "logprob": -1.0 * token_id} for token_id in (3, 5)]
    choice = {"token_ids": [3], "logprobs": {"content": [{**scored[0], "top_logprobs": scored}]}}
    (token,) = API.reader(request, tokenizer).read(json.dumps({"choices": [choice]}).encode())
    assert [(top.token_id, top.logprob) for top in token.top_logprobs] == [(5, -5.0), (3, -3.0)]


def test_an_adapter_is_asked_for_as_the_model(tokenizer: Tokenizer) -> None:
    assert sent(tokenizer, new_request(SamplingParams(), adapter="poet"))["model"] == "poet"
