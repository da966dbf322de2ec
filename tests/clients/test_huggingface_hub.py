"""huggingface_hub.InferenceClient against TGI's contract, unchanged."""

import json
from typing import Any

import pytest
from huggingface_hub import InferenceClient
from huggingface_hub.errors import ValidationError

PROMPT = "What is Deep Learning?"
QUESTION = [{"role": "user", "content": "Hello! Who are you?"}]
# The client takes plain dicts where its annotations name only its own dataclasses: hence Any.
WEATHER_TOOL: Any = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}


@pytest.fixture(params=["", "/tgi"], ids=["at the root", "under its prefix"])
def client(server_url: str, request: pytest.FixtureRequest) -> InferenceClient:
    return InferenceClient(base_url=server_url + request.param)


@pytest.fixture
def native(server_url: str) -> InferenceClient:
    """Text generation posts to the model's URL itself, which is the contract's root."""
    return InferenceClient(model=server_url)


def test_text_generation_answers_plain_text(native: InferenceClient) -> None:
    assert isinstance(native.text_generation(PROMPT, max_new_tokens=8), str)


def test_text_generation_details_count_and_spell_the_text(native: InferenceClient) -> None:
    output = native.text_generation(PROMPT, max_new_tokens=8, details=True, decoder_input_details=True)
    assert output.details is not None
    assert output.details.generated_tokens == len(output.details.tokens) <= 8
    spelt = "".join(token.text for token in output.details.tokens if not token.special)
    assert spelt == output.generated_text
    logprobs: list[float | None] = [token.logprob for token in output.details.prefill]
    assert logprobs[0] is None
    assert all(logprob is not None and logprob <= 0 for logprob in logprobs[1:])


def test_text_generation_stream_joins_to_the_whole_text(native: InferenceClient) -> None:
    whole = native.text_generation(PROMPT, max_new_tokens=12)
    pieces = list(native.text_generation(PROMPT, max_new_tokens=12, stream=True))
    assert "".join(pieces).startswith(whole)  # the plain stream passes an end token's text through
    assert len(pieces) > 1


def test_text_generation_stream_details_end_with_the_whole_text(native: InferenceClient) -> None:
    whole = native.text_generation(PROMPT, max_new_tokens=12)
    events = list(native.text_generation(PROMPT, max_new_tokens=12, stream=True, details=True))
    assert [event.generated_text for event in events[:-1]] == [None] * (len(events) - 1)
    assert events[-1].generated_text == whole
    assert events[-1].details is not None
    assert events[-1].details.generated_tokens == len(events)


def test_text_generation_with_a_regex_grammar_matches_it(native: InferenceClient) -> None:
    grammar: Any = {"type": "regex", "value": "[0-9]{3}-[0-9]{2}"}
    text = native.text_generation(PROMPT, max_new_tokens=20, grammar=grammar)
    assert len(text) == 6 and text[3] == "-" and text.replace("-", "").isdigit()


def test_a_refused_parameter_is_a_validation_error(native: InferenceClient) -> None:
    with pytest.raises(ValidationError, match="max_new_tokens"):
        native.text_generation(PROMPT, max_new_tokens=10_000_000)


def test_chat_completion_answers_a_message(client: InferenceClient) -> None:
    completion = client.chat_completion(QUESTION, max_tokens=32, temperature=0)
    (choice,) = completion.choices
    assert choice.message.content
    assert choice.finish_reason in {"stop", "length"}
    assert completion.usage.total_tokens == (
        completion.usage.prompt_tokens + completion.usage.completion_tokens
    )


def test_chat_completion_stream_joins_to_the_message(client: InferenceClient) -> None:
    whole = client.chat_completion(QUESTION, max_tokens=32, temperature=0)
    chunks = list(client.chat_completion(QUESTION, max_tokens=32, temperature=0, stream=True))
    joined = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert joined == whole.choices[0].message.content
    assert chunks[-1].choices[0].finish_reason == whole.choices[0].finish_reason


def test_chat_completion_reports_usage_in_the_last_chunk_when_asked(client: InferenceClient) -> None:
    options: Any = {"include_usage": True}
    chunks = list(client.chat_completion(QUESTION, max_tokens=8, stream=True, stream_options=options))
    assert [chunk.usage is not None for chunk in chunks] == [False] * (len(chunks) - 1) + [True]


@pytest.mark.parametrize("choice", ["required", {"function": {"name": "get_weather"}}])
def test_chat_completion_calls_the_tool(client: InferenceClient, choice: Any) -> None:
    completion = client.chat_completion(
        [{"role": "user", "content": "What is the weather in Oslo?"}],
        tools=[WEATHER_TOOL],
        tool_choice=choice,
        max_tokens=100,
        temperature=0,
    )
    assert completion.choices[0].message.tool_calls is not None
    (call,) = completion.choices[0].message.tool_calls
    assert call.function.name == "get_weather"
    assert list(json.loads(call.function.arguments)) == ["city"]
    assert completion.choices[0].finish_reason == "tool_calls"


def test_chat_completion_streams_a_tool_call(client: InferenceClient) -> None:
    chunks = list(
        client.chat_completion(
            [{"role": "user", "content": "What is the weather in Oslo?"}],
            tools=[WEATHER_TOOL],
            tool_choice="required",
            max_tokens=100,
            temperature=0,
            stream=True,
        )
    )
    calls = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or []]
    assert [call.function.name for call in calls if call.function.name] == ["get_weather"]
    assert list(json.loads("".join(call.function.arguments for call in calls))) == ["city"]
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


def test_chat_completion_follows_a_json_schema(client: InferenceClient) -> None:
    schema: Any = {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 12}, "adult": {"type": "boolean"}},
        "required": ["name", "adult"],
        "additionalProperties": False,
    }
    form: Any = {"type": "json_schema", "json_schema": {"name": "person", "schema": schema}}
    completion = client.chat_completion(
        [{"role": "user", "content": "My name is Ada."}],
        response_format=form,
        max_tokens=100,
        temperature=0,
    )
    content = completion.choices[0].message.content
    assert content is not None
    answer = json.loads(content)
    assert set(answer) == {"name", "adult"}
    assert isinstance(answer["adult"], bool)
