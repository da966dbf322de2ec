"""Streams and errors of the clients, from the server itself."""

import inspect
import os
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from contracts import CONTRACTS, contract_module

import verbatim_server_client
from verbatim_server_client import aleph_alpha, anthropic, hf, openai, tgi, triton

MODEL = "verbatim-demo"
QUESTION: Any = [{"role": "user", "content": "What is the capital of France?"}]


def test_only_the_clients_are_installed() -> None:
    assert Path(verbatim_server_client.__file__).is_relative_to(sys.prefix)
    assert not [name for name in ("torch", "fastapi", "handlers", "engine", "generated") if find_spec(name)]


def chats() -> Iterator[Any]:
    """Each contract's operation that answers chats, whole and in events."""
    for contract in CONTRACTS:
        for name in ("chat_completions", "create_chat_completion"):
            if hasattr(contract_module(contract).Client, name):
                yield pytest.param(contract, name, id=contract)


@pytest.mark.parametrize(("contract", "name"), list(chats()))
def test_a_stream_joins_to_the_whole_answer(server_url: str, contract: str, name: str) -> None:
    arguments = {"model": MODEL, "messages": QUESTION, "temperature": 0, "max_tokens": 30}
    with contract_module(contract).Client(f"{server_url}/{contract}") as client:
        whole = getattr(client, name)(**arguments)
        with getattr(client, f"stream_{name}")(**arguments) as events:
            texts = [choice.delta.content or "" for event in events for choice in event.choices]
    assert len(texts) > 2
    assert "".join(texts) == whole.choices[0].message.content


def test_named_events_come_as_their_types(server_url: str) -> None:
    with openai.Client(f"{server_url}/openai") as client:
        events = list(client.stream_create_response(model=MODEL, input="What is the capital of France?"))
    assert isinstance(events[0], openai.models.ResponseCreatedEvent)
    assert isinstance(events[-1], openai.models.ResponseCompletedEvent)
    deltas = [event.delta for event in events if isinstance(event, openai.models.ResponseTextDeltaEvent)]
    done = [event.text for event in events if isinstance(event, openai.models.ResponseTextDoneEvent)]
    assert "".join(deltas) == "".join(done) != ""


def test_what_an_answer_cost_is_in_its_headers(server_url: str) -> None:
    with hf.Client(f"{server_url}/hf") as client:
        response = client.with_raw_response.generate(inputs="Once", parameters={"max_new_tokens": 3})
        assert response.headers["x-generated-tokens"] == "3"
        assert float(response.headers["x-inference-time"]) > 0
        assert response.parse().generated_text in response.text
        with client.generate_stream(inputs="Once", parameters={"max_new_tokens": 2}) as events:
            next(events)
            assert events.headers["x-compute-type"]
    with openai.Client(f"{server_url}/openai") as client:
        assert client.with_raw_response.list_models().headers["x-request-id"]


def test_a_list_in_the_query_chooses(server_url: str) -> None:
    with anthropic.Client(f"{server_url}/anthropic") as client:
        assert client.list_models(lifecycle=["retired", "active"]).data[0].id == MODEL
        assert client.list_models(lifecycle=["retired"]).data == []


def test_the_licence_comes_with_the_wheel_and_the_source_archive() -> None:
    built = Path(os.environ["CLIENTS"])
    (wheel,), (source,) = built.glob("*.whl"), built.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as files:
        (name,) = (one for one in files.namelist() if one.endswith(".dist-info/licenses/LICENSE"))
        licence = files.read(name)
    assert b"Apache License" in licence
    with tarfile.open(source) as archive:
        (member,) = (one for one in archive if one.name.count("/") == 1 and one.name.endswith("/LICENSE"))
        file = archive.extractfile(member)
        assert file is not None
        assert file.read() == licence


def test_an_answer_can_be_sent_back(server_url: str) -> None:
    with openai.Client(f"{server_url}/openai") as client:
        first = client.create_chat_completion(model=MODEL, messages=QUESTION)
        messages = [*QUESTION, first.choices[0].message.to_request(), *QUESTION]
        assert client.create_chat_completion(model=MODEL, messages=messages).choices[0].message.content


def test_a_stream_that_is_left_ends_the_work_behind_it(server_url: str) -> None:
    with tgi.Client(f"{server_url}/tgi") as client:
        parameters: tgi.requests.GenerateParameters = {"max_new_tokens": 900, "do_sample": True, "seed": 1}
        with client.generate_stream(inputs="Once", parameters=parameters) as events:
            next(events)
            assert running(client) == 1
        deadline_s = time.monotonic() + 5
        while running(client):
            assert time.monotonic() < deadline_s


