"""openai-python against `/v1/files` and `/v1/batches`; and servers that are killed while they run a batch."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import OpenAI
from openai.types import Batch

from tests.conftest import LIMITS, running_server

MODEL = "verbatim-demo"


def client_of(url: str) -> OpenAI:
    return OpenAI(base_url=f"{url}/openai/v1", api_key="-", max_retries=0, _strict_response_validation=True)


@pytest.fixture
def client(server_url: str) -> Iterator[OpenAI]:
    with client_of(server_url) as client:
        yield client


def requests(num: int, **fields: Any) -> bytes:
    body = {"model": MODEL, "messages": [{"role": "user", "content": "Hello!"}], "max_tokens": 8, **fields}
    return b"\n".join(
        json.dumps(
            {"custom_id": f"request-{at}", "method": "POST", "url": "/v1/chat/completions", "body": body}
        ).encode()
        for at in range(num)
    )


def begun(client: OpenAI, content: bytes) -> Batch:
    file = client.files.create(file=("requests.jsonl", content), purpose="batch")
    return client.batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h"
    )


def ended(client: OpenAI, batch: Batch) -> Batch:
    deadline = time.monotonic() + 300
    while (now := client.batches.retrieve(batch.id)).status not in ("completed", "failed", "cancelled"):
        assert time.monotonic() < deadline, now
        time.sleep(0.1)
    return now


def answers(client: OpenAI, batch: Batch) -> list[Any]:
    assert batch.output_file_id is not None
    return [json.loads(line) for line in client.files.content(batch.output_file_id).text.splitlines()]


def test_a_file_is_stored_listed_read_and_deleted(client: OpenAI) -> None:
    content = bytes(range(256))
    file = client.files.create(
        file=("bytes", content),
        purpose="user_data",
        expires_after={"anchor": "created_at", "seconds": 3600},
    )
    assert (file.bytes, file.filename, file.purpose) == (256, "bytes", "user_data")
    assert file.expires_at == file.created_at + 3600
    assert client.files.retrieve(file.id) == file
    assert file.id in [one.id for one in client.files.list(purpose="user_data", limit=1)]
    assert client.files.content(file.id).read() == content
    assert client.files.delete(file.id).deleted
    with pytest.raises(openai.NotFoundError, match="No such File object"):
        client.files.retrieve(file.id)


def test_a_batch_answers_each_line(client: OpenAI) -> None:
    batch = begun(client, requests(5))
    assert batch.status == "validating"
    done = ended(client, batch)
    assert done.status == "completed" and done.request_counts is not None
    assert (done.request_counts.total, done.request_counts.completed) == (5, 5)
    lines = answers(client, done)
    assert [line["custom_id"] for line in lines] == [f"request-{at}" for at in range(5)]
    assert all(line["response"]["body"]["choices"][0]["message"]["content"] for line in lines)
    assert batch.id in [one.id for one in client.batches.list()]


def test_a_batch_of_wrong_lines_names_them(client: OpenAI) -> None:
    done = ended(client, begun(client, b"{}"))
    assert done.status == "failed" and done.errors is not None and done.errors.data is not None
    assert [(error.line, error.param) for error in done.errors.data] == [(1, "custom_id")]


def test_a_batch_can_be_cancelled_once(client: OpenAI) -> None:
    batch = begun(client, requests(200, max_tokens=300, ignore_eos=True))
    assert client.batches.cancel(batch.id).status == "cancelling"
    done = ended(client, batch)
    assert done.status == "cancelled"
    with pytest.raises(openai.ConflictError):
        client.batches.cancel(batch.id)


@pytest.mark.timeout(900)  # with six starts of servers
@pytest.mark.parametrize("options", [(), ("--api-workers", "2")], ids=["one process", "API workers"])
def test_a_killed_server_goes_on_and_has_each_line_once(tmp_path: Path, options: tuple[str, ...]) -> None:
    num = 30
    options = (*LIMITS, "--store", str(tmp_path / "store"), *options)
    batch: Batch | None = None
    for _ in range(1):
        with running_server(*options) as server, client_of(server.url) as client:
            batch = begun(client, requests(num, max_tokens=20, ignore_eos=True)) if batch is None else batch
            first = client.batches.retrieve(batch.id).request_counts
            deadline = time.monotonic() + 200
            while True:
                now = client.batches.retrieve(batch.id)
                assert now.request_counts is not None and first is not None
                if now.request_counts.completed > first.completed + 5 or now.status == "completed":
                    break
                assert time.monotonic() < deadline, now
                time.sleep(0.02)
            server.process.kill()
    with running_server(*options) as server, client_of(server.url) as client:
        assert batch is not None
        done = ended(client, batch)
        assert done.request_counts is not None
        assert (done.status, done.request_counts.completed) == ("completed", num)
        lines = answers(client, done)
        assert [line["custom_id"] for line in lines] == [f"request-{at}" for at in range(num)]
