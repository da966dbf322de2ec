"""The example in every method's docstring runs as it is written, against the server."""

import inspect
import json
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import pytest
from contracts import CONTRACTS, contract_module


def examples(client: str) -> Iterator[Any]:
    """Each method of each contract's `Client` or `AsyncClient`, with the code that its docstring shows."""
    for contract in CONTRACTS:
        kind = getattr(contract_module(contract), client)
        for name in vars(kind):
            method = getattr(kind, name)
            if inspect.isfunction(method):
                text = inspect.getdoc(method) or ""
                code = textwrap.dedent(text.split("Example::\n")[1])
                yield pytest.param(contract, code, id=f"{contract}-{name}")


@pytest.mark.parametrize(("contract", "code"), list(examples("Client")))
def test_an_example_runs(server_url: str, contract: str, code: str) -> None:
    seen: list[object] = []
    code = with_stored(server_url, code)
    with contract_module(contract).Client(f"{server_url}/{contract}") as client:
        names: dict[str, object] = {"client": client, "print": seen.append, "open": open_file}
        with refused_if_it_sends_speech(contract, code):
            exec(code, names)
            assert_answered(code, names, seen)


@pytest.mark.parametrize(("contract", "code"), list(examples("AsyncClient")))
async def test_an_asynchronous_example_runs(server_url: str, contract: str, code: str) -> None:
    seen: list[object] = []
    code = with_stored(server_url, code)
    function = f"async def example():\n{textwrap.indent(code, '    ')}\n    return locals()"
    async with contract_module(contract).AsyncClient(f"{server_url}/{contract}") as client:
        names: dict[str, Any] = {"client": client, "print": seen.append, "open": open_file}
        exec(function, names)
        with refused_if_it_sends_speech(contract, code):
            assert_answered(code, await names["example"](), seen)


def with_stored(server_url: str, code: str) -> str:
    """Return the code with ids of what the server has stored in the place of those that it names."""
    with contract_module("openai").Client(f"{server_url}/openai") as client:
        for name, store in STORED.items():
            if name in code:
                code = code.replace(name, store(client))
    return code


def _response(client: Any) -> str:
    """Store a response whose stream can be taken up again, and which could have been cancelled."""
    with client.stream_create_response(model="verbatim-demo", input="Hi", background=True) as events:
        first, *_ = events
    return str(first.response.id)


def _conversation(client: Any) -> str:
    item = {"type": "message", "id": "msg_0f3b", "role": "user", "content": "Hello!"}
    return str(client.create_conversation(items=[item]).id)


def _file(client: Any) -> str:
    """Store a file of one request, whose answer takes a while."""
    body = {"model": "verbatim-demo", "prompt": "Hello", "max_tokens": 400, "ignore_eos": True}
    line = {"custom_id": "a", "method": "POST", "url": "/v1/completions", "body": body}
    return str(client.create_file(file=("requests.jsonl", json.dumps(line).encode()), purpose="batch").id)


def _batch(client: Any) -> str:
    request = {"input_file_id": _file(client), "endpoint": "/v1/completions", "completion_window": "24h"}
    return str(client.create_batch(**request).id)


# By the id that examples have, what stores such a thing and returns the id of that.
STORED: dict[str, Callable[[Any], str]] = {
    "resp_0f3c": _response,
    "conv_0f3c": _conversation,
    "file-0f3c": _file,
    "batch_0f3c": _batch,
}


def open_file(name: str, mode: str) -> BytesIO:
    """Stand for `open`: there are files of the names that examples say, which nobody must close."""
    assert name in ("speech.wav", "requests.jsonl") and mode == "rb"
    return BytesIO(bytes(64))


@contextmanager
def refused_if_it_sends_speech(contract: str, code: str) -> Iterator[None]:
    """Expect a refusal of the model where the code sends a sound: that of the server is of text."""
    if "speech.wav" not in code:
        yield
        return
    with pytest.raises(contract_module(contract).BadRequestError) as refused:
        yield
    assert refused.value.body.error.param == "model"


def assert_answered(code: str, names: dict[str, Any], seen: list[object]) -> None:
    """An answer where the code names one, events where it reads them."""
    assert ("answer = " in code) == (names.get("answer") is not None)
    assert ("print(" in code) == bool(seen)


def test_every_operation_has_an_example() -> None:
    assert len(list(examples("Client"))) == len(list(examples("AsyncClient"))) >= 60
