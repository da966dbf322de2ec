"""OpenAI's own client uploads a sound and reads every form of its transcript."""

import io
from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import openai
import pytest
from openai.types.audio import Transcription, TranscriptionVerbose

from handlers.transcription.chunks import PauseRules
from tests.unit.handlers.contracts.openai.transcriptions.scripted import MODEL, SOUND, SpeechApi

TEXT = "Good morning. It's late."


@pytest.fixture
async def client() -> AsyncGenerator[openai.AsyncOpenAI, None]:
    transport = httpx2.ASGITransport(SpeechApi(upload_limit=2000).app)
    http = httpx2.AsyncClient(transport=transport)
    async with openai.AsyncOpenAI(
        base_url="http://test/openai/v1", api_key="-", http_client=http, max_retries=0
    ) as one:
        yield one


def sound() -> io.BytesIO:
    file = io.BytesIO(SOUND)
    file.name = "a.wav"
    return file


async def test_the_usual_answer_is_a_transcription(client: openai.AsyncOpenAI) -> None:
    answer = await client.audio.transcriptions.create(file=sound(), model=MODEL, language="de", prompt="Ja.")
    assert isinstance(answer, Transcription)
    assert answer.text == TEXT
    assert answer.usage is not None
    assert (answer.usage.type, answer.model_extra) == ("duration", {})


async def test_a_verbose_answer_has_words_and_segments(client: openai.AsyncOpenAI) -> None:
    answer: Any = await client.audio.transcriptions.create(
        file=("a.wav", SOUND),
        model=MODEL,
        response_format="verbose_json",
        timestamp_granularities=["word", "segment"],
        temperature=0.2,
    )
    assert isinstance(answer, TranscriptionVerbose)
    assert (answer.language, answer.duration) == ("german", 3.5)
    assert answer.words is not None
    assert answer.segments is not None
    assert [word.word for word in answer.words] == ["Good", "morning."]
    assert answer.segments[0].text == " Good morning."


@pytest.mark.parametrize(("form", "start"), [("text", TEXT), ("srt", "1\n00:"), ("vtt", "WEBVTT\n")])
async def test_texts_and_subtitles_are_strings(client: openai.AsyncOpenAI, form: Any, start: str) -> None:
    answer: Any = await client.audio.transcriptions.create(file=sound(), model=MODEL, response_format=form)
    assert isinstance(answer, str)
    assert answer.startswith(start)
    with pytest.deprecated_call():
        answer = await client.audio.translations.create(file=sound(), model=MODEL, response_format=form)
    assert answer.startswith(start)


async def test_a_stream_ends_with_the_whole_text(client: openai.AsyncOpenAI) -> None:
    stream = await client.audio.transcriptions.create(
        file=sound(), model=MODEL, stream=True, chunking_strategy="auto"
    )
    events: list[Any] = [event async for event in stream]
    assert [event.type for event in events] == ["transcript.text.delta"] * 2 + ["transcript.text.done"]
    assert "".join(event.delta for event in events[:-1]) == events[-1].text == TEXT
    assert events[-1].usage.total_tokens == 13


async def test_tokens_have_their_log_probabilities() -> None:
    api = SpeechApi()
    http = httpx2.AsyncClient(transport=httpx2.ASGITransport(api.app))
    async with openai.AsyncOpenAI(
        base_url="http://test/openai/v1", api_key="-", http_client=http, max_retries=0
    ) as client:
        answer = await client.audio.transcriptions.create(
            file=sound(),
            model=MODEL,
            include=["logprobs"],
            chunking_strategy={"type": "server_vad", "threshold": 0.25, "silence_duration_ms": 500},
        )
        stream = await client.audio.transcriptions.create(
            file=sound(), model=MODEL, include=["logprobs"], stream=True
        )
        events: list[Any] = [event async for event in stream]
    assert answer.logprobs is not None
    assert [one.logprob for one in answer.logprobs] == [-0.5, -9999, 0, -0.25, -1]
    assert (
        bytes(int(byte) for one in answer.logprobs for byte in one.bytes or []).decode()
        == " Good morning. It’s late."
    )
    assert [one.token for event in events[:-1] for one in event.logprobs][:2] == [" Good", " morning."]
    assert [one.token for one in events[-1].logprobs] == [one.token for one in answer.logprobs]
    assert [request.pauses for request in api.transcriber.requests] == [PauseRules(0.25, 300, 500), None]


async def test_a_translation_is_a_text(client: openai.AsyncOpenAI) -> None:
    with pytest.deprecated_call():
        answer = await client.audio.translations.create(file=sound(), model=MODEL)
    assert answer.text == TEXT


@pytest.mark.parametrize(
    ("fields", "kind", "param"),
    [
        ({"model": "other"}, openai.NotFoundError, "model"),
        ({"include": ["logprobs"], "response_format": "srt"}, openai.BadRequestError, "include[]"),
        ({"known_speaker_names": ["a", "b"]}, openai.BadRequestError, "known_speaker_names[]"),
        ({"response_format": "diarized_json"}, openai.BadRequestError, "response_format"),
        ({"chunking_strategy": {"type": "near"}}, openai.BadRequestError, "chunking_strategy[type]"),
        (
            {"chunking_strategy": {"type": "server_vad", "threshold": 1.5}},
            openai.BadRequestError,
            "chunking_strategy[threshold]",
        ),
        ({"timestamp_granularities": ["word"]}, openai.BadRequestError, "timestamp_granularities[]"),
        ({"file": ("a.wav", b"")}, openai.BadRequestError, "file"),
    ],
)
async def test_what_is_refused_is_named(
    client: openai.AsyncOpenAI, fields: dict[str, Any], kind: type[openai.APIStatusError], param: str
) -> None:
    request: dict[str, Any] = {"file": sound(), "model": MODEL, **fields}
    with pytest.raises(kind) as raised:
        await client.audio.transcriptions.create(**request)
    assert raised.value.param == param


async def test_an_upload_over_the_bound_is_refused(client: openai.AsyncOpenAI) -> None:
    with pytest.raises(openai.APIStatusError) as raised:
        await client.audio.transcriptions.create(file=("a.wav", bytes(3000)), model=MODEL)
    assert raised.value.status_code == 413
