"""openai-python and `/v1/conversations`, with its own strict validation of all that it is sent."""

from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai import OpenAI

OPTIONS: dict[str, Any] = {"model": "verbatim-demo", "max_output_tokens": 60, "temperature": 0}


@pytest.fixture
def client(server_url: str) -> Iterator[OpenAI]:
    with OpenAI(
        base_url=f"{server_url}/openai/v1", api_key="-", max_retries=0, _strict_response_validation=True
    ) as client:
        yield client


def test_a_response_remembers_what_its_conversation_has(client: OpenAI) -> None:
    talk = client.conversations.create(metadata={"topic": "names"})
    client.responses.create(**OPTIONS, input="Hello! My name is Ada.", conversation=talk.id)
    second = client.responses.create(**OPTIONS, input="What is my name?", conversation={"id": talk.id})
    assert second.output_text == "Your name is Ada."
    assert second.conversation and second.conversation.id == talk.id
    items = list(client.conversations.items.list(talk.id, limit=1, order="asc"))
    assert [item.type for item in items] == ["message"] * 4
    assert items[-1].id == second.output[0].id
    client.conversations.items.delete(items[0].id, conversation_id=talk.id)  # type: ignore[arg-type]  # not None
    third = client.responses.create(**OPTIONS, input="Hi", conversation=talk.id)
    assert third.status == "completed"
    client.conversations.delete(talk.id)
    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(**OPTIONS, input="Hi", conversation=talk.id)
    assert refused.value.param == "conversation"


def test_conversations_and_their_items_are_kept_and_deleted(client: OpenAI) -> None:
    talk = client.conversations.create(items=[{"role": "user", "content": "One"}])
    assert client.conversations.retrieve(talk.id) == talk
    assert client.conversations.update(talk.id, metadata={"a": "b"}).metadata == {"a": "b"}
    added = client.conversations.items.create(
        talk.id,
        items=[
            {"role": "user", "content": "Two"},
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "1"},
        ],
        include=["message.input_image.image_url"],
    )
    assert [item.type for item in added.data] == ["message", "function_call", "function_call_output"]
    first = added.data[0]
    assert first.id == added.first_id
    assert client.conversations.items.retrieve(added.first_id, conversation_id=talk.id) == first
    assert client.conversations.items.delete(added.first_id, conversation_id=talk.id).id == talk.id
    with pytest.raises(openai.NotFoundError):
        client.conversations.items.retrieve(added.first_id, conversation_id=talk.id)
    assert client.conversations.delete(talk.id).deleted
    with pytest.raises(openai.NotFoundError):
        client.conversations.retrieve(talk.id)


def test_a_compacted_conversation_goes_on(server_url: str) -> None:
    # Not strict: OpenAI's type of an output has no users' messages, which come back, as there.
    client = OpenAI(base_url=f"{server_url}/openai/v1", api_key="-", max_retries=0)
    first = client.responses.create(**OPTIONS, input="Hello! My name is Ada.")
    compacted = client.responses.compact(model="verbatim-demo", previous_response_id=first.id)
    assert compacted.usage.output_tokens > 0
    assert [item.type for item in compacted.output] == ["message", "compaction"]
    items: list[Any] = [item.to_dict(warnings=False) for item in compacted.output]
    second = client.responses.create(**OPTIONS, input=[*items, {"role": "user", "content": "Hi"}])
    assert second.status == "completed"
    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.compact(model="verbatim-demo", input="long " * 2000)
    assert (refused.value.code, refused.value.param) == ("context_length_exceeded", "input")


def test_a_conversation_and_a_previous_response_exclude_each_other(client: OpenAI) -> None:
    talk, first = client.conversations.create(), client.responses.create(**OPTIONS, input="Hi")
    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(**OPTIONS, input="Hi", conversation=talk.id, previous_response_id=first.id)
    assert (refused.value.code, refused.value.param) == ("mutually_exclusive_parameters", "conversation")
