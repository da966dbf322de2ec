"""The PyPI client `text-generation` against TGI's contract, unchanged.

Its chat stream is left out: it cannot read any TGI server's (it feeds `[DONE]` to its JSON parser).
"""

import pytest
from text_generation import AsyncClient, Client
from text_generation.errors import ValidationError
from text_generation.types import Message

# The client was written for pydantic 2's first releases, and its last release is final.
pytestmark = pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20")

PROMPT = "What is Deep Learning?"


@pytest.fixture
def client(server_url: str) -> Client:
    return Client(server_url)


def test_generate_answers_text_with_details(client: Client) -> None:
    response = client.generate(PROMPT, max_new_tokens=8, decoder_input_details=True)
    assert response.details.generated_tokens == len(response.details.tokens) <= 8
    assert response.details.prefill[0].logprob is None
    assert response.details.seed is None
    assert len(response.details.prefill) > 1


def test_generate_best_of_reports_the_others(client: Client) -> None:
    response = client.generate(PROMPT, max_new_tokens=4, best_of=2, do_sample=True)
    assert response.details.seed is not None
    assert response.details.best_of_sequences is not None
    (other,) = response.details.best_of_sequences
    assert other.seed is not None


def test_generate_stops_at_a_stop_sequence_and_keeps_it(client: Client) -> None:
    text = client.generate(PROMPT, max_new_tokens=12).generated_text
    stop = text[2:4]
    response = client.generate(PROMPT, max_new_tokens=12, stop_sequences=[stop])
    assert response.generated_text == text[: text.index(stop) + len(stop)]
    assert response.details.finish_reason == "stop_sequence"


def test_a_single_token_streams_as_a_single_event(client: Client) -> None:
    (event,) = client.generate_stream(PROMPT, max_new_tokens=1)
    assert event.generated_text is not None
    assert event.details is not None and event.details.finish_reason == "length"


def test_generate_stream_ends_with_the_whole_text(client: Client) -> None:
    whole = client.generate(PROMPT, max_new_tokens=10)
    events = list(client.generate_stream(PROMPT, max_new_tokens=10))
    assert events[-1].generated_text == whole.generated_text
    assert [event.token.id for event in events] == [token.id for token in whole.details.tokens]


def test_too_many_tokens_are_a_validation_error(client: Client) -> None:
    with pytest.raises(ValidationError):
        client.generate(PROMPT, max_new_tokens=10_000_000)
    with pytest.raises(ValidationError):
        list(client.generate_stream(PROMPT, max_new_tokens=10_000_000))


def test_chat_answers_a_message(client: Client) -> None:
    response = client.chat([Message(role="user", content="Hello!")], max_tokens=16)
    assert response.choices[0].message.content
    assert response.usage["completion_tokens"] <= 16  # the client leaves it a dictionary


async def test_the_async_client_gives_the_same_text(server_url: str) -> None:
    expected = Client(server_url).generate(PROMPT, max_new_tokens=6).generated_text
    client = AsyncClient(server_url)
    assert (await client.generate(PROMPT, max_new_tokens=6)).generated_text == expected
    events = [event async for event in client.generate_stream(PROMPT, max_new_tokens=6)]
    assert events[-1].generated_text == expected
