"""A server of OpenAI's contract whose model transcribes, by a script."""

import math
from collections.abc import AsyncGenerator
from typing import Any

import httpx
from typing_extensions import override

from engine.port.info.capabilities import Capabilities
from handlers.active_requests.active_request import ActiveRequest
from handlers.composition import build_app
from handlers.settings.settings import Settings
from handlers.transcription.transcript import (
    ScoredToken,
    Segment,
    TextDelta,
    Transcribes,
    Transcript,
    TranscriptEvent,
    TranscriptionRequest,
    TranscriptUsage,
    Word,
)
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.verbatim_kit.runtime.client import send

MODEL = "verbatim-demo"
SOUND = b"RIFF" + bytes(40)
TRANSCRIPTIONS, TRANSLATIONS = "/openai/v1/audio/transcriptions", "/openai/v1/audio/translations"


def segment(number: int, start: float, end: float, text: str) -> Segment:
    return Segment(
        id=number,
        start=start,
        end=end,
        text=text,
        token_ids=(50, 60),
        temperature=0.0,
        avg_logprob=-0.25,
        compression_ratio=0.5,
        no_speech_prob=0.125,
    )


SEGMENTS = (
    segment(0, 0, 1.5, " Good morning."),
    segment(1, 1.5, 3723.0004, " It's <late> -->\n\n now & here."),
)
TOKENS = (
    ScoredToken(b" Good", -0.5),
    ScoredToken(b" morning.", -math.inf),
    ScoredToken(b" It", 0.0),
    ScoredToken("’s".encode()[:2], -0.25),
    ScoredToken("’s".encode()[2:] + b" late.", -1.0),
)
WORDS = (Word("Good", 0, 0.5), Word("morning.", 0.5, 1.5))


class ScriptedTranscriber(Transcribes):
    """Answers every sound with one transcript. requests: all that came.

    error: raised in place of it, in a stream after `num_deltas` parts of the text.
    """

    def __init__(self, error: Exception | None = None, num_deltas: int = 0) -> None:
        self.requests: list[TranscriptionRequest] = []
        self._error = error
        self._num_deltas = num_deltas

    @override
    async def transcribe(self, active: ActiveRequest, request: TranscriptionRequest) -> Transcript:
        self.requests.append(request)
        if self._error is not None:
            raise self._error
        return Transcript(
            text="Good morning. It's late.",
            language="de",
            duration=3.5,
            segments=SEGMENTS if request.segments else (),
            words=WORDS if request.words else (),
            tokens=TOKENS if request.logprobs else (),
            usage=TranscriptUsage(seconds=3.5, num_prompt_tokens=4, num_output_tokens=9),
        )

    @override
    async def stream(
        self, active: ActiveRequest, request: TranscriptionRequest
    ) -> AsyncGenerator[TranscriptEvent, None]:
        parts = (("Good morning.", TOKENS[:2]), (" It's late.", TOKENS[2:]))
        for text, tokens in parts if self._error is None else parts[: self._num_deltas]:
            yield TextDelta(text, tokens if request.logprobs else ())
        yield await self.transcribe(active, request)


class SpeechApi:
    """The whole application over a scripted transcriber; every answer is judged by its document."""

    def __init__(self, transcriber: ScriptedTranscriber | None = None, **settings: Any) -> None:
        self.transcriber = transcriber or ScriptedTranscriber()
        engine = ScriptedEngine(says("never"))
        engine.capabilities = Capabilities(transcribes=True, generates_text=False, embeddings=False)
        options = Settings(check_responses="fail", **settings)
        self.app = build_app(options, engine, transcriber=self.transcriber)

    async def post(self, path: str, *parts: Any, **fields: Any) -> httpx.Response:
        """The answer to a form. parts: besides a sound, or in place of it if a file is among them."""
        texts = [(name, (None, str(value))) for name, value in {"model": MODEL, **fields}.items()]
        sound = [] if any(name == "file" for name, _ in parts) else [("file", ("a.wav", SOUND))]
        return await send(self.app, "POST", path, files=[*sound, *texts, *parts])

    async def refused(self, path: str, *parts: Any, **fields: Any) -> tuple[int, str | None, str | None]:
        """The status, the code and the param of an answer that is an error."""
        answer = await self.post(path, *parts, **fields)
        error = answer.json()["error"]
        assert error["message"]
        return answer.status_code, error["code"], error["param"]
