# Generated from specs/hf: mend the document or its overlay, never this file.
"""Hugging Face Text Generation Inference API 1.0.0: its operations, and the interface that its handlers implement."""

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


GenerateHeaders = TypedDict(
    "GenerateHeaders",
    {
        "x-compute-type": Required[str],
        "x-compute-characters": Required[int],
        "x-total-time": Required[float],
        "x-validation-time": Required[float],
        "x-queue-time": Required[float],
        "x-inference-time": Required[float],
        "x-time-per-token": Required[float],
        "x-prompt-tokens": Required[int],
        "x-generated-tokens": Required[int],
    },
    total=False,
)

GenerateStreamHeaders = TypedDict(
    "GenerateStreamHeaders",
    {
        "x-compute-type": Required[str],
        "x-compute-characters": Required[int],
    },
    total=False,
)

ChatCompletionsHeaders = TypedDict(
    "ChatCompletionsHeaders",
    {
        "x-compute-type": Required[str],
        "x-compute-characters": Required[int],
        "x-total-time": float,
        "x-validation-time": float,
        "x-queue-time": float,
        "x-inference-time": float,
        "x-time-per-token": float,
        "x-prompt-tokens": int,
        "x-generated-tokens": int,
    },
    total=False,
)

CompletionsHeaders = TypedDict(
    "CompletionsHeaders",
    {
        "x-compute-type": Required[str],
        "x-compute-characters": Required[int],
        "x-total-time": float,
        "x-validation-time": float,
        "x-queue-time": float,
        "x-inference-time": float,
        "x-time-per-token": float,
        "x-prompt-tokens": int,
        "x-generated-tokens": int,
    },
    total=False,
)

OPERATIONS: Final = (
    Operation(
        id="generate",
        handler="generate",
        method="POST",
        path="/generate",
        summary="Continue a prompt",
        body=m.GenerateRequest,
        response=m.GenerateResponse,
        media_type="application/json",
        headers={
            "x-compute-type": True,
            "x-compute-characters": True,
            "x-total-time": True,
            "x-validation-time": True,
            "x-queue-time": True,
            "x-inference-time": True,
            "x-time-per-token": True,
            "x-prompt-tokens": True,
            "x-generated-tokens": True,
        },
        errors={
            400: m.ErrorResponse,
            422: m.ErrorResponse,
            429: m.ErrorResponse,
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
        id="generateStream",
        handler="generate_stream",
        method="POST",
        path="/generate_stream",
        summary="Continue a prompt token by token",
        body=m.GenerateRequest,
        event=m.StreamEvent,
        headers={
            "x-compute-type": True,
            "x-compute-characters": True,
        },
        errors={
            400: m.ErrorResponse,
            429: m.ErrorResponse,
            422: m.ErrorResponse,
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
        id="chatCompletions",
        handler="chat_completions",
        method="POST",
        path="/v1/chat/completions",
        summary="Answer a conversation",
        body=m.ChatCompletionRequest,
        response=m.ChatCompletionResponse,
        media_type="application/json",
        event=m.ChatCompletionEvent,
        terminator="[DONE]",
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
        },
        errors={
            400: m.ErrorResponse,
            422: m.ErrorResponse,
            429: m.ErrorResponse,
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
        id="completions",
        handler="completions",
        method="POST",
        path="/v1/completions",
        summary="Continue prompts",
        body=m.CompletionRequest,
        response=m.CompletionResponse,
        media_type="application/json",
        event=m.CompletionEvent,
        terminator="[DONE]",
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
        },
        errors={
            400: m.ErrorResponse,
            422: m.ErrorResponse,
            429: m.ErrorResponse,
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
        summary="The served model",
        response=m.ModelList,
        media_type="application/json",
        errors={
            500: m.ErrorResponse,
        },
    ),
    Operation(
        id="getInfo",
        handler="get_info",
        method="GET",
        path="/info",
        summary="What is served, and its limits",
        response=m.Info,
        media_type="application/json",
        errors={
            500: m.ErrorResponse,
        },
    ),
    Operation(
        id="healthCheck",
        handler="health_check",
        method="GET",
        path="/health",
        summary="Health",
        errors={
            503: None,
            500: m.ErrorResponse,
        },
    ),
    Operation(
        id="getMetrics",
        handler="get_metrics",
        method="GET",
        path="/metrics",
        summary="Metrics of the server",
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
        summary="The tokens of a text",
        body=m.TokenizeRequest,
        response=m.TokenizeResponse,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            429: m.ErrorResponse,
            401: m.ErrorResponse,
            413: m.ErrorResponse,
            415: m.ErrorResponse,
            500: m.ErrorResponse,
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
    async def generate(
        self, body: m.GenerateRequest, call: Call[GenerateHeaders]
    ) -> Answer[m.GenerateResponse]:
        """POST /generate: Continue a prompt

        Declared errors:
            400: The request breaks a rule
            422: Generation failed
            429: There is no room for the request now
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON
            500: The server failed
            503: The server is shutting down
        """

    @abstractmethod
    async def generate_stream(
        self, body: m.GenerateRequest, call: Call[GenerateStreamHeaders]
    ) -> EventStream[m.StreamEvent]:
        """POST /generate_stream: Continue a prompt token by token

        Declared errors:
            400: The request breaks a rule
            429: There is no room for the request now
            422: Generation failed
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON
            500: The server failed
            503: The server is shutting down
        """

    @abstractmethod
    async def chat_completions(
        self, body: m.ChatCompletionRequest, call: Call[ChatCompletionsHeaders]
    ) -> Answer[m.ChatCompletionResponse] | EventStream[m.ChatCompletionEvent]:
        """POST /v1/chat/completions: Answer a conversation

        Declared errors:
            400: The request breaks a rule
            422: Generation failed
            429: There is no room for the request now
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON
            500: The server failed
            503: The server is shutting down
        """

    @abstractmethod
    async def completions(
        self, body: m.CompletionRequest, call: Call[CompletionsHeaders]
    ) -> Answer[m.CompletionResponse] | EventStream[m.CompletionEvent]:
        """POST /v1/completions: Continue prompts

        Declared errors:
            400: The request breaks a rule
            422: Generation failed
            429: There is no room for the request now
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON
            500: The server failed
            503: The server is shutting down
        """

    @abstractmethod
    async def list_models(self, call: Call[NoHeaders]) -> Answer[m.ModelList]:
        """GET /v1/models: The served model

        Declared errors:
            500: The server failed
        """

    @abstractmethod
    async def get_info(self, call: Call[NoHeaders]) -> Answer[m.Info]:
        """GET /info: What is served, and its limits

        Declared errors:
            500: The server failed
        """

    @abstractmethod
    async def health_check(self, call: Call[NoHeaders]) -> None:
        """GET /health: Health

        Declared errors:
            503: The server takes no requests
            500: The server failed
        """

    @abstractmethod
    async def get_metrics(self, call: Call[NoHeaders]) -> str:
        """GET /metrics: Metrics of the server

        Declared errors:
            500: The server failed
        """

    @abstractmethod
    async def tokenize(self, body: m.TokenizeRequest, call: Call[NoHeaders]) -> Answer[m.TokenizeResponse]:
        """POST /tokenize: The tokens of a text

        Declared errors:
            400: The request breaks a rule
            429: The key has asked as often as it may in a minute
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON
            500: The server failed
        """
