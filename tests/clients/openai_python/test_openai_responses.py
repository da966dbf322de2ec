"""openai-python against `/v1/responses`, with its own strict validation of all that it is sent."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, Literal

import openai
import pytest
from openai import AsyncOpenAI, OpenAI, pydantic_function_tool
from openai.types.responses import (
    FunctionToolParam,
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseInputParam,
    ResponseOutputMessage,
)
from pydantic import BaseModel

MODEL = "verbatim-demo"
QUESTION = "Hello! Who are you?"
ADD_TOOL: FunctionToolParam = {
    "type": "function",
    "name": "add",
    "description": "Add two numbers.",
    "parameters": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    },
    "strict": True,
}


class Verdict(BaseModel):
    """The type that a structured answer is parsed into."""

    is_number: bool
    size: Literal["small", "large"]


class Add(BaseModel):
    """The arguments of a tool."""

    a: int
    b: int


@pytest.fixture
def client(server_url: str) -> Iterator[OpenAI]:
    with OpenAI(
        base_url=f"{server_url}/openai/v1", api_key="-", max_retries=0, _strict_response_validation=True
    ) as client:
        yield client


@pytest.fixture
async def async_client(server_url: str) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(
        base_url=f"{server_url}/openai/v1", api_key="-", max_retries=0, _strict_response_validation=True
    ) as client:
        yield client


def calls_of(response: Response) -> list[ResponseFunctionToolCall]:
    return [item for item in response.output if isinstance(item, ResponseFunctionToolCall)]


def test_an_answer_has_text_usage_and_the_name_of_its_request(client: OpenAI) -> None:
    response = client.responses.create(model=MODEL, input=QUESTION, max_output_tokens=60, temperature=0)
    assert response.output_text
    assert response.status == "completed"
    assert response.usage is not None and response.usage.output_tokens > 0
    assert response._request_id
    assert response.model == MODEL


def test_streamed_pieces_joined_are_the_answer(client: OpenAI) -> None:
    whole = client.responses.create(model=MODEL, input=QUESTION, max_output_tokens=60, temperature=0)
    pieces, last = [], None
    for event in client.responses.create(
        model=MODEL, input=QUESTION, max_output_tokens=60, temperature=0, stream=True
    ):
        if event.type == "response.output_text.delta":
            pieces.append(event.delta)
        last = event
    assert isinstance(last, ResponseCompletedEvent)
    assert "".join(pieces) == last.response.output_text == whole.output_text


def test_the_stream_helper_accumulates_the_whole_response(client: OpenAI) -> None:
    with client.responses.stream(model=MODEL, input=QUESTION, max_output_tokens=60, temperature=0) as stream:
        snapshots = [event.snapshot for event in stream if event.type == "response.output_text.delta"]
        final = stream.get_final_response()
    assert snapshots[-1] == final.output_text


def test_log_probabilities_come_for_each_token_of_the_text(client: OpenAI) -> None:
    options: dict[str, Any] = {
        "model": MODEL,
        "input": QUESTION,
        "max_output_tokens": 60,
        "temperature": 0,
        "include": ["message.output_text.logprobs"],
        "top_logprobs": 2,
    }
    response = client.responses.create(**options)
    (message,) = [item for item in response.output if isinstance(item, ResponseOutputMessage)]
    (part,) = message.content
    assert part.type == "output_text" and part.logprobs
    assert b"".join(bytes(token.bytes) for token in part.logprobs).decode() == part.text
    assert all(len(token.top_logprobs) == 2 for token in part.logprobs)
    streamed = [
        token.token
        for event in client.responses.create(**options, stream=True)
        if event.type == "response.output_text.delta"
        for token in event.logprobs
    ]
    assert streamed == [token.token for token in part.logprobs]


def test_parse_gives_the_model_that_was_asked_for(client: OpenAI) -> None:
    response = client.responses.parse(
        model=MODEL, input="Is 7 a number?", text_format=Verdict, max_output_tokens=80, temperature=0
    )
    assert isinstance(response.output_parsed, Verdict)


def test_the_stream_helper_parses_too(client: OpenAI) -> None:
    with client.responses.stream(
        model=MODEL, input="Is 7 a number?", text_format=Verdict, max_output_tokens=80, temperature=0
    ) as stream:
        final = stream.get_final_response()
    assert isinstance(final.output_parsed, Verdict)


def test_parse_reads_the_arguments_of_a_call(client: OpenAI) -> None:
    response = client.responses.parse(
        model=MODEL,
        input="What is 12 plus 30?",
        tools=[pydantic_function_tool(Add, name="add", description="Add two numbers.")],
        tool_choice="required",
        max_output_tokens=80,
        temperature=0,
    )
    (call,) = [item for item in response.output if item.type == "function_call"]
    assert isinstance(call.parsed_arguments, Add)


def test_a_tool_loop_by_items_comes_to_the_right_answer(client: OpenAI) -> None:
    items: ResponseInputParam = [{"role": "user", "content": "What is 12 plus 30?"}]
    options: dict[str, Any] = {
        "model": MODEL,
        "tools": [ADD_TOOL],
        "max_output_tokens": 160,
        "temperature": 0,
    }
    first = client.responses.create(input=items, **options)
    (call,) = calls_of(first)
    assert (call.name, json.loads(call.arguments)) == ("add", {"a": 12, "b": 30})
    items += first.output
    items.append({"type": "function_call_output", "call_id": call.call_id, "output": "42"})
    second = client.responses.create(input=items, **options)
    assert "42" in second.output_text


def test_streamed_arguments_joined_are_those_of_the_call(client: OpenAI) -> None:
    pieces, done, added = [], None, None
    for event in client.responses.create(
        model=MODEL,
        input="What is 12 plus 30?",
        tools=[ADD_TOOL],
        tool_choice={"type": "function", "name": "add"},
        max_output_tokens=80,
        temperature=0,
        stream=True,
    ):
        if event.type == "response.output_item.added" and event.item.type == "function_call":
            added = event.item
        elif event.type == "response.function_call_arguments.delta":
            pieces.append(event.delta)
        elif event.type == "response.completed":
            (done,) = calls_of(event.response)
    assert added is not None and done is not None
    assert (added.id, added.call_id, added.name) == (done.id, done.call_id, "add")
    assert "".join(pieces) == done.arguments
    assert set(json.loads(done.arguments)) == {"a", "b"}


def test_a_conversation_goes_on_when_its_items_are_sent_again(client: OpenAI) -> None:
    items: ResponseInputParam = [{"role": "user", "content": "Hi, my name is Ann."}]
    first = client.responses.create(model=MODEL, input=items, max_output_tokens=60, temperature=0)
    items += first.output  # type: ignore[arg-type]  # as the documents of the client write it
    items.append({"role": "user", "content": "What is my name?"})
    second = client.responses.create(model=MODEL, input=items, max_output_tokens=60, temperature=0)
    assert "Ann" in second.output_text


def test_thoughts_are_an_item_that_can_be_sent_back(client: OpenAI) -> None:
    thinks: dict[str, Any] = {
        "model": MODEL,
        "max_output_tokens": 160,
        "temperature": 0,
        "extra_body": {"chat_template_kwargs": {"enable_thinking": True}},
    }
    items: ResponseInputParam = [{"role": "user", "content": "What is 12 plus 30?"}]
    first = client.responses.create(input=items, **thinks)
    thoughts = first.output[0]
    assert thoughts.type == "reasoning" and thoughts.content and thoughts.content[0].text
    assert first.usage is not None and first.usage.output_tokens_details.reasoning_tokens > 0
    assert first.output_text and thoughts.content[0].text not in first.output_text
    items += first.output
    items.append({"role": "user", "content": "Thank you!"})
    assert client.responses.create(input=items, **thinks).output_text


def test_a_bound_of_tokens_is_told_as_the_reason(client: OpenAI) -> None:
    response = client.responses.create(model=MODEL, input=QUESTION, max_output_tokens=1, temperature=0)
    assert response.status == "incomplete"
    assert response.incomplete_details is not None
    assert response.incomplete_details.reason == "max_output_tokens"
    last = list(
        client.responses.create(model=MODEL, input=QUESTION, max_output_tokens=1, temperature=0, stream=True)
    )[-1]
    assert last.type == "response.incomplete"


@pytest.mark.parametrize(
    ("options", "error", "code", "param"),
    [
        ({"temperature": 9}, openai.BadRequestError, "integer_above_max_value", "temperature"),
        (
            {"previous_response_id": "resp_0"},
            openai.BadRequestError,
            "previous_response_not_found",
            "previous_response_id",
        ),
        ({"background": True, "store": False}, openai.BadRequestError, "invalid_value", "background"),
        ({"extra_body": {"unheard_of": 1}}, openai.BadRequestError, "unknown_parameter", "unheard_of"),
        (
            {"tools": [{"type": "web_search"}], "tool_choice": {"type": "web_search"}},
            openai.BadRequestError,
            "unsupported_value",
            "tool_choice.type",
        ),
        ({"input": "long " * 2000}, openai.BadRequestError, "context_length_exceeded", "input"),
        ({"model": "gpt-9"}, openai.NotFoundError, "model_not_found", "model"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_is_the_right_exception_with_code_and_param(
    client: OpenAI,
    stream: bool,
    options: dict[str, Any],
    error: type[openai.APIStatusError],
    code: str,
    param: str,
) -> None:
    with pytest.raises(error) as refused:
        client.responses.create(**{"model": MODEL, "input": QUESTION, "stream": stream, **options})
    assert (refused.value.code, refused.value.param) == (code, param)
    assert refused.value.type == "invalid_request_error"
    assert refused.value.request_id


async def test_the_async_client_gets_the_same(async_client: AsyncOpenAI, client: OpenAI) -> None:
    options: dict[str, Any] = {"model": MODEL, "input": QUESTION, "max_output_tokens": 60, "temperature": 0}
    whole = await async_client.responses.create(**options)
    assert whole.output_text == client.responses.create(**options).output_text
    stream = await async_client.responses.create(**options, stream=True)
    pieces = [event.delta async for event in stream if event.type == "response.output_text.delta"]
    assert "".join(pieces) == whole.output_text
    async with async_client.responses.stream(**options) as helper:
        assert (await helper.get_final_response()).output_text == whole.output_text


async def test_the_async_client_parses(async_client: AsyncOpenAI) -> None:
    response = await async_client.responses.parse(
        model=MODEL, input="Is 7 a number?", text_format=Verdict, max_output_tokens=80, temperature=0
    )
    assert isinstance(response.output_parsed, Verdict)


async def test_the_async_client_raises_the_right_exception(async_client: AsyncOpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        await async_client.responses.create(model=MODEL, input=QUESTION, top_logprobs=2)
    assert (refused.value.code, refused.value.param) == ("invalid_value", "top_logprobs")


def test_a_conversation_is_gone_on_with_by_the_id_of_its_last_response(client: OpenAI) -> None:
    options: dict[str, Any] = {"model": MODEL, "max_output_tokens": 60, "temperature": 0}
    first = client.responses.create(**options, input="Hello! My name is Ada.")
    second = client.responses.create(**options, input="What is my name?", previous_response_id=first.id)
    assert second.output_text == "Your name is Ada."
    details = second.usage.input_tokens_details if second.usage else None
    assert details and details.cached_tokens, "the prompt is found in the prefix cache"
    assert client.responses.retrieve(second.id) == second
    items = list(client.responses.input_items.list(second.id, limit=1, order="asc"))
    assert [item.type for item in items] == ["message"] * 3
    client.responses.delete(first.id)
    for call in (client.responses.retrieve, client.responses.delete):
        with pytest.raises(openai.NotFoundError):
            call(first.id)
    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(**options, input="Hi", previous_response_id=second.id)
    assert refused.value.code == "previous_response_not_found"
