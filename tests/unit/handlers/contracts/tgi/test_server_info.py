"""The server's own routes: /info, /v1/models, /metrics."""

import pytest

from engine.port.errors import GenerationFailed
from handlers.version import VERSION
from tests.support.scripted.engine import fails_after, says
from tests.unit.handlers.contracts.tgi.api import Api, generate_body


async def test_info_tells_the_limits_that_are_kept() -> None:
    info = await Api(says("a"), max_best_of=7, max_input_tokens=20, max_concurrent_requests=9).info()
    assert info["max_best_of"] == 7
    assert (info["max_input_tokens"], info["max_total_tokens"]) == (20, 200)
    assert info["max_concurrent_requests"] == 9
    assert info["version"] == VERSION


async def test_info_leaves_one_token_of_the_context_to_the_output() -> None:
    for limit in (None, 1000):
        info = await Api(says("a"), max_input_tokens=limit).info()
        assert info["max_input_tokens"] == 199


async def test_info_and_models_name_the_model_as_it_was_asked_for() -> None:
    api = Api(says("a"), model="some/model")
    models = (await api.get("/v1/models")).json()
    assert models["object"] == "list"
    assert [model["id"] for model in models["data"]] == ["some/model"]
    assert (await api.info())["model_id"] == "some/model"


async def test_metrics_count_answers_and_failures_once_each() -> None:
    api = Api(says("a"))
    await api.post("/generate", generate_body())
    await api.post("/generate", generate_body(max_new_tokens=1000))
    text = (await api.get("/metrics")).text
    assert "tgi_request_count 2.0" in text
    assert "tgi_request_success 1.0" in text
    assert 'tgi_request_failure{err="validation"} 1.0' in text
    assert "tgi_request_generated_tokens_sum 2.0" in text


@pytest.mark.parametrize(
    "path", ["/", "/generate", "/generate_stream", "/v1/chat/completions", "/v1/completions"]
)
async def test_metrics_count_a_request_whose_body_is_refused(path: str) -> None:
    api = Api(says("a"))
    assert (await api.post(path, generate_body(top_p=2) | {"top_p": 2, "prompt": "a"})).status_code == 422
    text = (await api.get("/metrics")).text
    assert "tgi_request_count 1.0" in text
    assert 'tgi_request_failure{err="validation"} 1.0' in text


async def test_metrics_count_what_asks_for_no_text_as_no_request() -> None:
    api = Api(says("a"))
    assert (await api.post("/tokenize", generate_body(""))).status_code == 422
    text = (await api.get("/metrics")).text
    assert "tgi_request_count 0.0" in text
    assert 'tgi_request_failure{err="validation"} 0.0' in text


async def test_metrics_count_a_stream_that_fails_midway() -> None:
    api = Api(fails_after(GenerationFailed("no memory"), "a"))
    await api.post("/generate_stream", generate_body())
    text = (await api.get("/metrics")).text
    assert 'tgi_request_failure{err="generation"} 1.0' in text
    assert "tgi_request_success 0.0" in text


async def test_metrics_are_prometheus_text() -> None:
    response = await Api(says("a")).get("/metrics")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
