"""Speech through the whole application, with an engine that transcribes."""

from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx
import pytest
import pytest_asyncio

from engine.async_engine import AsyncEngine
from handlers.composition import build_app
from handlers.concurrency.workers import Workers
from handlers.settings.settings import Settings
from handlers.transcription.transcriber import Transcriber
from tests.support.samples.sounds import encoded, sound_bytes, tone
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.speech import save_tiny_speech
from tests.support.transcripts import GREEDY, transcribe
from tests.unit.verbatim_kit.runtime.client import events, send

SOUND = sound_bytes(5.0, seed=1)  # two windows of the model's
MODEL = "hears"
TRANSCRIPTIONS, TRANSLATIONS = "/openai/v1/audio/transcriptions", "/openai/v1/audio/translations"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def engine(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[AsyncEngine]:
    directory: Path = save_tiny_speech(tmp_path_factory.mktemp("whisper"))
    engine = await AsyncEngine.start(tiny_config(directory, dtype="float32"))
    yield engine
    await engine.stop()


@pytest.fixture(scope="module")
def app(engine: AsyncEngine) -> Any:
    return build_app(Settings(served_model_name=MODEL, check_responses="fail"), engine)


@pytest.fixture(scope="module")
def greedy_app(engine: AsyncEngine) -> Iterator[Any]:
    """The application without the drawn texts by which Whisper's rules replace unlikely ones."""
    workers = Workers(2)
    transcriber = Transcriber(engine, workers, max_seconds=60, rules=GREEDY)
    settings = Settings(served_model_name=MODEL, check_responses="fail")
    yield build_app(settings, engine, transcriber=transcriber)
    workers.shutdown()


async def post(
    app: Any, path: str, fields: Mapping[str, Any] = MappingProxyType({}), *, sound: bytes = SOUND
) -> httpx.Response:
    texts = {"model": MODEL, **fields}
    return await send(app, "POST", path, data=texts, files={"file": ("a.wav", sound)})


async def test_a_transcript_is_the_transcribers(engine: AsyncEngine, greedy_app: Any) -> None:
    expected = await transcribe(engine, SOUND, GREEDY, segments=True, words=True)
    answer = await post(
        greedy_app,
        TRANSCRIPTIONS,
        {"response_format": "verbose_json", "timestamp_granularities[]": ["segment", "word"]},
    )
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["text"] == expected.text and told["text"]
    assert [each["text"] for each in told["segments"]] == [each.text for each in expected.segments]
    assert [each["word"].strip() for each in told["words"]] == [each.text.strip() for each in expected.words]
    assert told["duration"] == 5.0 and told["words"]


async def test_a_stream_has_the_text_of_a_whole_answer(app: Any) -> None:
    whole = await post(app, TRANSCRIPTIONS, {"response_format": "srt"})
    streamed = events(await post(app, TRANSCRIPTIONS, {"stream": "true"}))
    assert whole.text.startswith("1\n00:00:0") and streamed[-1] == "[DONE]"
    assert '"transcript.text.done"' in streamed[-2]


async def test_a_translation_is_another_task(greedy_app: Any) -> None:
    answers = [await post(greedy_app, path) for path in (TRANSCRIPTIONS, TRANSLATIONS)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json()["text"] != answers[1].json()["text"]


@pytest.mark.parametrize(
    ("sound", "param"),
    [(b"hello", "file"), (encoded(tone(0.5), format="flac", codec="flac")[:200], "file")],
    ids=["text", "cut off"],
)
async def test_a_file_that_is_no_sound_is_refused(app: Any, sound: bytes, param: str) -> None:
    answer = await post(app, TRANSCRIPTIONS, sound=sound)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)


async def test_an_unknown_language_is_refused(app: Any) -> None:
    answer = await post(app, TRANSCRIPTIONS, {"language": "xx"})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "language")
