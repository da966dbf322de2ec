"""openai-python and responses in the background, with its own strict validation of all that it is sent."""

import time
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai import OpenAI
from openai.types.responses import Response

OPTIONS: dict[str, Any] = {"model": "verbatim-demo", "input": "Hello! Who are you?", "temperature": 0}
LONG: dict[str, Any] = {**OPTIONS, "extra_body": {"ignore_eos": True}}


@pytest.fixture
def client(server_url: str) -> Iterator[OpenAI]:
    with OpenAI(
        base_url=f"{server_url}/openai/v1", api_key="-", max_retries=0, _strict_response_validation=True
    ) as client:
        yield client


def ended(client: OpenAI, id: str) -> Response:
    for _ in range(600):
        response = client.responses.retrieve(id, include=["message.output_text.logprobs"])
        if response.status not in ("queued", "in_progress"):
            return response
        time.sleep(0.05)
    raise TimeoutError(id)


def test_an_answer_is_fetched_later(client: OpenAI) -> None:
    queued = client.responses.create(**OPTIONS, background=True)
    assert queued.status == "queued" and queued.background
    whole = client.responses.create(**OPTIONS)
    found = ended(client, queued.id)
    assert found.status == "completed" and found.output_text == whole.output_text
    assert client.responses.cancel(queued.id) == found
    with pytest.raises(openai.BadRequestError):
        client.responses.cancel(whole.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.cancel("resp_0")


def test_a_cancelled_answer_stops(client: OpenAI) -> None:
    queued = client.responses.create(**LONG, background=True)
    cancelled = client.responses.cancel(queued.id)
    assert cancelled.status == "cancelled"
    assert client.responses.cancel(queued.id) == cancelled == client.responses.retrieve(queued.id)


def test_a_stream_is_taken_up_again_where_it_was_left(client: OpenAI) -> None:
    begun = client.responses.create(**OPTIONS, background=True, stream=True)
    first = []
    for event in begun:
        first.append(event)
        if event.type == "response.output_text.delta":
            break
    begun.close()
    assert first[0].type == "response.created" and first[1].type == "response.queued"
    last = first[-1].sequence_number
    rest = list(client.responses.retrieve(first[0].response.id, stream=True, starting_after=last))
    numbers = [event.sequence_number for event in (*first, *rest)]
    assert numbers == list(range(len(numbers)))
    assert rest[-1].type == "response.completed"
    pieces = [event.delta for event in (*first, *rest) if event.type == "response.output_text.delta"]
    assert "".join(pieces) == rest[-1].response.output_text
    with client.responses.stream(response_id=first[0].response.id) as stream:
        assert stream.get_final_response().output_text == rest[-1].response.output_text
