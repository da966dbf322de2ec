# Generated from specs/mindie: mend the document or its overlay, never this file.
"""MindIE chat completions 2.3.0: its operations, and the interface that its handlers implement."""

from abc import abstractmethod
from typing import ClassVar, Final, TypedDict

from verbatim_kit.runtime.operation import (
    Answer,
    Call,
    EventStream,
    Handlers,
    Operation,
)

from . import models as m


class NoHeaders(TypedDict):
    """The document declares no header for the answer."""


OPERATIONS: Final = (
    Operation(
        id="chatCompletions",
        handler="chat_completions",
        method="POST",
        path="/v1/chat/completions",
        summary="Answer a conversation; `stream` chooses one JSON answer or server-sent events",
        body=m.ChatRequest,
        response=m.ChatCompletion,
        media_type="application/json",
        event=m.ChatCompletionEvent,
        terminator="[DONE]",
        errors={
            401: m.ErrorResponse,
            413: m.ErrorResponse,
            415: m.ErrorResponse,
            422: m.ErrorResponse,
            424: m.ErrorResponse,
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=422,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
)


class Operations(Handlers):
    """One method an operation; whoever implements them all can be served."""

    table: ClassVar[tuple[Operation, ...]] = OPERATIONS

    @abstractmethod
    async def chat_completions(
        self, body: m.ChatRequest, call: Call[NoHeaders]
    ) -> Answer[m.ChatCompletion] | EventStream[m.ChatCompletionEvent]:
        """POST /v1/chat/completions: Answer a conversation; `stream` chooses one JSON answer or server-sent events

        Declared errors:
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            422: The request is not what this document says, or breaks a rule that no schema states
            424: The engine failed
            500: The engine gave no whole answer, or the server failed
            503: The server has as many requests as it takes at once, or is shutting down
        """
