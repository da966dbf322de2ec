"""anthropic-python against the Messages API."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anthropic
import pytest
from anthropic import Anthropic, AsyncAnthropic, beta_tool
from anthropic.types import ImageBlockParam, MessageParam, TextBlock, ThinkingBlock, ToolParam, ToolUseBlock

from tests.conftest import API_KEY, PAYLOAD_LIMIT

MODEL = "verbatim-demo"
QUESTION: list[MessageParam] = [{"role": "user", "content": "What is the capital of France?"}]
SUM: list[MessageParam] = [{"role": "user", "content": "What is 12 plus 30?"}]
GREEDY = {"temperature": 0}  # of the version 2023-06-01; the client has no argument for it any more
PICTURE: ImageBlockParam = {"type": "image", "source": {"type": "url", "url": "http://127.0.0.1/a.png"}}
ADD: ToolParam = {
    "name": "add",
    "description": "Add two numbers",
    "input_schema": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    },
}


@pytest.fixture(scope="module")
def client(server_url: str) -> Iterator[Anthropic]:
    with Anthropic(base_url=f"{server_url}/anthropic", api_key="-", max_retries=0) as client:
        yield client


@pytest.fixture(scope="module")
async def async_client(server_url: str) -> AsyncIterator[AsyncAnthropic]:
    async with AsyncAnthropic(base_url=f"{server_url}/anthropic", api_key="-", max_retries=0) as client:
        yield client


def ask(client: Anthropic, messages: list[MessageParam] = QUESTION, **fields: Any) -> anthropic.types.Message:
    asked: dict[str, Any] = {"max_tokens": 40, "extra_body": GREEDY, **fields}
    message: anthropic.types.Message = client.messages.create(model=MODEL, messages=messages, **asked)
    return message


def text_of(message: anthropic.types.Message) -> str:
    return "".join(block.text for block in message.content if isinstance(block, TextBlock))


def test_a_conversation_is_answered(client: Anthropic) -> None:
    message = ask(client)
    assert "Paris" in text_of(message)
    assert (message.stop_reason, message.role, message.model) == ("end_turn", "assistant", MODEL)
    assert message.usage.output_tokens > 1
    assert message._request_id is not None and message._request_id.startswith("req_")


def test_the_stream_helper_makes_the_message_of_the_whole_answer(client: Anthropic) -> None:
    whole = ask(client)
    with client.messages.stream(model=MODEL, messages=QUESTION, max_tokens=40, extra_body=GREEDY) as stream:
        text = "".join(stream.text_stream)
        message = stream.get_final_message()
    assert text == text_of(message) == text_of(whole)
    assert message.stop_reason == whole.stop_reason
    assert message.usage.output_tokens == whole.usage.output_tokens


async def test_the_asynchronous_client_answers_and_streams_the_same(
    client: Anthropic, async_client: AsyncAnthropic
) -> None:
    whole = await async_client.messages.create(
        model=MODEL, messages=QUESTION, max_tokens=40, extra_body=GREEDY
    )
    events = await async_client.messages.create(
        model=MODEL, messages=QUESTION, max_tokens=40, extra_body=GREEDY, stream=True
    )
    pieces = [
        event.delta.text
        async for event in events
        if event.type == "content_block_delta" and event.delta.type == "text_delta"
    ]
    assert "".join(pieces) == text_of(whole) == text_of(ask(client))


def test_a_tool_is_used_and_its_result_told(client: Anthropic) -> None:
    used = ask(client, SUM, tools=[ADD], tool_choice={"type": "any"}, max_tokens=80)
    assert used.stop_reason == "tool_use"
    use = next(block for block in used.content if isinstance(block, ToolUseBlock))
    assert (use.name, set(use.input)) == ("add", {"a", "b"})
    result: MessageParam = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": use.id, "content": json.dumps({"result": 42})}],
    }
    answered = ask(client, [*SUM, used.to_param(), result], tools=[ADD])
    assert answered.stop_reason == "end_turn"
    assert text_of(answered)


def test_a_tool_use_is_streamed_in_pieces_that_the_client_joins(client: Anthropic) -> None:
    whole = ask(client, SUM, tools=[ADD], tool_choice={"type": "tool", "name": "add"}, max_tokens=80)
    with client.messages.stream(
        model=MODEL,
        messages=SUM,
        max_tokens=80,
        tools=[ADD],
        tool_choice={"type": "tool", "name": "add"},
        extra_body=GREEDY,
    ) as stream:
        message = stream.get_final_message()
    (use,), (expected,) = message.content, whole.content
    assert isinstance(use, ToolUseBlock) and isinstance(expected, ToolUseBlock)
    assert use.input == expected.input


def test_the_clients_tool_loop_runs_to_its_end(client: Anthropic) -> None:
    """It sends its version of the API, names of features, and the blocks that it was answered with.

    It asks for a thread first, which the server does not hold, and sends the whole conversation then.
    """
    asked: list[int] = []

    @beta_tool
    def add(a: int, b: int) -> str:
        """Add two numbers.

        Args:
            a: The first.
            b: The second.
        """
        asked.append(a + b)
        return str(a + b)

    runner = client.beta.messages.tool_runner(
        model=MODEL,
        max_tokens=80,
        tools=[add],
        messages=[{"role": "user", "content": "What is 12 plus 30?"}],
        max_iterations=3,
        extra_body=GREEDY,
    )
    last = runner.until_done()
    assert asked and last.stop_reason == "end_turn"


def test_thoughts_come_first_and_can_be_sent_back(client: Anthropic) -> None:
    thinking = {"type": "enabled", "budget_tokens": 1024}
    message = ask(client, SUM, thinking=thinking, max_tokens=2000)
    thoughts, words = message.content
    assert isinstance(thoughts, ThinkingBlock) and isinstance(words, TextBlock)
    assert thoughts.thinking and thoughts.signature and words.text
    details = message.usage.output_tokens_details
    assert details is not None and details.thinking_tokens > 0
    more: MessageParam = {"role": "user", "content": "And 1 plus 1?"}
    assert text_of(ask(client, [*SUM, message.to_param(), more], thinking=thinking, max_tokens=2000))


def test_an_answer_fits_a_schema(client: Anthropic) -> None:
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 8}, "age": {"type": "integer"}},
        "required": ["name", "age"],
        "additionalProperties": False,
    }
    form = {"format": {"type": "json_schema", "schema": schema}}
    message = ask(
        client, [{"role": "user", "content": "Ann is 30 years old."}], output_config=form, max_tokens=100
    )
    assert json.loads(text_of(message)).keys() == {"name", "age"}


def test_a_stop_sequence_ends_the_answer_and_is_told(client: Anthropic) -> None:
    message = ask(client, stop_sequences=["capital", "nowhere"])
    assert (message.stop_reason, message.stop_sequence) == ("stop_sequence", "capital")
    assert "capital" not in text_of(message)


def test_an_answer_goes_on_from_its_beginning(client: Anthropic) -> None:
    begun: MessageParam = {"role": "assistant", "content": "The capital of"}
    assert text_of(ask(client, [*QUESTION, begun])).startswith(" ")


def test_what_the_cache_held_is_no_input(client: Anthropic) -> None:
    asked: list[MessageParam] = [{"role": "user", "content": "Tell me of the cache. " * 4}]
    filled = ask(client, asked, max_tokens=0)
    assert filled.content == []
    again = ask(client, asked, max_tokens=1).usage
    assert again.cache_read_input_tokens
    total = client.messages.count_tokens(model=MODEL, messages=asked).input_tokens
    assert again.input_tokens + again.cache_read_input_tokens == total


def test_the_models_are_listed(client: Anthropic) -> None:
    (model,) = client.models.list(limit=1)
    assert (model.id, model.lifecycle, model.created_at.year) == (MODEL, "active", 1970)
    assert client.models.retrieve(MODEL) == model
    assert list(client.models.list(lifecycle=["active", "deprecated"])) == [model]
    assert not list(client.models.list(lifecycle=["retired"]))


def test_mistakes_are_the_clients_own_exceptions(client: Anthropic) -> None:
    with pytest.raises(anthropic.BadRequestError) as invalid:
        ask(client, extra_body={"temprature": 0})
    assert (invalid.value.type, invalid.value.api_message) == (
        "invalid_request_error",
        "temprature: is not a field of this object",
    )
    assert invalid.value.request_id is not None
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long"):
        ask(client, [{"role": "user", "content": "Hello " * 600}])
    with pytest.raises(anthropic.NotFoundError) as missing:
        client.models.retrieve("claude-9")
    assert missing.value.type == "not_found_error"
    with pytest.raises(anthropic.BadRequestError, match="image"):
        ask(client, [{"role": "user", "content": [PICTURE]}])


def test_the_root_the_key_and_the_limit_are_the_clients_own(guarded_server_url: str) -> None:
    url = guarded_server_url
    with Anthropic(base_url=url, api_key=API_KEY, max_retries=0) as client:
        assert text_of(ask(client))
        with pytest.raises(anthropic.RequestTooLargeError):
            ask(client, [{"role": "user", "content": "a" * PAYLOAD_LIMIT}])
    with Anthropic(base_url=url, auth_token=API_KEY, max_retries=0) as client:
        assert client.models.list().data
    with (
        Anthropic(base_url=url, api_key="wrong", max_retries=0) as client,
        pytest.raises(anthropic.AuthenticationError) as refused,
    ):
        client.models.list()
    assert refused.value.type == "authentication_error"
