# Generated from specs/tgi: mend the document or its overlay, never this file.
"""Text Generation Inference 2.3.2-dev0: its operations, and the interface that its handlers implement."""

from abc import abstractmethod
from typing import ClassVar, Final, Required, TypedDict

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


CompatGenerateHeaders = TypedDict(
    "CompatGenerateHeaders",
    {
        "x-compute-type": Required[str],
        "x-compute-characters": Required[int],
        "x-accel-buffering": str,
        "x-total-time": int,
        "x-validation-time": int,
        "x-queue-time": int,
        "x-inference-time": int,
        "x-time-per-token": int,
        "x-prompt-tokens": int,
        "x-generated-tokens": int,
        "x-compute-time": float,
    },
    total=False,
)

GenerateHeaders = TypedDict(
    "GenerateHeaders",
    {
        "x-compute-type": Required[str],
        "x-compute-characters": Required[int],
        "x-total-time": int,
        "x-validation-time": int,
        "x-queue-time": int,
        "x-inference-time": int,
        "x-time-per-token": int,
        "x-prompt-tokens": int,
        "x-generated-tokens": int,
        "x-compute-time": float,
    },
    total=False,
)

GenerateStreamHeaders = TypedDict(
    "GenerateStreamHeaders",
    {
        "x-compute-type": Required[str],
        "x-compute-characters": Required[int],
        "x-accel-buffering": str,
    },
    total=False,
)

ChatCompletionsHeaders = TypedDict(
    "ChatCompletionsHeaders",
    {
        "x-compute-type": Required[str],
        "x-compute-characters": Required[int],
        "x-accel-buffering": str,
        "x-total-time": int,
        "x-validation-time": int,
        "x-queue-time": int,
        "x-inference-time": int,
        "x-time-per-token": int,
        "x-prompt-tokens": int,
        "x-generated-tokens": int,
        "x-compute-time": float,
    },
    total=False,
)

CompletionsHeaders = TypedDict(
    "CompletionsHeaders",
    {
        "x-compute-type": Required[str],
        "x-compute-characters": Required[int],
        "x-accel-buffering": str,
        "x-total-time": int,
        "x-validation-time": int,
        "x-queue-time": int,
        "x-inference-time": int,
        "x-time-per-token": int,
        "x-prompt-tokens": int,
        "x-generated-tokens": int,
    },
    total=False,
)