def running(client: tgi.Client) -> int:
    """Return the number of requests that the engine is working on."""
    (line,) = (line for line in client.metrics().splitlines() if line.startswith("tgi_batch_current_size "))
    return int(float(line.split()[-1]))


# Methods whose bodies may be empty.
_EMPTY = {("triton", "repository_index"), ("openai", "create_conversation")}


def with_bodies() -> Iterator[Any]:
    """Each method that takes a body, but those whose body may be empty."""
    for contract in CONTRACTS:
        for name, method in vars(contract_module(contract).Client).items():
            takes_body = inspect.isfunction(method) and "body" in inspect.signature(method).parameters
            if takes_body and (contract, name) not in _EMPTY:
                yield pytest.param(contract, name, id=f"{contract}-{name}")


@pytest.mark.parametrize(("contract", "name"), list(with_bodies()))
def test_an_empty_body_is_refused_by_the_contracts_error(server_url: str, contract: str, name: str) -> None:
    module = contract_module(contract)
    client = module.Client(f"{server_url}/{contract}")
    with client, pytest.raises(verbatim_server_client.APIStatusError) as raised:
        for _ in getattr(client, name)(*path_of(module, name)):
            pass
    assert raised.value.status in (400, 415, 422)  # 415: it takes a form
    assert raised.value.body is not None
    assert type(raised.value).__name__ in module.__all__


@pytest.mark.parametrize("contract", CONTRACTS)
async def test_a_path_that_nobody_has_is_404(server_url: str, contract: str) -> None:
    module = contract_module(contract)
    name = next(param.values[1] for param in with_bodies() if param.values[0] == contract)
    async with module.AsyncClient(f"{server_url}/{contract}/nowhere") as client:
        with pytest.raises(verbatim_server_client.APIStatusError) as raised:
            await getattr(client, name)(*path_of(module, name))
    assert raised.value.status == 404


def path_of(module: ModuleType, name: str) -> list[str]:
    """Return the values of a method's path parameters."""
    values = {"model_name": MODEL, "model_version": "1", "conversation_id": "conv_0"}
    taken = inspect.signature(getattr(module.Client, name)).parameters
    return [value for key, value in values.items() if key in taken]


def test_an_unknown_model_is_the_contracts_error(server_url: str) -> None:
    with openai.Client(f"{server_url}/openai") as client, pytest.raises(openai.NotFoundError) as unknown:
        client.create_completion(model="none-such", prompt="a")
    assert unknown.value.body is not None
    assert unknown.value.body.error.code == "model_not_found"
    with aleph_alpha.Client(f"{server_url}/aleph_alpha") as client, pytest.raises(aleph_alpha.NotFoundError):
        client.complete(model="none-such", prompt="a", maximum_tokens=1)
    with triton.Client(f"{server_url}/triton") as client, pytest.raises(triton.BadRequestError):
        client.generate("none-such", text_input="a")


def test_a_wrong_member_is_named(server_url: str) -> None:
    with hf.Client(f"{server_url}/hf") as client, pytest.raises(hf.BadRequestError) as raised:
        client.generate(inputs="a", parameters={"max_new_tokens": -1})
    assert raised.value.body is not None
    assert "max_new_tokens" in raised.value.body.error
    assert raised.value.body.error_type == "validation"


def test_users_who_run_mypy_strictly_are_told_of_no_error(tmp_path: Path) -> None:
    """And of a member that the contract does not have, of a wrong type, and of a missing member."""
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(
        "from verbatim_server_client import openai\n"
        "client = openai.Client()\n"
        "messages: list[openai.requests.ChatCompletionRequestUserMessage]\n"
        'messages = [{"role": "user", "content": "b"}]\n'
        'answer = client.create_chat_completion(model="a", messages=messages, n=2)\n'
        "text: str | None = answer.choices[0].message.content\n"
    )
    bad.write_text(
        "from verbatim_server_client import openai\n"
        "client = openai.Client()\n"
        'client.create_completion(model="a", prompt="b", temprature=1)\n'
        'client.create_completion(model="a", prompt="b", n="1")\n'
        'client.create_completion(prompt="b")\n'
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    subprocess.run([*command, good], check=True)
    told = subprocess.run([*command, bad], capture_output=True, text=True, check=False).stdout
    assert [line.split(":")[1] for line in told.splitlines() if ": error: " in line] == ["3", "4", "5"]
