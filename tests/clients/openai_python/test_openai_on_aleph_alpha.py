"""openai-python against Aleph Alpha's chat, whose wire it reads unchanged."""

from collections.abc import Iterator

import openai
import pytest
from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam

MODEL = "verbatim-demo"
QUESTION: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Hello! Who are you?"}]


@pytest.fixture
def client(server_url: str) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{server_url}/aleph_alpha", api_key="-", max_retries=0) as client:
        yield client


def test_a_chat_streams_what_it_answers_with_logprobs(client: OpenAI) -> None:
    whole = client.chat.completions.create(
        model=MODEL, messages=QUESTION, max_tokens=40, temperature=0, logprobs=True, top_logprobs=2
    )
    chunks = list(
        client.chat.completions.create(
            model=MODEL,
            messages=QUESTION,
            max_tokens=40,
            temperature=0,
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    (choice,) = whole.choices
    told = [chunk.choices[0] for chunk in chunks[:-1]]
    assert "".join(one.delta.content or "" for one in told) == choice.message.content
    assert told[-1].finish_reason == choice.finish_reason == "stop"
    assert chunks[-1].choices == [] and chunks[-1].usage == whole.usage
    assert choice.logprobs is not None and choice.logprobs.content
    joined = b"".join(bytes(token.bytes or ()) for token in choice.logprobs.content)
    assert joined.decode() == choice.message.content
    assert all(len(token.top_logprobs) == 2 for token in choice.logprobs.content)


def test_a_refused_field_is_a_bad_request_that_names_it(client: OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(
            model=MODEL, messages=QUESTION, response_format={"type": "json_object"}
        )
    assert "response_format" in refused.value.response.json()["error"]


def test_messages_out_of_order_are_a_bad_request_that_names_the_place(client: OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model=MODEL, messages=[*QUESTION, *QUESTION])
    assert "messages[1].role" in refused.value.response.json()["error"]
