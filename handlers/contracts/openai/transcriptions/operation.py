"""The operations `/v1/audio/transcriptions` and `/v1/audio/translations`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from engine.port.errors import InvalidMedia
from generated.openai import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.contracts.openai.errors import to_problem
from handlers.contracts.openai.transcriptions.request import transcription_request, translation_request
from handlers.contracts.openai.transcriptions.response import (
    Transcribed,
    Translated,
    event_of,
    transcribed,
    translated,
)
from handlers.served_model.served_model import ServedModel
from handlers.transcription.transcript import Transcribes
from verbatim_kit.runtime.operation import Call
from verbatim_kit.runtime.problem import Problem


class Transcriptions:
    """Writes down what is said in audio, in their language or in English."""

    def __init__(self, shared: ServedModel, transcriber: Transcribes) -> None:
        self._shared = shared
        self._transcriber = transcriber

    async def transcribe(self, body: m.CreateTranscriptionRequest, call: Call[Any]) -> Transcribed:
        with self._open(call) as active:
            self._shared.model_names.resolve(body.model)
            request = transcription_request(body)
            transcript = await self._transcriber.transcribe(active, request)
        num_tokens = transcript.usage.num_output_tokens
        return await self._shared.workers.write(
            num_tokens, transcribed, transcript, request, body.response_format
        )

    async def stream(
        self, body: m.CreateTranscriptionRequest, call: Call[Any]
    ) -> AsyncGenerator[m.TranscriptTextDeltaEvent | m.TranscriptTextDoneEvent, None]:
        with self._open(call) as active:
            self._shared.model_names.resolve(body.model)
            request = transcription_request(body)
            events = self._transcriber.stream(active, request)
            async with aclosing(events):
                async for event in events:
                    yield event_of(event, request)

    async def translate(self, body: m.CreateTranslationRequest, call: Call[Any]) -> Translated:
        with self._open(call) as active:
            self._shared.model_names.resolve(body.model)
            transcript = await self._transcriber.transcribe(active, translation_request(body))
        num_tokens = transcript.usage.num_output_tokens
        return await self._shared.workers.write(num_tokens, translated, transcript, body.response_format)

    def _open(self, call: Call[Any]) -> ActiveRequest:
        return self._shared.active_requests.open(call.received_s, _to_problem)


def _to_problem(error: Exception) -> Exception:
    if isinstance(error, InvalidMedia):
        return Problem(400, error.reason, "invalid_value", field="file")
    return to_problem(error, prompt_field="prompt")
