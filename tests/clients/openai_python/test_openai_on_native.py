"""openai-python against the chat and completions of TGI and its hosted kin, which their users send it to."""

import json
from collections.abc import Iterator, Mapping

import openai
import pytest
from openai import AsyncOpenAI, OpenAI
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam

QUESTION: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Hello! Who are you?"}]
ADD_TOOL: ChatCompletionToolParam = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Add two numbers.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
}


# What the client raises for a field that is refused, by contract.
REFUSALS: Mapping[str, type[openai.APIStatusError]] = {
    "tgi": openai.UnprocessableEntityError,
    "hf": openai.BadRequestError,
}


@pytest.fixture(params=REFUSALS)
def contract(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def base_url(server_url: str, contract: str) -> str:
    return f"{server_url}/{contract}/v1"


@pytest.fixture
def client(base_url: str) -> Iterator[OpenAI]:
    with OpenAI(base_url=base_url, api_key="-", max_retries=0) as client:
        yield client


def test_models_lists_the_served_model(client: OpenAI) -> None:
    (model,) = client.models.list()
    assert model.id == "verbatim-demo"


def test_chat_answers_and_streams_the_same(client: OpenAI) -> None:
    whole = client.chat.completions.create(
        model="tgi", messages=QUESTION, max_tokens=40, temperature=0, logprobs=True, top_logprobs=2
    )
    chunks = list(
        client.chat.completions.create(
            model="tgi", messages=QUESTION, max_tokens=40, temperature=0, stream=True
        )
    )
    (choice,) = whole.choices
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == choice.message.content
    assert chunks[-1].choices[0].finish_reason == choice.finish_reason
    assert len({chunk.id for chunk in chunks}) == 1
    assert choice.logprobs is not None and choice.logprobs.content
    assert all(len(token.top_logprobs) >= 2 for token in choice.logprobs.content)


def test_n_answers_as_many_choices_where_the_contract_has_it(client: OpenAI, contract: str) -> None:
    completion = client.chat.completions.create(
        model="tgi", messages=QUESTION, max_tokens=6, n=3, seed=1, temperature=1.5
    )
    # The hosted document lists no `n`, and what it does not list has no effect.
    num_choices = {"tgi": 3, "hf": 1}[contract]
    assert [choice.index for choice in completion.choices] == list(range(num_choices))


def test_openai_json_schema_is_followed(client: OpenAI) -> None:
    schema = {
        "type": "object",
        "properties": {"ok": {"type": "boolean"}},
        "required": ["ok"],
        "additionalProperties": False,
    }
    completion = client.chat.completions.create(
        model="tgi",
        messages=QUESTION,
        max_tokens=30,
        response_format={"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}},
    )
    content = completion.choices[0].message.content
    assert content and isinstance(json.loads(content)["ok"], bool)


def test_a_tool_loop_runs_to_an_answer(client: OpenAI) -> None:
    messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": "What is 12 plus 30?"}]
    first = client.chat.completions.create(
        model="tgi",
        messages=messages,
        tools=[ADD_TOOL],
        tool_choice="required",
        max_tokens=80,
        temperature=0,
    )
    assert first.choices[0].finish_reason == "tool_calls"
    assert first.choices[0].message.tool_calls
    (call,) = first.choices[0].message.tool_calls
    assert call.type == "function"
    arguments = json.loads(call.function.arguments)
    assert set(arguments) == {"a", "b"} and all(isinstance(value, int) for value in arguments.values())
    messages += [
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.function.name, "arguments": call.function.arguments},
                }
            ],
        },
        {"role": "tool", "tool_call_id": call.id, "content": "42"},
    ]
    second = client.chat.completions.create(
        model="tgi", messages=messages, tools=[ADD_TOOL], max_tokens=40, temperature=0
    )
    assert second.choices[0].message.content


def test_completions_stream_each_prompt_by_its_index(client: OpenAI) -> None:
    prompts = ["Once upon a time", "My name is"]
    together = client.completions.create(model="tgi", prompt=prompts, max_tokens=8, temperature=0)
    texts = ["", ""]
    for chunk in client.completions.create(
        model="tgi", prompt=prompts, max_tokens=8, temperature=0, stream=True
    ):
        for choice in chunk.choices:
            texts[choice.index] += choice.text
    assert texts == [choice.text for choice in together.choices]


def test_a_refused_field_is_the_contracts_error(client: OpenAI, contract: str) -> None:
    with pytest.raises(REFUSALS[contract]) as refused_suffix:
        client.completions.create(model="tgi", prompt="a", suffix="b")
    assert "suffix" in refused_suffix.value.response.json()["error"].lower()
    with pytest.raises(REFUSALS[contract]) as refused_temperature:
        client.chat.completions.create(model="tgi", messages=QUESTION, temperature=-1)
    assert "temperature" in refused_temperature.value.response.json()["error"]


async def test_the_async_client_streams_too(base_url: str) -> None:
    client = AsyncOpenAI(base_url=base_url, api_key="-", max_retries=0)
    stream = await client.chat.completions.create(
        model="tgi", messages=QUESTION, max_tokens=8, stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]
    assert chunks[-1].usage is not None and chunks[-1].choices == []
    await client.close()
