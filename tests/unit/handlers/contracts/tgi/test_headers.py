"""The response headers of the released servers."""

from typing import Any

import pytest

from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.tgi.api import Api, chat, generate_body

MILLISECONDS = ["x-total-time", "x-validation-time", "x-queue-time", "x-inference-time", "x-time-per-token"]
COMPLETIONS: dict[str, Any] = {"prompt": ["Hi", "Hey"]}
WHOLE = [
    ("/", generate_body()),
    ("/generate", generate_body()),
    ("/v1/chat/completions", chat()),
    ("/v1/completions", COMPLETIONS),
]
STREAMS = [
    ("/", generate_body() | {"stream": True}),
    ("/generate_stream", generate_body()),
    ("/v1/chat/completions", chat(stream=True)),
    ("/v1/completions", COMPLETIONS | {"stream": True}),
]


@pytest.mark.parametrize(("path", "body"), WHOLE)
async def test_a_whole_answer_tells_its_times_in_whole_milliseconds_and_its_tokens(
    path: str, body: dict[str, Any]
) -> None:
    headers = (await Api(says("a", "b")).post(path, body)).headers
    times = {name: int(headers[name]) for name in MILLISECONDS}
    assert times["x-queue-time"] == 250
    num_prompts = 2 if path == "/v1/completions" else 1
    assert int(headers["x-generated-tokens"]) == 3 * num_prompts
    assert int(headers["x-prompt-tokens"]) > 1


@pytest.mark.parametrize(("path", "body"), WHOLE)
async def test_compute_time_is_in_seconds_and_not_on_completions(path: str, body: dict[str, Any]) -> None:
    headers = (await Api(says("a")).post(path, body)).headers
    if path == "/v1/completions":
        assert "x-compute-time" not in headers
    else:
        assert 0 < float(headers["x-compute-time"]) < 60


@pytest.mark.parametrize(("path", "body"), STREAMS)
async def test_a_stream_tells_what_is_known_before_it_begins(path: str, body: dict[str, Any]) -> None:
    headers = (await Api(says("a")).post(path, body)).headers
    assert headers["x-accel-buffering"] == "no"
    assert headers["cache-control"] == "no-cache"
    assert headers["x-compute-type"] == "cpu"
    assert not set(headers) & {*MILLISECONDS, "x-compute-time", "x-generated-tokens"}


@pytest.mark.parametrize(("path", "body"), [*WHOLE, *STREAMS])
async def test_compute_characters_counts_the_prompt_as_the_model_gets_it(
    path: str, body: dict[str, Any]
) -> None:
    api = Api(says("a"))
    headers = (await api.post(path, body)).headers
    prompts = [
        api.engine.tokenizer.decode(request.prompt.token_ids, skip_special_tokens=False)
        for request in api.engine.requests
    ]
    assert int(headers["x-compute-characters"]) == sum(map(len, prompts))


async def test_the_compute_type_is_the_operators_if_set() -> None:
    response = await Api(says("a"), compute_type="1-nvidia-a10g").post("/generate", generate_body())
    assert response.headers["x-compute-type"] == "1-nvidia-a10g"
