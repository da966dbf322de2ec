# Generated from specs/open_responses: mend the document or its overlay, never this file.
"""Open Responses 2026-04-24: its operations, and the interface that its handlers implement."""

from abc import abstractmethod
from typing import ClassVar, Final, Required, TypedDict

from verbatim_kit.runtime.operation import (
    Answer,
    Call,
    EventStream,
    Handlers,
    Operation,
    WebSocketForm,
)

from . import models as m


class NoHeaders(TypedDict):
    """The document declares no header for the answer."""


CreateResponseHeaders = TypedDict(
    "CreateResponseHeaders",
    {
        "x-request-id": Required[str],
        "x-ratelimit-limit-requests": int,
        "x-ratelimit-remaining-requests": int,
        "x-ratelimit-reset-requests": str,
        "x-ratelimit-limit-tokens": int,
        "x-ratelimit-remaining-tokens": int,
        "x-ratelimit-reset-tokens": str,
    },
    total=False,
)

OPERATIONS: Final = (
    Operation(
        id="createResponse",
        handler="create_response",
        method="POST",
        path="/v1/responses",
        summary="Answer an input of items with items, whole or as a stream of typed events",
        body=m.CreateResponseBody,
        response=m.ResponseResource,
        media_type="application/json",
        event=m.ResponseStreamingEvent,
        event_name="type",
        terminator="[DONE]",
        web_socket=WebSocketForm(
            "response.create", without=("stream", "stream_options", "background"), sets={"stream": True}
        ),
        headers={
            "x-request-id": True,
            "x-ratelimit-limit-requests": False,
            "x-ratelimit-remaining-requests": False,
            "x-ratelimit-reset-requests": False,
            "x-ratelimit-limit-tokens": False,
            "x-ratelimit-remaining-tokens": False,
            "x-ratelimit-reset-tokens": False,
        },
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            404: m.ErrorResponse,
            413: m.ErrorResponse,
            415: m.ErrorResponse,
            429: m.ErrorResponse,
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
)


class Operations(Handlers):
    """One method an operation; whoever implements them all can be served."""

    table: ClassVar[tuple[Operation, ...]] = OPERATIONS

    @abstractmethod
    async def create_response(
        self, body: m.CreateResponseBody, call: Call[CreateResponseHeaders]
    ) -> Answer[m.ResponseResource] | EventStream[m.ResponseStreamingEvent]:
        """POST /v1/responses: Answer an input of items with items, whole or as a stream of typed events

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once, or the key has used up its minute
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """
