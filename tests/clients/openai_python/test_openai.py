"""openai-python against OpenAI's contract, with its own strict validation of all that it is sent.

`echo`, streamed completions and vectors are asked for without it where noted: its types are narrower than
what OpenAI answers.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any, Literal

import httpx2
import openai
import pytest
from openai import AsyncOpenAI, OpenAI, pydantic_function_tool
from openai.types.chat import ChatCompletionMessageParam
from pydantic import BaseModel

from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.conftest import API_KEY
from tests.support.clocks.until import until
from tests.support.scripted.engine import ScriptedEngine, says

MODEL = "verbatim-demo"
QUESTION: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Hello! Who are you?"}]
PROMPTS = (
    "Hello! Who are you?",
    "What is 3 plus 4?",
    "Tell me a story about a naïve café.",
    "Name a colour.",
)
SUM: list[ChatCompletionMessageParam] = [{"role": "user", "content": "What is 12 plus 30?"}]


class Verdict(BaseModel):
    """The type that a structured answer is parsed into."""

    is_number: bool
    size: Literal["small", "large"]


class Add(BaseModel):
    """The arguments of a tool."""

    a: int
    b: int


ADD = pydantic_function_tool(Add, name="add", description="Add two numbers.")


@pytest.fixture
def client(server_url: str) -> Iterator[OpenAI]:
    with OpenAI(
        base_url=f"{server_url}/openai/v1", api_key="-", max_retries=0, _strict_response_validation=True
    ) as client:
        yield client


@pytest.fixture
def lenient(server_url: str) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{server_url}/openai/v1", api_key="-", max_retries=0) as client:
        yield client


@pytest.fixture
async def async_client(server_url: str) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(
        base_url=f"{server_url}/openai/v1", api_key="-", max_retries=0, _strict_response_validation=True
    ) as client:
        yield client


def ask(prompt: str, **options: Any) -> dict[str, Any]:
    """A chat whose answer is the same each time."""
    messages = [{"role": "user", "content": prompt}]
    return {
        "model": MODEL,
        "messages": messages,
        "temperature": 0,
        "max_completion_tokens": 60,
        **options,
    }


def test_the_models_are_listed_and_found(client: OpenAI) -> None:
    (model,) = client.models.list()
    assert model.id == MODEL
    assert client.models.retrieve(MODEL) == model


def test_an_answer_has_usage_a_fingerprint_and_the_name_of_its_request(client: OpenAI) -> None:
    answer = client.chat.completions.create(**ask("Hello!"))
    assert answer.choices[0].message.content
    assert answer.usage is not None and answer.usage.completion_tokens > 0
    assert answer.system_fingerprint
    assert answer._request_id


@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("thinks", [False, True])
def test_streamed_chat_joined_is_the_whole_answer(client: OpenAI, prompt: str, thinks: bool) -> None:
    options: dict[str, Any] = ask(prompt, logprobs=True, top_logprobs=2, n=2)
    thinking = {"chat_template_kwargs": {"enable_thinking": thinks}}
    # Salts of their own, so that neither finds the other's prompt in the cache and rounds otherwise.
    whole = client.chat.completions.create(**options, extra_body={**thinking, "cache_salt": f"{prompt} 1"})
    streamed = {**thinking, "cache_salt": f"{prompt} 2"}
    chunks = list(client.chat.completions.create(**options, extra_body=streamed, stream=True))
    for choice in whole.choices:
        own = [one for chunk in chunks for one in chunk.choices if one.index == choice.index]
        assert "".join(one.delta.content or "" for one in own) == (choice.message.content or "")
        thoughts = "".join(getattr(one.delta, "reasoning_content", "") for one in own)
        assert thoughts == getattr(choice.message, "reasoning_content", "")
        assert choice.logprobs is not None
        told = [token for one in own if one.logprobs for token in one.logprobs.content or ()]
        assert told == choice.logprobs.content
        assert own[-1].finish_reason == choice.finish_reason
        if not thoughts:
            assert b"".join(bytes(token.bytes or ()) for token in told).decode() == choice.message.content


def test_streamed_calls_joined_are_the_whole_call(client: OpenAI) -> None:
    options: dict[str, Any] = {"model": MODEL, "messages": SUM, "tools": [ADD], "tool_choice": "required"}
    options |= {"temperature": 0, "max_completion_tokens": 100}
    (choice,) = client.chat.completions.create(**options).choices
    assert choice.finish_reason == "tool_calls" and choice.message.tool_calls
    (call,) = choice.message.tool_calls
    assert call.type == "function"
    assert Add.model_validate_json(call.function.arguments) == Add(a=12, b=30)
    pieces = [
        piece
        for chunk in client.chat.completions.create(**options, stream=True)
        for one in chunk.choices
        for piece in one.delta.tool_calls or ()
    ]
    assert [piece.function.name for piece in pieces if piece.id and piece.function] == ["add"]
    arguments = "".join(piece.function.arguments or "" for piece in pieces if piece.function)
    assert arguments == call.function.arguments


def test_usage_is_in_a_last_chunk_if_it_is_asked(client: OpenAI) -> None:
    *chunks, last = client.chat.completions.create(
        **ask("Hello!"), stream=True, stream_options={"include_usage": True}
    )
    assert all(chunk.usage is None for chunk in chunks)
    assert last.choices == [] and last.usage is not None
    whole = client.chat.completions.create(**ask("Hello!")).usage
    assert whole is not None and last.usage.total_tokens == whole.total_tokens


def test_a_stop_text_is_cut_from_the_answer_and_named(client: OpenAI) -> None:
    text = client.chat.completions.create(**ask("Hello! Who are you?")).choices[0].message.content
    assert text
    stop = text[3:6]
    (cut,) = client.chat.completions.create(**ask("Hello! Who are you?", stop=stop)).choices
    assert cut.message.content == text[: text.index(stop)]
    assert (cut.finish_reason, getattr(cut, "stop_reason", None)) == ("stop", stop)


def test_equal_seeds_give_equal_answers(client: OpenAI) -> None:
    options = ask("Tell me a story.", temperature=1.2, seed=5)
    first, second = (client.chat.completions.create(**options) for _ in range(2))
    assert first.choices[0].message.content == second.choices[0].message.content
    assert first.system_fingerprint == second.system_fingerprint


def test_parse_gives_the_model_that_was_asked_for(client: OpenAI) -> None:
    parsed = client.chat.completions.parse(
        model=MODEL,
        messages=[{"role": "user", "content": "Is 7 a number?"}],
        response_format=Verdict,
        temperature=0,
        max_completion_tokens=80,
    )
    assert isinstance(parsed.choices[0].message.parsed, Verdict)


def test_parse_reads_the_arguments_of_a_call(client: OpenAI) -> None:
    parsed = client.chat.completions.parse(
        model=MODEL,
        messages=SUM,
        tools=[ADD],
        tool_choice="required",
        temperature=0,
        max_completion_tokens=100,
    )
    assert parsed.choices[0].message.tool_calls
    (call,) = parsed.choices[0].message.tool_calls
    assert call.function.parsed_arguments == Add(a=12, b=30)


def test_a_parsed_answer_that_the_length_cuts_off_is_told_as_such(client: OpenAI) -> None:
    with pytest.raises(openai.LengthFinishReasonError):
        client.chat.completions.parse(
            model=MODEL, messages=QUESTION, response_format=Verdict, max_completion_tokens=2
        )


def test_the_stream_helper_accumulates_the_whole_answer(client: OpenAI) -> None:
    whole = client.chat.completions.create(**ask("Hello! Who are you?"))
    with client.chat.completions.stream(**ask("Hello! Who are you?")) as stream:
        snapshots = [event.snapshot for event in stream if event.type == "content.delta"]
        final = stream.get_final_completion()
    assert snapshots[-1] == final.choices[0].message.content == whole.choices[0].message.content
    assert final.choices[0].finish_reason == whole.choices[0].finish_reason


def test_the_stream_helper_parses_answers_and_calls(client: OpenAI) -> None:
    options: dict[str, Any] = {"model": MODEL, "temperature": 0, "max_completion_tokens": 100}
    with client.chat.completions.stream(
        **options, messages=[{"role": "user", "content": "Is 7 a number?"}], response_format=Verdict
    ) as stream:
        assert isinstance(stream.get_final_completion().choices[0].message.parsed, Verdict)
    with client.chat.completions.stream(
        **options, messages=SUM, tools=[ADD], tool_choice="required"
    ) as stream:
        calls = stream.get_final_completion().choices[0].message.tool_calls
    assert calls and calls[0].function.parsed_arguments == Add(a=12, b=30)
    assert calls[0].function.name == "add" and calls[0].type == "function"


def test_a_completion_and_its_stream_say_the_same(client: OpenAI, lenient: OpenAI) -> None:
    options: dict[str, Any] = {
        "model": MODEL,
        "prompt": ["Once upon a time", "My name is"],
        "temperature": 0,
        "max_tokens": 12,
        "n": 2,
        "logprobs": 1,
    }
    whole = client.completions.create(**options)
    assert [choice.index for choice in whole.choices] == [0, 1, 2, 3]
    assert whole.choices[0].text == whole.choices[1].text != whole.choices[2].text
    texts, tokens = [""] * 4, [list[str]() for _ in range(4)]
    # Its types are those of whole completions, whose finish is never null.
    for chunk in lenient.completions.create(**options, stream=True):
        for choice in chunk.choices:
            texts[choice.index] += choice.text
            tokens[choice.index] += (choice.logprobs.tokens or []) if choice.logprobs else []
    assert texts == [choice.text for choice in whole.choices]
    assert tokens == [choice.logprobs.tokens for choice in whole.choices if choice.logprobs]


def test_more_prompts_than_the_server_runs_at_once_are_all_answered_in_order(client: OpenAI) -> None:
    prompts = [f"{number} and" for number in range(300)]
    options: dict[str, Any] = {"model": MODEL, "temperature": 0, "max_tokens": 1}
    together = client.completions.create(prompt=prompts, best_of=2, **options)
    assert [choice.index for choice in together.choices] == [*range(300)]
    for number in (0, 150, 299):
        alone = client.completions.create(prompt=prompts[number], **options)
        assert together.choices[number].text == alone.choices[0].text


def test_an_echo_of_token_ids_scores_the_prompt(lenient: OpenAI) -> None:
    # Its types have no null among log-probabilities, which OpenAI's first token of an echo has.
    options: dict[str, Any] = {"model": MODEL, "echo": True, "logprobs": 1, "temperature": 0}
    (choice,) = lenient.completions.create(**options, prompt=[40, 50, 60, 70], max_tokens=1).choices
    (alone,) = lenient.completions.create(**options, prompt=[40, 50, 60, 70], max_tokens=0).choices
    assert choice.logprobs is not None and alone.logprobs is not None
    scores = choice.logprobs.token_logprobs
    assert scores is not None and alone.logprobs.token_logprobs is not None
    assert scores[0] is None and len(scores) == 5
    assert scores[1:4] == pytest.approx(alone.logprobs.token_logprobs[1:], abs=1e-4)
    assert choice.text.startswith(alone.text)


def test_vectors_are_of_unit_length_and_alike_in_both_encodings(client: OpenAI, lenient: OpenAI) -> None:
    numbers = client.embeddings.create(model=MODEL, input=["one", "two"], encoding_format="float")
    # The client's own default is base64, which its strict types do not admit before it decodes it.
    decoded = lenient.embeddings.create(model=MODEL, input=["one", "two"])
    assert [item.index for item in numbers.data] == [0, 1]
    for item, other in zip(numbers.data, decoded.data, strict=True):
        assert sum(entry**2 for entry in item.embedding) == pytest.approx(1, abs=1e-4)
        assert item.embedding == pytest.approx(other.embedding, abs=1e-4)


def test_the_raw_answer_has_the_headers(client: OpenAI) -> None:
    raw = client.chat.completions.with_raw_response.create(
        **ask("Hello!"), extra_headers={"x-request-id": "mine-1"}
    )
    assert raw.headers["x-request-id"] == raw.parse()._request_id == "mine-1"


ERRORS: list[tuple[dict[str, Any], type[openai.APIStatusError], str, str]] = [
    (ask("a", temperature=3), openai.BadRequestError, "integer_above_max_value", "temperature"),
    (ask("a", extra_body={"surprise": 1}), openai.BadRequestError, "unknown_parameter", "surprise"),
    (ask("a", top_logprobs=1), openai.BadRequestError, "invalid_value", "top_logprobs"),
    (ask("a" * 3000), openai.BadRequestError, "context_length_exceeded", "messages"),
    (ask("a", max_completion_tokens=5000), openai.BadRequestError, "context_length_exceeded", "messages"),
    (ask("a", extra_body={"guided_regex": "("}), openai.BadRequestError, "invalid_value", "guided_regex"),
    (ask("a", logit_bias={"99999": 1}), openai.BadRequestError, "invalid_value", "logit_bias.99999"),
    (ask("a", model="gpt-9"), openai.NotFoundError, "model_not_found", "model"),
]


@pytest.mark.parametrize(("options", "kind", "code", "param"), ERRORS)
@pytest.mark.parametrize("stream", [False, True])
def test_what_is_refused_is_the_right_exception_with_code_param_and_request(
    client: OpenAI,
    options: dict[str, Any],
    kind: type[openai.APIStatusError],
    code: str,
    param: str,
    stream: bool,
) -> None:
    with pytest.raises(kind) as refused:
        client.chat.completions.create(**options, stream=stream)
    assert (refused.value.code, refused.value.param) == (code, param)
    assert refused.value.type == "invalid_request_error"
    assert refused.value.request_id


async def test_the_async_client_answers_streams_and_is_refused_too(async_client: AsyncOpenAI) -> None:
    whole = await async_client.chat.completions.create(**ask("Hello!"))
    stream = await async_client.chat.completions.create(**ask("Hello!"), stream=True)
    pieces = [chunk.choices[0].delta.content or "" async for chunk in stream]
    assert "".join(pieces) == whole.choices[0].message.content
    async with async_client.chat.completions.stream(**ask("Hello!")) as helper:
        final = await helper.get_final_completion()
    assert final.choices[0].message.content == whole.choices[0].message.content
    with pytest.raises(openai.NotFoundError):
        await async_client.completions.create(model="gpt-9", prompt="a")
    assert (await async_client.completions.create(model=MODEL, prompt="The", max_tokens=3)).choices[0].text


def test_a_server_with_a_key_refuses_strangers(guarded_server_url: str) -> None:
    url = f"{guarded_server_url}/openai/v1"
    with OpenAI(base_url=url, api_key=API_KEY, max_retries=0) as client:
        assert client.models.list().data
        with pytest.raises(openai.AuthenticationError) as stranger:
            client.with_options(api_key="wrong").models.list()
    assert stranger.value.code == "invalid_api_key"


async def test_a_full_server_is_tried_again_when_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = asyncio.Event()
    slept_s: list[float] = []
    engine = ScriptedEngine(says("a"), gate=gate)
    transport = httpx2.ASGITransport(build_app(Settings(max_concurrent_requests=1), engine))
    async with httpx2.AsyncClient(transport=transport) as http_client:
        client = AsyncOpenAI(
            base_url="http://test/openai/v1", api_key="-", http_client=http_client, max_retries=0
        )
        first = asyncio.create_task(client.completions.create(model=MODEL, prompt="a"))
        await until(lambda: engine.num_running > 0)
        with pytest.raises(openai.RateLimitError) as full:
            await client.completions.create(model=MODEL, prompt="a")
        wait_s = float(full.value.response.headers["retry-after"])

        async def sleep(seconds: float) -> None:
            """Return when there is room, in place of the client's wait."""
            slept_s.append(seconds)
            gate.set()
            await first

        monkeypatch.setattr("openai._base_client.anyio.sleep", sleep)
        second = await client.with_options(max_retries=1).completions.create(model=MODEL, prompt="a")
        assert (await first).choices[0].text == second.choices[0].text == "a"
    assert full.value.code == "rate_limit_exceeded"
    # Seconds of the header, which differ from one refusal to the next; without it they would be at most 0.5.
    assert len(slept_s) == 1 and min(wait_s, *slept_s) >= 1
