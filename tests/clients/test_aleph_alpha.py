"""The PyPI client `aleph-alpha-client` against its contract, unchanged."""

import math
from collections.abc import AsyncIterator, Iterator

import pytest
from aleph_alpha_client import (
    AsyncClient,
    Client,
    CompletionRequest,
    DetokenizationRequest,
    EvaluationRequest,
    Prompt,
    Text,
    TextControl,
    TokenizationRequest,
    Tokens,
)
from aleph_alpha_client.chat import (
    ChatRequest,
    ChatStreamChunk,
    FinishReason,
    Message,
    Role,
    StreamOptions,
    TextMessage,
    Usage,
)
from aleph_alpha_client.completion import CompletionSummary, StreamChunk, StreamSummary

MODEL = "verbatim-demo"
QUESTION = [Message(Role.User, "Hello! Who are you?")]


@pytest.fixture
def client(server_url: str) -> Iterator[Client]:
    client = Client(token="-", host=f"{server_url}/aleph_alpha", total_retries=0)
    yield client
    client.session.close()


@pytest.fixture
async def async_client(server_url: str) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(token="-", host=f"{server_url}/aleph_alpha", total_retries=0) as client:
        yield client


def test_the_version_is_one_that_the_client_takes(client: Client) -> None:
    client.validate_version()


def test_the_model_is_listed(client: Client) -> None:
    (model,) = client.models()
    assert (model["name"], model["max_context_size"]) == (MODEL, 512)


async def test_a_chat_streams_what_it_answers(client: Client, async_client: AsyncClient) -> None:
    request = ChatRequest(
        MODEL, QUESTION, maximum_tokens=40, temperature=0, stream_options=StreamOptions(include_usage=True)
    )
    whole = client.chat(request, MODEL)
    items = [item async for item in async_client.chat_with_streaming(request, MODEL)]
    first, *pieces, finish, usage = items
    assert isinstance(first, ChatStreamChunk) and (first.role, first.content) == (Role.Assistant, "")
    assert "".join(one.content for one in pieces if isinstance(one, ChatStreamChunk)) == whole.message.content
    assert finish == whole.finish_reason == FinishReason.Stop
    assert isinstance(usage, Usage) and usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


def test_an_answer_goes_into_the_next_request(client: Client) -> None:
    first = client.chat(ChatRequest(MODEL, [Message(Role.User, "My name is Ada.")], temperature=0), MODEL)
    messages: list[Message | TextMessage] = [
        Message(Role.System, "You are a helpful assistant."),
        Message(Role.User, "My name is Ada."),
        first.message,
        Message(Role.User, "What is my name?"),
    ]
    answer = client.chat(ChatRequest(MODEL, messages, maximum_tokens=40, temperature=0), MODEL)
    assert "Ada" in answer.message.content


def test_maximum_tokens_bounds_a_chat(client: Client) -> None:
    answer = client.chat(ChatRequest(MODEL, QUESTION, maximum_tokens=2, temperature=0), MODEL)
    assert answer.finish_reason == FinishReason.Length


async def test_a_completion_streams_what_it_answers(client: Client, async_client: AsyncClient) -> None:
    request = CompletionRequest(Prompt.from_text("Once upon a time"), maximum_tokens=8, n=2)
    whole = client.complete(request, MODEL)
    items = [item async for item in async_client.complete_with_streaming(request, MODEL)]
    for index, expected in enumerate(whole.completions):
        pieces = [item for item in items if isinstance(item, StreamChunk) and item.index == index]
        assert "".join(piece.completion for piece in pieces) == expected.completion
    assert sum(isinstance(item, StreamSummary) for item in items) == 2
    assert isinstance(items[-1], CompletionSummary)
    assert items[-1].num_tokens_generated == whole.num_tokens_generated


def test_echo_without_a_completion_tells_of_the_prompt(client: Client) -> None:
    request = CompletionRequest(
        Prompt.from_text("Hello world"), maximum_tokens=0, tokens=True, echo=True, log_probs=0
    )
    (result,) = client.complete(request, MODEL).completions
    assert result.completion == "".join(result.completion_tokens or ()) == "Hello world"
    assert result.log_probs is not None
    assert [len(ranked) for ranked in result.log_probs] == [0] + [1] * (len(result.log_probs) - 1)


def test_the_best_of_several_are_counted_all(client: Client) -> None:
    request = CompletionRequest(
        Prompt.from_tokens([72, 105]), maximum_tokens=1, best_of=2, temperature=1.0, tokens=True
    )
    response = client.complete(request, MODEL)
    assert (response.num_tokens_prompt_total, response.num_tokens_generated) == (4, 2)


# After nothing the model writes newlines one by one, and the tokenizer joins two of them.
@pytest.mark.parametrize(("text", "num_tokens"), [("Hello", 6), ("", 1)])
def test_an_evaluation_says_what_greedy_decoding_would(client: Client, text: str, num_tokens: int) -> None:
    prompt = Prompt.from_text(text)
    request = CompletionRequest(prompt, maximum_tokens=num_tokens, log_probs=0, raw_completion=True)
    (completion,) = client.complete(request, MODEL).completions
    assert completion.raw_completion and completion.log_probs
    scores = [score for ranked in completion.log_probs for score in ranked.values() if score is not None]
    result = client.evaluate(EvaluationRequest(prompt, completion.raw_completion), MODEL).result
    other = client.evaluate(EvaluationRequest(prompt, "zqxj"), MODEL).result
    assert result["correct_greedy"] is True and other["correct_greedy"] is False
    assert result["completion"] == completion.raw_completion
    assert result["token_count"] == len(scores)
    # A prompt is computed at once, a completion token by token: in bfloat16 the last digits differ.
    assert math.isclose(result["log_probability"], sum(scores), abs_tol=0.1)
    assert result["log_perplexity_per_token"] < other["log_perplexity_per_token"]


def test_detokenizing_undoes_tokenizing(client: Client) -> None:
    tokens = client.tokenize(TokenizationRequest("Grüße, world", tokens=True, token_ids=True), MODEL)
    assert tokens.tokens is not None and tokens.token_ids is not None
    assert len(tokens.tokens) == len(tokens.token_ids)
    assert client.detokenize(DetokenizationRequest(tokens.token_ids), MODEL).result == "Grüße, world"


def test_a_nice_client_is_answered_the_same(client: Client, server_url: str) -> None:
    nice = Client(token="-", host=f"{server_url}/aleph_alpha", total_retries=0, nice=True)
    request = CompletionRequest(Prompt([Text.from_text("Hello"), Tokens([33], [])]), maximum_tokens=5)
    assert nice.complete(request, MODEL).completions == client.complete(request, MODEL).completions
    nice.session.close()


def test_what_cannot_be_honoured_is_the_clients_value_error(client: Client) -> None:
    steered = Prompt([Text("Hello", [TextControl(start=0, length=5, factor=2.0)])])
    with pytest.raises(ValueError, match="controls"):
        client.complete(CompletionRequest(steered, maximum_tokens=1), MODEL)
    with pytest.raises(ValueError, match="tools"):
        client.chat(ChatRequest(MODEL, QUESTION, tools=[]), MODEL)


def test_an_unknown_model_is_told_by_its_code(client: Client) -> None:
    with pytest.raises(RuntimeError, match="UNKNOWN_MODEL"):
        client.tokenize(TokenizationRequest("a", tokens=True, token_ids=True), "luminous-base")
