"""The routes about the server itself, about texts and about the cost of answers."""

import pytest

from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.hf.api import Api, chat, completion, generate_body

TIMES = ["x-total-time", "x-validation-time", "x-queue-time", "x-inference-time", "x-time-per-token"]


@pytest.mark.parametrize(
    ("path", "body"),
    [("/generate", generate_body()), ("/v1/chat/completions", chat()), ("/v1/completions", completion())],
)
async def test_a_whole_answer_tells_its_times_in_milliseconds_and_its_tokens(
    path: str, body: dict[str, object]
) -> None:
    headers = (await Api(says("a", "b"), compute_type="cpu+test").post(path, body)).headers
    times = {name: float(headers[name]) for name in TIMES}
    assert times["x-queue-time"] == 250.0
    assert any(not value.is_integer() for value in times.values())
    assert headers["x-compute-type"] == "cpu+test"
    assert int(headers["x-generated-tokens"]) == 3
    assert int(headers["x-prompt-tokens"]) > 1
    assert int(headers["x-compute-characters"]) >= 2


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/generate_stream", generate_body()),
        ("/v1/chat/completions", chat(stream=True)),
        ("/v1/completions", completion(stream=True)),
    ],
)
async def test_a_stream_tells_what_is_known_before_it_begins(path: str, body: dict[str, object]) -> None:
    headers = (await Api(says("a")).post(path, body)).headers
    assert {"x-compute-type", "x-compute-characters"} <= set(headers)
    assert not set(TIMES) & set(headers)


async def test_info_has_its_own_keys_and_what_this_server_knows() -> None:
    info = await Api(says("x"), max_best_of=3).info()
    assert info["max_best_of"] == 3
    assert info["max_input_length"] == 199
    assert info["max_total_tokens"] == 200
    assert info["model_device_type"] == "cpu"
    assert not {"max_input_tokens", "router", "waiting_served_ratio", "max_waiting_tokens"} & set(info)


async def test_models_are_a_list_of_one() -> None:
    listed = (await Api(says("x")).get("/v1/models")).json()
    assert listed["object"] == "list"
    (model,) = listed["data"]
    assert (model["id"], model["object"]) == ("verbatim-demo", "model")


async def test_tokens_are_told_with_their_bytes_and_kind() -> None:
    tokens = await Api(says("x")).answer("/tokenize", {"inputs": "é!<|im_end|>"})
    assert [token["text"] for token in tokens][-1] == "<|im_end|>"
    assert [token["special"] for token in tokens][-1] is True
    assert tokens[-1]["stop"] == len("é!<|im_end|>".encode())


async def test_metrics_hear_of_this_contracts_requests() -> None:
    api = Api(says("x"))
    await api.post("/generate", generate_body())
    await api.post("/generate", {"inputs": ""})
    text = (await api.get("/metrics")).text
    assert "tgi_request_count 2.0" in text
    assert 'tgi_request_failure{err="validation"} 1.0' in text
