"""huggingface_hub.InferenceClient with a token against Hugging Face's hosted contract, unchanged."""

from typing import Any

import pytest
from huggingface_hub import InferenceClient
from huggingface_hub.errors import HfHubHTTPError

from tests.conftest import API_KEY as TOKEN

PROMPT = "What is deep learning?"
QUESTION = [{"role": "user", "content": "Hello! Who are you?"}]
# The client takes plain dicts where its annotations name only its own dataclasses: hence Any.
WEATHER_TOOL: Any = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


@pytest.fixture
def guarded_url(guarded_server_url: str) -> str:
    return f"{guarded_server_url}/hf"


@pytest.fixture
def native(guarded_url: str) -> InferenceClient:
    """Text generation posts to the model's URL itself, which on this contract is an operation's."""
    return InferenceClient(model=f"{guarded_url}/generate", token=TOKEN)


@pytest.fixture
def client(guarded_url: str) -> InferenceClient:
    return InferenceClient(base_url=guarded_url, token=TOKEN)


def test_text_generation_details_count_and_spell_the_text(native: InferenceClient) -> None:
    output = native.text_generation(PROMPT, max_new_tokens=8, details=True, decoder_input_details=True)
    assert output.details is not None
    assert output.details.generated_tokens == len(output.details.tokens) <= 8
    spelt = "".join(token.text for token in output.details.tokens if not token.special)
    assert spelt == output.generated_text


def test_a_text_generation_stream_joins_to_the_whole_text(guarded_url: str, native: InferenceClient) -> None:
    streams = InferenceClient(model=f"{guarded_url}/generate_stream", token=TOKEN)
    whole = native.text_generation(PROMPT, max_new_tokens=12)
    events = list(streams.text_generation(PROMPT, max_new_tokens=12, stream=True, details=True))
    assert events[-1].generated_text == whole
    assert events[-1].details is not None
    assert events[-1].details.generated_tokens == len(events)


def test_a_schema_binds_the_text(native: InferenceClient) -> None:
    grammar: Any = {"type": "regex", "value": "[0-9]{4}"}
    assert native.text_generation("The year is ", max_new_tokens=8, grammar=grammar).isdigit()


def test_chat_completion_whole_and_streamed_say_the_same(client: InferenceClient) -> None:
    whole = client.chat_completion(QUESTION, max_tokens=12, temperature=0)
    pieces = list(client.chat_completion(QUESTION, max_tokens=12, temperature=0, stream=True))
    joined = "".join(piece.choices[0].delta.content or "" for piece in pieces)
    assert joined == whole.choices[0].message.content
    assert pieces[-1].choices[0].finish_reason == whole.choices[0].finish_reason == "length"


def test_chat_completion_calls_a_tool(client: InferenceClient) -> None:
    asked = [{"role": "user", "content": "What is the weather in Oslo?"}]
    output = client.chat_completion(asked, tools=[WEATHER_TOOL], tool_choice="required", temperature=0)
    (call,) = output.choices[0].message.tool_calls or []
    assert call.function.name == "get_weather"
    assert '"Oslo"' in call.function.arguments


def test_chat_completion_follows_a_json_schema(client: InferenceClient) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 9}}, "required": ["n"]}
    response_format: Any = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
    output = client.chat_completion(QUESTION, response_format=response_format, max_tokens=30)
    assert '"n"' in (output.choices[0].message.content or "")


def test_a_stranger_is_refused(guarded_url: str) -> None:
    with pytest.raises(HfHubHTTPError) as refused:
        InferenceClient(base_url=guarded_url, token="hf_other").chat_completion(QUESTION)
    assert refused.value.response.status_code == 401
