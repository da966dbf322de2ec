"""Answers of every contract's operations, stream events included, in the judgement of a second validator.

schemathesis reads the twin that fuzzing needs; openapi-core reads the document that is served.
"""

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import httpx
import pytest
from openapi_core import Config, OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse

from handlers.composition import TABLES
from tests.contract.requests.paths import is_of
from tests.support.samples.contracts import Exchange, samples_of

Judge = Callable[[str], OpenAPI]


@pytest.fixture(scope="module")
def judge(server_url: str) -> Judge:
    """A contract's document, as this server serves it."""

    @cache
    def read(contract: str) -> OpenAPI:
        document = httpx.get(f"{server_url}/{contract}/openapi.json").json()
        document["servers"] = [{"url": f"{server_url}/{contract}"}]
        readers: dict[str, Callable[[bytes], Any]] = {
            "text/event-stream": _read_event,
            "application/octet-stream": _read_file,
        }
        config = Config(extra_media_type_deserializers=readers)
        return OpenAPI.from_dict(document, config=config)

    return read


@pytest.mark.parametrize("contract", TABLES)
def test_the_exchanges_cover_every_operation(contract: str) -> None:
    succeed = [exchange for exchange in samples_of(contract).exchanges if exchange.status < 300]
    missing = [
        operation.id
        for operation in TABLES[contract]
        if not operation.form  # test_forms.py has them answered by a model that reads files
        and not any(is_of(operation, exchange.method, exchange.path) for exchange in succeed)
    ]
    assert not missing


@pytest.mark.parametrize(
    ("contract", "exchange"),
    [(contract, exchange) for contract in TABLES for exchange in samples_of(contract).exchanges],
    ids=lambda value: f"{value.path} {value.status}" if isinstance(value, Exchange) else value,
)
def test_answers_are_what_the_served_document_declares(
    judge: Judge, server_url: str, contract: str, exchange: Exchange
) -> None:
    headers = samples_of(contract).headers
    found: dict[str, Any] = {}
    for earlier, body in exchange.before:
        ready = httpx.post(
            f"{server_url}/{contract}{earlier}", **sent(body, found), headers=headers, timeout=100
        )
        ready.raise_for_status()
        found = ready.json() if ready.headers["content-type"] == "application/json" else {}
    path = exchange.path.format(**found)
    url = f"{server_url}/{contract}{path}"
    asked = {} if exchange.body is None else sent(exchange.body, found)
    answer = httpx.request(exchange.method, url, **asked, headers=headers, timeout=100)
    for path, body in exchange.after:
        httpx.post(f"{server_url}/{contract}{path}", json=body).raise_for_status()
    assert answer.status_code == exchange.status, answer.text
    parts = list(parts_of(answer))
    assert parts
    for part in parts:
        validate(judge(contract), url, exchange, answer, part)


def sent(body: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Return how httpx sends a body: as a form, if it has a file. found: the answer before."""
    body = {name: value.format(**found) if value == "{id}" else value for name, value in body.items()}
    files = {name: value for name, value in body.items() if isinstance(value, bytes)}
    if not files:
        return {"json": body}
    return {"files": files, "data": {name: value for name, value in body.items() if name not in files}}


def test_the_judge_refuses_an_answer_that_is_not_declared(judge: Judge, server_url: str) -> None:
    exchange = next(
        one for one in samples_of("tgi").exchanges if (one.path, one.status) == ("/generate", 200)
    )
    answer = httpx.Response(200, json={"text": "the wrong key"})
    with pytest.raises(OpenAPIError):
        validate(judge("tgi"), f"{server_url}/tgi/generate", exchange, answer, answer.content)


def _read_event(data: bytes, **parameters: str) -> object:
    """parameters: those of the media type, such as its charset."""
    event: object = json.loads(data)
    return event


def _read_file(data: bytes, **parameters: str) -> str:
    """Any bytes are a file, which schemas call a string."""
    return data.decode("latin-1")


def parts_of(answer: httpx.Response) -> Iterator[bytes]:
    """The whole body, or the data of each event but the terminator."""
    if not answer.headers.get("content-type", "").startswith("text/event-stream"):
        yield answer.content
        return
    for line in answer.text.splitlines():
        if line and line != "data: [DONE]" and not line.startswith("event: "):
            assert line.startswith("data: ")
            yield line.removeprefix("data: ").encode()


def validate(judge: OpenAPI, url: str, exchange: Exchange, answer: httpx.Response, part: bytes) -> None:
    url = url.partition("?")[0]  # the query decides nothing of an answer's form
    host, path = url[: url.index("/", 8)], url[url.index("/", 8) :]
    body = json.dumps(exchange.body).encode()
    request = MockRequest(host, exchange.method.lower(), path, data=body, content_type="application/json")
    content_type = answer.headers.get("content-type", "")
    response = MockResponse(part, answer.status_code, dict(answer.headers), content_type)
    judge.validate_response(request, response)
