# Generated from specs/aleph_alpha: mend the document or its overlay, never this file.
"""Aleph Alpha inference API 1.19.0: its operations, and the interface that its handlers implement."""

from abc import abstractmethod
from typing import ClassVar, Final, TypedDict

from verbatim_kit.runtime.operation import (
    Answer,
    Call,
    EventStream,
    Handlers,
    Operation,
    Parameter,
)

from . import models as m


class NoHeaders(TypedDict):
    """The document declares no header for the answer."""


OPERATIONS: Final = (
    Operation(
        id="chatCompletions",
        handler="chat_completions",
        method="POST",
        path="/chat/completions",
        summary="Answer a conversation",
        parameters=(Parameter("nice", "query", is_text=False),),
        arguments=m.ChatCompletionsArguments,
        body=m.ChatRequest,
        response=m.ChatCompletion,
        media_type="application/json",
        event=m.ChatStreamEvent,
        terminator="[DONE]",
        errors={
            400: m.Error,
            401: m.Error,
            404: m.Error,
            413: m.Error,
            415: m.Error,
            500: m.Error,
            429: m.Error,
            503: m.Error,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="complete",
        handler="complete",
        method="POST",
        path="/complete",
        summary="Continue a prompt",
        parameters=(Parameter("nice", "query", is_text=False),),
        arguments=m.CompleteArguments,
        body=m.CompletionRequest,
        response=m.CompletionResponse,
        media_type="application/json",
        event=m.CompletionStreamEvent,
        errors={
            400: m.Error,
            401: m.Error,
            404: m.Error,
            413: m.Error,
            415: m.Error,
            500: m.Error,
            429: m.Error,
            503: m.Error,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="evaluate",
        handler="evaluate",
        method="POST",
        path="/evaluate",
        summary="Tell how likely a completion is after a prompt",
        parameters=(Parameter("nice", "query", is_text=False),),
        arguments=m.EvaluateArguments,
        body=m.EvaluationRequest,
        response=m.EvaluationResponse,
        media_type="application/json",
        errors={
            400: m.Error,
            401: m.Error,
            404: m.Error,
            413: m.Error,
            415: m.Error,
            500: m.Error,
            429: m.Error,
            503: m.Error,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="tokenize",
        handler="tokenize",
        method="POST",
        path="/tokenize",
        summary="Turn a text into tokens",
        body=m.TokenizationRequest,
        response=m.TokenizationResponse,
        media_type="application/json",
        errors={
            400: m.Error,
            401: m.Error,
            404: m.Error,
            413: m.Error,
            415: m.Error,
            500: m.Error,
            429: m.Error,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="detokenize",
        handler="detokenize",
        method="POST",
        path="/detokenize",
        summary="Turn token ids into a text",
        body=m.DetokenizationRequest,
        response=m.DetokenizationResponse,
        media_type="application/json",
        errors={
            400: m.Error,
            401: m.Error,
            404: m.Error,
            413: m.Error,
            415: m.Error,
            500: m.Error,
            429: m.Error,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="modelsAvailable",
        handler="models_available",
        method="GET",
        path="/models_available",
        summary="List the models, in the older form",
        response=m.AvailableModels,
        media_type="application/json",
        errors={
            401: m.Error,
            500: m.Error,
        },
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="modelSettings",
        handler="model_settings",
        method="GET",
        path="/model-settings",
        summary="List the models and what each can do",
        response=m.ModelSettingsList,
        media_type="application/json",
        errors={
            401: m.Error,
            500: m.Error,
        },
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="version",
        handler="version",
        method="GET",
        path="/version",
        summary="Tell the version of the API",
        response=str,
        media_type="text/plain",
        errors={
            401: m.Error,
            500: m.Error,
        },
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
)


class Operations(Handlers):
    """One method an operation; whoever implements them all can be served."""

    table: ClassVar[tuple[Operation, ...]] = OPERATIONS

    @abstractmethod
    async def chat_completions(
        self, arguments: m.ChatCompletionsArguments, body: m.ChatRequest, call: Call[NoHeaders]
    ) -> Answer[m.ChatCompletion] | EventStream[m.ChatStreamEvent]:
        """POST /chat/completions: Answer a conversation

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            500: The server failed
            429: The server has as many sequences as it takes at once, or the key has asked as often as it may
            503: The server is shutting down
        """

    @abstractmethod
    async def complete(
        self, arguments: m.CompleteArguments, body: m.CompletionRequest, call: Call[NoHeaders]
    ) -> Answer[m.CompletionResponse] | EventStream[m.CompletionStreamEvent]:
        """POST /complete: Continue a prompt

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            500: The server failed
            429: The server has as many sequences as it takes at once, or the key has asked as often as it may
            503: The server is shutting down
        """

    @abstractmethod
    async def evaluate(
        self, arguments: m.EvaluateArguments, body: m.EvaluationRequest, call: Call[NoHeaders]
    ) -> Answer[m.EvaluationResponse]:
        """POST /evaluate: Tell how likely a completion is after a prompt

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            500: The server failed
            429: The server has as many sequences as it takes at once, or the key has asked as often as it may
            503: The server is shutting down
        """

    @abstractmethod
    async def tokenize(
        self, body: m.TokenizationRequest, call: Call[NoHeaders]
    ) -> Answer[m.TokenizationResponse]:
        """POST /tokenize: Turn a text into tokens

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            500: The server failed
            429: The server has as many sequences as it takes at once, or the key has asked as often as it may
        """

    @abstractmethod
    async def detokenize(
        self, body: m.DetokenizationRequest, call: Call[NoHeaders]
    ) -> Answer[m.DetokenizationResponse]:
        """POST /detokenize: Turn token ids into a text

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            500: The server failed
            429: The server has as many sequences as it takes at once, or the key has asked as often as it may
        """

    @abstractmethod
    async def models_available(self, call: Call[NoHeaders]) -> Answer[m.AvailableModels]:
        """GET /models_available: List the models, in the older form

        Declared errors:
            401: The server has a key, and the request has none or another
            500: The server failed
        """

    @abstractmethod
    async def model_settings(self, call: Call[NoHeaders]) -> Answer[m.ModelSettingsList]:
        """GET /model-settings: List the models and what each can do

        Declared errors:
            401: The server has a key, and the request has none or another
            500: The server failed
        """

    @abstractmethod
    async def version(self, call: Call[NoHeaders]) -> str:
        """GET /version: Tell the version of the API

        Declared errors:
            401: The server has a key, and the request has none or another
            500: The server failed
        """
