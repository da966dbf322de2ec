import json

import litellm
import pytest

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a place",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}


@pytest.fixture
def options(base_url: str) -> dict[str, object]:
    return {
        "model": "openai/verbatim-demo",
        "api_base": base_url,
        "api_key": "none",
        "temperature": 0,
        "num_retries": 0,
    }


def test_an_answer_has_text_a_finish_and_usage(options):
    answer = litellm.completion(messages=[{"role": "user", "content": "Hello!"}], **options)
    assert answer.choices[0].message.content
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


def test_a_stream_joins_to_the_answer(options):
    messages = [{"role": "user", "content": "What is the capital of France?"}]
    whole = litellm.completion(messages=messages, **options)
    chunks = list(litellm.completion(messages=messages, stream=True, **options))
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks]
    assert "".join(pieces) == whole.choices[0].message.content
    assert len(pieces) > 2


def test_parts_and_a_developer_message_are_read(options):
    messages = [
        {"role": "developer", "content": "You are Verbatim."},
        {"role": "user", "content": [{"type": "text", "text": "Hello!"}]},
    ]
    assert litellm.completion(messages=messages, **options).choices[0].message.content


def test_a_demanded_tool_is_called_whole_and_streamed(options):
    request = {
        "messages": [{"role": "user", "content": "What is the weather in Oslo?"}],
        "tools": [WEATHER],
        "tool_choice": "required",
    }
    [call] = litellm.completion(**request, **options).choices[0].message.tool_calls
    assert call.function.name == "get_weather"
    assert json.loads(call.function.arguments) == {"city": "Oslo"}
    chunks = list(litellm.completion(**request, stream=True, **options))
    streamed = litellm.stream_chunk_builder(chunks).choices[0].message.tool_calls[0]
    assert (streamed.function.name, streamed.function.arguments) == (
        call.function.name,
        call.function.arguments,
    )


def test_a_schema_binds_the_answer(options):
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 20}, "age": {"type": "integer"}},
        "required": ["name", "age"],
        "additionalProperties": False,
    }
    answer = litellm.completion(
        messages=[{"role": "user", "content": "Give me JSON for Bo, 7 years old."}],
        response_format={
            "type": "json_schema",
            "json_schema": {"name": "person", "schema": schema, "strict": True},
        },
        **options,
    )
    assert set(json.loads(answer.choices[0].message.content)) == {"name", "age"}


def test_a_text_completion_goes_on_with_its_prompt(options):
    options["model"] = "text-completion-openai/verbatim-demo"
    answer = litellm.text_completion(prompt="Hello", max_tokens=4, **options)
    assert answer.choices[0].finish_reason in ("length", "stop")


def test_an_unknown_model_is_litellms_not_found(options):
    options["model"] = "openai/none-such"
    with pytest.raises(litellm.NotFoundError):
        litellm.completion(messages=[{"role": "user", "content": "Hello!"}], **options)


def test_a_full_context_is_litellms_context_window_error(options):
    with pytest.raises(litellm.ContextWindowExceededError):
        litellm.completion(messages=[{"role": "user", "content": "long " * 4000}], **options)


def test_embeddings_come_one_for_each_input(options):
    del options["temperature"]
    answer = litellm.embedding(input=["one", "two"], **options)
    assert [len(item["embedding"]) for item in answer.data] == [len(answer.data[0]["embedding"])] * 2