OPERATIONS: Final = (
    Operation(
        id="compat_generate",
        handler="compat_generate",
        method="POST",
        path="/",
        summary="Generate text; `stream` chooses one JSON answer or server-sent events",
        body=m.CompatGenerateRequest,
        response=m.CompatGenerateResponse,
        media_type="application/json",
        event=m.StreamEvent,
        headers={
            "x-compute-type": True,
            "x-compute-characters": True,
            "x-accel-buffering": False,
            "x-total-time": False,
            "x-validation-time": False,
            "x-queue-time": False,
            "x-inference-time": False,
            "x-time-per-token": False,
            "x-prompt-tokens": False,
            "x-generated-tokens": False,
            "x-compute-time": False,
        },
        errors={
            422: m.ErrorResponse,
            424: m.ErrorResponse,
            429: m.ErrorResponse,
            500: m.ErrorResponse,
            401: m.ErrorResponse,
            413: m.ErrorResponse,
            415: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=422,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="generate",
        handler="generate",
        method="POST",
        path="/generate",
        summary="Generate text and answer when it is complete",
        body=m.GenerateRequest,
        response=m.GenerateResponse,
        media_type="application/json",
        headers={
            "x-compute-type": True,
            "x-compute-characters": True,
            "x-total-time": False,
            "x-validation-time": False,
            "x-queue-time": False,
            "x-inference-time": False,
            "x-time-per-token": False,
            "x-prompt-tokens": False,
            "x-generated-tokens": False,
            "x-compute-time": False,
        },
        errors={
            422: m.ErrorResponse,
            424: m.ErrorResponse,
            429: m.ErrorResponse,
            500: m.ErrorResponse,
            401: m.ErrorResponse,
            413: m.ErrorResponse,
            415: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=422,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="generate_stream",
        handler="generate_stream",
        method="POST",
        path="/generate_stream",
        summary="Generate text and send one server-sent event a token",
        body=m.GenerateRequest,
        event=m.StreamEvent,
        headers={
            "x-compute-type": True,
            "x-compute-characters": True,
            "x-accel-buffering": False,
        },
        errors={
            422: m.ErrorResponse,
            424: m.ErrorResponse,
            429: m.ErrorResponse,
            500: m.ErrorResponse,
            401: m.ErrorResponse,
            413: m.ErrorResponse,
            415: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=422,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="health",
        handler="health",
        method="GET",
        path="/health",
        summary="Tell whether the server can generate",
        errors={
            503: m.ErrorResponse,
            500: m.ErrorResponse,
        },
    ),
    Operation(
        id="get_model_info",
        handler="get_model_info",
        method="GET",
        path="/info",
        summary="Describe the served model and the limits of this server",
        response=m.Info,
        media_type="application/json",
        errors={
            500: m.ErrorResponse,
        },
    ),
    Operation(
        id="metrics",
        handler="metrics",
        method="GET",
        path="/metrics",
        summary="Counters and timings for Prometheus to scrape",
        response=str,
        media_type="text/plain",
        errors={
            500: m.ErrorResponse,
        },
    ),
    Operation(
        id="tokenize",
        handler="tokenize",
        method="POST",
        path="/tokenize",
        summary="Split a prompt into tokens without generating",
        body=m.GenerateRequest,
        response=m.TokenizeResponse,
        media_type="application/json",
        errors={
            404: m.ErrorResponse,
            422: m.ErrorResponse,
            429: m.ErrorResponse,
            500: m.ErrorResponse,
            401: m.ErrorResponse,
            413: m.ErrorResponse,
            415: m.ErrorResponse,
        },
        validation_status=422,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="chat_completions",
        handler="chat_completions",
        method="POST",
        path="/v1/chat/completions",
        summary="Answer a conversation",
        body=m.ChatRequest,
        response=m.ChatCompletion,
        media_type="application/json",
        event=m.ChatCompletionEvent,
        terminator="[DONE]",
        headers={
            "x-compute-type": True,
            "x-compute-characters": True,
            "x-accel-buffering": False,
            "x-total-time": False,
            "x-validation-time": False,
            "x-queue-time": False,
            "x-inference-time": False,
            "x-time-per-token": False,
            "x-prompt-tokens": False,
            "x-generated-tokens": False,
            "x-compute-time": False,
        },
        errors={
            422: m.ErrorResponse,
            424: m.ErrorResponse,
            429: m.ErrorResponse,
            500: m.ErrorResponse,
            401: m.ErrorResponse,
            413: m.ErrorResponse,
            415: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=422,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="completions",
        handler="completions",
        method="POST",
        path="/v1/completions",
        summary="Continue one prompt or several",
        body=m.CompletionRequest,
        response=m.CompletionFinal,
        media_type="application/json",
        event=m.CompletionEvent,
        terminator="[DONE]",
        headers={
            "x-compute-type": True,
            "x-compute-characters": True,
            "x-accel-buffering": False,
            "x-total-time": False,
            "x-validation-time": False,
            "x-queue-time": False,
            "x-inference-time": False,
            "x-time-per-token": False,
            "x-prompt-tokens": False,
            "x-generated-tokens": False,
        },
        errors={
            422: m.ErrorResponse,
            424: m.ErrorResponse,
            429: m.ErrorResponse,
            500: m.ErrorResponse,
            401: m.ErrorResponse,
            413: m.ErrorResponse,
            415: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=422,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="openai_get_model_info",
        handler="openai_get_model_info",
        method="GET",
        path="/v1/models",
        summary="Describe the served model in the form that OpenAI clients read",
        response=m.ModelList,
        media_type="application/json",
        errors={
            404: m.ErrorResponse,
            500: m.ErrorResponse,
        },
    ),
)


class Operations(Handlers):
    """One method an operation; whoever implements them all can be served."""

    table: ClassVar[tuple[Operation, ...]] = OPERATIONS

    @abstractmethod
    async def compat_generate(
        self, body: m.CompatGenerateRequest, call: Call[CompatGenerateHeaders]
    ) -> Answer[m.CompatGenerateResponse] | EventStream[m.StreamEvent]:
        """POST /: Generate text; `stream` chooses one JSON answer or server-sent events

        Declared errors:
            422: The request breaks a rule of this contract
            424: The model failed while it generated
            429: The server has no room for another request
            500: Generation ended before it was complete
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON
            503: The server is shutting down
        """

    @abstractmethod
    async def generate(
        self, body: m.GenerateRequest, call: Call[GenerateHeaders]
    ) -> Answer[m.GenerateResponse]:
        """POST /generate: Generate text and answer when it is complete

        Declared errors:
            422: The request breaks a rule of this contract
            424: The model failed while it generated
            429: The server has no room for another request
            500: Generation ended before it was complete
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON
            503: The server is shutting down
        """

    @abstractmethod
    async def generate_stream(
        self, body: m.GenerateRequest, call: Call[GenerateStreamHeaders]
    ) -> EventStream[m.StreamEvent]:
        """POST /generate_stream: Generate text and send one server-sent event a token

        Declared errors:
            422: The request breaks a rule of this contract
            424: The model failed while it generated
            429: The server has no room for another request
            500: Generation ended before it was complete
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON
            503: The server is shutting down
        """

    @abstractmethod
    async def health(self, call: Call[NoHeaders]) -> None:
        """GET /health: Tell whether the server can generate

        Declared errors:
            503: The server cannot generate at present
            500: The server failed
        """

    @abstractmethod
    async def get_model_info(self, call: Call[NoHeaders]) -> Answer[m.Info]:
        """GET /info: Describe the served model and the limits of this server

        Declared errors:
            500: The server failed
        """

    @abstractmethod
    async def metrics(self, call: Call[NoHeaders]) -> str:
        """GET /metrics: Counters and timings for Prometheus to scrape

        Declared errors:
            500: The server failed
        """

    @abstractmethod
    async def tokenize(self, body: m.GenerateRequest, call: Call[NoHeaders]) -> Answer[m.TokenizeResponse]:
        """POST /tokenize: Split a prompt into tokens without generating

        Declared errors:
            404: This server has no tokenizer that can answer
            422: The request breaks a rule of this contract
            429: The key has asked as often as it may in a minute
            500: The server failed
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON
        """

    @abstractmethod
    async def chat_completions(
        self, body: m.ChatRequest, call: Call[ChatCompletionsHeaders]
    ) -> Answer[m.ChatCompletion] | EventStream[m.ChatCompletionEvent]:
        """POST /v1/chat/completions: Answer a conversation

        Declared errors:
            422: The request breaks a rule of this contract
            424: The model failed while it generated
            429: The server has no room for another request
            500: Generation ended before it was complete
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON
            503: The server is shutting down
        """

    @abstractmethod
    async def completions(
        self, body: m.CompletionRequest, call: Call[CompletionsHeaders]
    ) -> Answer[m.CompletionFinal] | EventStream[m.CompletionEvent]:
        """POST /v1/completions: Continue one prompt or several

        Declared errors:
            422: The request breaks a rule of this contract
            424: The model failed while it generated
            429: The server has no room for another request
            500: Generation ended before it was complete
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON
            503: The server is shutting down
        """

    @abstractmethod
    async def openai_get_model_info(self, call: Call[NoHeaders]) -> Answer[m.ModelList]:
        """GET /v1/models: Describe the served model in the form that OpenAI clients read

        Declared errors:
            404: No model of that name is served
            500: The server failed
        """
