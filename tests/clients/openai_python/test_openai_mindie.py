"""openai-python against MindIE's chat."""

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam

from tests.conftest import API_KEY

MODEL = "verbatim-demo"
QUESTION: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Hello! Who are you?"}]

ADD_TOOL: ChatCompletionToolParam = {
    "type": "function",
    "function": {
        "name": "add",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
}


@pytest.fixture
def client(server_url: str) -> Iterator[OpenAI]:
    with client_of(server_url) as client:
        yield client


def client_of(url: str, api_key: str = "-") -> OpenAI:
    return OpenAI(base_url=f"{url}/mindie/v1", api_key=api_key, max_retries=0)


def extras(model: Any) -> dict[str, Any]:
    """Return the fields of an answer that the client has no attribute for."""
    return dict(model.model_extra or {})


def test_an_answer_tells_what_the_engine_measured_of_each_token(client: OpenAI) -> None:
    answer = client.chat.completions.create(model=MODEL, messages=QUESTION, max_tokens=30, temperature=0)
    assert answer.usage is not None
    num_tokens = answer.usage.completion_tokens
    usage, times = extras(answer.usage), extras(answer)
    assert len(usage["batch_size"]) == len(usage["queue_wait_time"]) == num_tokens
    assert len(times["decode_time_arr"]) == num_tokens - 1
    assert all(size >= 1 for size in usage["batch_size"])
    assert all(wait > 0 for wait in usage["queue_wait_time"])
    assert times["prefill_time"] + sum(times["decode_time_arr"]) > 0


def test_chat_answers_and_streams_the_same(client: OpenAI) -> None:
    whole = client.chat.completions.create(model=MODEL, messages=QUESTION, max_tokens=40, temperature=0)
    *chunks, last = client.chat.completions.create(
        model=MODEL, messages=QUESTION, max_tokens=40, temperature=0, stream=True
    )
    (choice,) = whole.choices
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == choice.message.content
    assert last.choices[0].finish_reason == choice.finish_reason
    assert last.usage is not None and whole.usage is not None
    assert last.usage.completion_tokens == whole.usage.completion_tokens


def test_fields_of_its_own_travel_in_the_extra_body(client: OpenAI) -> None:
    answer = client.chat.completions.create(
        model=MODEL,
        messages=QUESTION,
        max_tokens=5,
        n=2,
        extra_body={"use_beam_search": True, "ignore_eos": True, "chat_template_kwargs": {}},
    )
    assert [choice.index for choice in answer.choices] == [0, 1]
    assert answer.usage is not None and answer.usage.completion_tokens == 10


def test_the_cache_tells_what_it_held_of_the_prompt(client: OpenAI) -> None:
    question: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Tell me of the cache. " * 4}]
    for _ in range(2):
        answer = client.chat.completions.create(model=MODEL, messages=question, max_tokens=1)
    assert answer.usage is not None and answer.usage.prompt_tokens_details is not None
    assert (answer.usage.prompt_tokens_details.cached_tokens or 0) > 0


def test_a_demanded_call_has_arguments_of_its_schema(client: OpenAI) -> None:
    answer = client.chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": "What is 12 plus 30?"}],
        tools=[ADD_TOOL],
        tool_choice="required",
        max_tokens=80,
        temperature=0,
    )
    assert answer.choices[0].message.tool_calls
    (call,) = answer.choices[0].message.tool_calls
    assert call.type == "function"
    assert set(json.loads(call.function.arguments)) == {"a", "b"}


def test_a_stop_token_is_left_out_of_the_text_or_kept(client: OpenAI) -> None:
    def ask(**extra: Any) -> Any:
        return client.chat.completions.create(
            model=MODEL, messages=QUESTION, max_tokens=20, temperature=0, extra_body=extra
        )

    logprobs = ask(logprobs=True).choices[0].logprobs
    texts = [token.token for token in logprobs.content]
    stop = server_token_id(client, texts[2])
    place = texts.index(texts[2])
    cut, kept = ask(stop_token_ids=[stop]), ask(stop_token_ids=[stop], include_stop_str_in_output=True)
    assert cut.choices[0].message.content.rstrip() == "".join(texts[:place]).rstrip()
    assert kept.choices[0].message.content.rstrip() == "".join(texts[: place + 1]).rstrip()


def server_token_id(client: OpenAI, text: str) -> int:
    """Return the id of the token that is this text, by TGI's /tokenize on the same server."""
    url = str(client.base_url).replace("/mindie/v1/", "/tgi/tokenize")
    tokens = client._client.post(url, json={"inputs": text}).json()
    return int(next(token["id"] for token in tokens if token["text"] == text))


def test_a_broken_rule_is_an_unprocessable_entity_that_names_both_fields(client: OpenAI) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        client.chat.completions.create(model=MODEL, messages=QUESTION, tools=[ADD_TOOL], stop="a")
    assert "`stop` cannot be used with `tools`" in refused.value.response.json()["error"]


def test_full_text_repeats_the_text_so_far(guarded_server_url: str) -> None:
    *chunks, last = client_of(guarded_server_url, API_KEY).chat.completions.create(
        model=MODEL, messages=QUESTION, max_tokens=10, temperature=0, stream=True
    )
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks]
    assert all(later.startswith(earlier) for earlier, later in zip(texts, texts[1:], strict=False))
    assert extras(last)["full_text"] == last.choices[0].delta.content == texts[-1]
