# Generated from specs/tokens: mend the document or its overlay, never this file.
"""Token API 0.33.0: its operations, and the interface that its handlers implement."""

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
        id="generate",
        handler="generate",
        method="POST",
        path="/inference/v1/generate",
        summary="Continue token ids; `stream` chooses one JSON answer or server-sent events",
        body=m.GenerateRequest,
        response=m.GenerateResponse,
        media_type="application/json",
        event=m.GenerateStreamEvent,
        terminator="[DONE]",
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
    Operation(
        id="abortRequests",
        handler="abort_requests",
        method="POST",
        path="/inference/v1/abort_requests",
        summary="End requests by the names that they were sent with",
        body=m.AbortRequest,
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            413: m.ErrorResponse,
            415: m.ErrorResponse,
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="listModels",
        handler="list_models",
        method="GET",
        path="/v1/models",
        summary="List what is served",
        response=m.ModelList,
        media_type="application/json",
        errors={
            401: m.ErrorResponse,
            500: m.ErrorResponse,
        },
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="health",
        handler="health",
        method="GET",
        path="/health",
        summary="Tell whether requests are taken",
        errors={
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
    ),
)


class Operations(Handlers):
    """One method an operation; whoever implements them all can be served."""

    table: ClassVar[tuple[Operation, ...]] = OPERATIONS

    @abstractmethod
    async def generate(
        self, body: m.GenerateRequest, call: Call[NoHeaders]
    ) -> Answer[m.GenerateResponse] | EventStream[m.GenerateStreamEvent]:
        """POST /inference/v1/generate: Continue token ids; `stream` chooses one JSON answer or server-sent events

        Declared errors:
            400: The request is not what this document says, or the model cannot run it
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def abort_requests(self, body: m.AbortRequest, call: Call[NoHeaders]) -> None:
        """POST /inference/v1/abort_requests: End requests by the names that they were sent with

        Declared errors:
            400: The request is not what this document says, or the model cannot run it
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def list_models(self, call: Call[NoHeaders]) -> Answer[m.ModelList]:
        """GET /v1/models: List what is served

        Declared errors:
            401: The server has a key, and the request has none or another
            500: The server failed
        """

    @abstractmethod
    async def health(self, call: Call[NoHeaders]) -> None:
        """GET /health: Tell whether requests are taken

        Declared errors:
            500: The server failed
            503: The server is starting or shutting down
        """
