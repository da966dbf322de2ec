# Generated from specs/anthropic: mend the document or its overlay, never this file.
"""Anthropic Messages API 2026-10-21: its operations, and the interface that its handlers implement."""

from abc import abstractmethod
from typing import ClassVar, Final, Required, TypedDict

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


CreateMessageHeaders = TypedDict(
    "CreateMessageHeaders",
    {
        "request-id": Required[str],
        "anthropic-ratelimit-requests-limit": int,
        "anthropic-ratelimit-requests-remaining": int,
        "anthropic-ratelimit-requests-reset": str,
        "anthropic-ratelimit-tokens-limit": int,
        "anthropic-ratelimit-tokens-remaining": int,
        "anthropic-ratelimit-tokens-reset": str,
    },
    total=False,
)

CountMessageTokensHeaders = TypedDict(
    "CountMessageTokensHeaders",
    {
        "request-id": Required[str],
        "anthropic-ratelimit-requests-limit": int,
        "anthropic-ratelimit-requests-remaining": int,
        "anthropic-ratelimit-requests-reset": str,
        "anthropic-ratelimit-tokens-limit": int,
        "anthropic-ratelimit-tokens-remaining": int,
        "anthropic-ratelimit-tokens-reset": str,
    },
    total=False,
)

ListModelsHeaders = TypedDict(
    "ListModelsHeaders",
    {
        "request-id": Required[str],
        "anthropic-ratelimit-requests-limit": int,
        "anthropic-ratelimit-requests-remaining": int,
        "anthropic-ratelimit-requests-reset": str,
        "anthropic-ratelimit-tokens-limit": int,
        "anthropic-ratelimit-tokens-remaining": int,
        "anthropic-ratelimit-tokens-reset": str,
    },
    total=False,
)

GetModelHeaders = TypedDict(
    "GetModelHeaders",
    {
        "request-id": Required[str],
        "anthropic-ratelimit-requests-limit": int,
        "anthropic-ratelimit-requests-remaining": int,
        "anthropic-ratelimit-requests-reset": str,
        "anthropic-ratelimit-tokens-limit": int,
        "anthropic-ratelimit-tokens-remaining": int,
        "anthropic-ratelimit-tokens-reset": str,
    },
    total=False,
)

RenderMessageHeaders = TypedDict(
    "RenderMessageHeaders",
    {
        "request-id": Required[str],
        "anthropic-ratelimit-requests-limit": int,
        "anthropic-ratelimit-requests-remaining": int,
        "anthropic-ratelimit-requests-reset": str,
        "anthropic-ratelimit-tokens-limit": int,
        "anthropic-ratelimit-tokens-remaining": int,
        "anthropic-ratelimit-tokens-reset": str,
    },
    total=False,
)

OPERATIONS: Final = (
    Operation(
        id="createMessage",
        handler="create_message",
        method="POST",
        path="/v1/messages",
        summary="Answer a conversation; `stream` chooses one JSON answer or server-sent events",
        parameters=(
            Parameter("anthropic-version", "header", is_text=True),
            Parameter("anthropic-beta", "header", is_text=True),
        ),
        arguments=m.CreateMessageArguments,
        body=m.MessageCreateParams,
        response=m.Message,
        media_type="application/json",
        event=m.MessageStreamEvent,
        event_name="type",
        headers={
            "request-id": True,
            "anthropic-ratelimit-requests-limit": False,
            "anthropic-ratelimit-requests-remaining": False,
            "anthropic-ratelimit-requests-reset": False,
            "anthropic-ratelimit-tokens-limit": False,
            "anthropic-ratelimit-tokens-remaining": False,
            "anthropic-ratelimit-tokens-reset": False,
        },
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            404: m.ErrorResponse,
            413: m.ErrorResponse,
            429: m.ErrorResponse,
            500: m.ErrorResponse,
            529: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("x-api-key", "authorization", "api-key"),
    ),
    Operation(
        id="countMessageTokens",
        handler="count_message_tokens",
        method="POST",
        path="/v1/messages/count_tokens",
        summary="Count the tokens that a conversation would come to",
        parameters=(
            Parameter("anthropic-version", "header", is_text=True),
            Parameter("anthropic-beta", "header", is_text=True),
        ),
        arguments=m.CountMessageTokensArguments,
        body=m.MessageCountTokensParams,
        response=m.MessageTokensCount,
        media_type="application/json",
        headers={
            "request-id": True,
            "anthropic-ratelimit-requests-limit": False,
            "anthropic-ratelimit-requests-remaining": False,
            "anthropic-ratelimit-requests-reset": False,
            "anthropic-ratelimit-tokens-limit": False,
            "anthropic-ratelimit-tokens-remaining": False,
            "anthropic-ratelimit-tokens-reset": False,
        },
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            404: m.ErrorResponse,
            413: m.ErrorResponse,
            429: m.ErrorResponse,
            500: m.ErrorResponse,
            529: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("x-api-key", "authorization", "api-key"),
    ),
    Operation(
        id="listModels",
        handler="list_models",
        method="GET",
        path="/v1/models",
        summary="List the models, page by page",
        parameters=(
            Parameter("anthropic-version", "header", is_text=True),
            Parameter("anthropic-beta", "header", is_text=True),
            Parameter("after_id", "query", is_text=True),
            Parameter("before_id", "query", is_text=True),
            Parameter("lifecycle[]", "query", is_text=True, is_list=True),
            Parameter("limit", "query", is_text=False),
        ),
        arguments=m.ListModelsArguments,
        response=m.ModelPage,
        media_type="application/json",
        headers={
            "request-id": True,
            "anthropic-ratelimit-requests-limit": False,
            "anthropic-ratelimit-requests-remaining": False,
            "anthropic-ratelimit-requests-reset": False,
            "anthropic-ratelimit-tokens-limit": False,
            "anthropic-ratelimit-tokens-remaining": False,
            "anthropic-ratelimit-tokens-reset": False,
        },
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            404: m.ErrorResponse,
            500: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("x-api-key", "authorization", "api-key"),
    ),
    Operation(
        id="getModel",
        handler="get_model",
        method="GET",
        path="/v1/models/{model_id:path}",
        summary="Tell of one model",
        parameters=(
            Parameter("model_id", "path", is_text=True),
            Parameter("anthropic-version", "header", is_text=True),
            Parameter("anthropic-beta", "header", is_text=True),
        ),
        arguments=m.GetModelArguments,
        response=m.ModelInfo,
        media_type="application/json",
        headers={
            "request-id": True,
            "anthropic-ratelimit-requests-limit": False,
            "anthropic-ratelimit-requests-remaining": False,
            "anthropic-ratelimit-requests-reset": False,
            "anthropic-ratelimit-tokens-limit": False,
            "anthropic-ratelimit-tokens-remaining": False,
            "anthropic-ratelimit-tokens-reset": False,
        },
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            404: m.ErrorResponse,
            500: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("x-api-key", "authorization", "api-key"),
    ),
    Operation(
        id="renderMessage",
        handler="render_message",
        method="POST",
        path="/v1/messages/render",
        summary="Write a conversation as the tokens that the model reads, and answer nothing",
        parameters=(
            Parameter("anthropic-version", "header", is_text=True),
            Parameter("anthropic-beta", "header", is_text=True),
        ),
        arguments=m.RenderMessageArguments,
        body=m.MessageCreateParams,
        response=m.RenderedRequest,
        media_type="application/json",
        headers={
            "request-id": True,
            "anthropic-ratelimit-requests-limit": False,
            "anthropic-ratelimit-requests-remaining": False,
            "anthropic-ratelimit-requests-reset": False,
            "anthropic-ratelimit-tokens-limit": False,
            "anthropic-ratelimit-tokens-remaining": False,
            "anthropic-ratelimit-tokens-reset": False,
        },
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            404: m.ErrorResponse,
            413: m.ErrorResponse,
            429: m.ErrorResponse,
            500: m.ErrorResponse,
            529: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("x-api-key", "authorization", "api-key"),
    ),
)


class Operations(Handlers):
    """One method an operation; whoever implements them all can be served."""

    table: ClassVar[tuple[Operation, ...]] = OPERATIONS

    @abstractmethod
    async def create_message(
        self,
        arguments: m.CreateMessageArguments,
        body: m.MessageCreateParams,
        call: Call[CreateMessageHeaders],
    ) -> Answer[m.Message] | EventStream[m.MessageStreamEvent]:
        """POST /v1/messages: Answer a conversation; `stream` chooses one JSON answer or server-sent events

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            429: The key has made more requests, or used more tokens, than it may in a minute
            500: The server failed
            529: The server has no room for the request now
        """

    @abstractmethod
    async def count_message_tokens(
        self,
        arguments: m.CountMessageTokensArguments,
        body: m.MessageCountTokensParams,
        call: Call[CountMessageTokensHeaders],
    ) -> Answer[m.MessageTokensCount]:
        """POST /v1/messages/count_tokens: Count the tokens that a conversation would come to

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            429: The key has made more requests, or used more tokens, than it may in a minute
            500: The server failed
            529: The server has no room for the request now
        """

    @abstractmethod
    async def list_models(
        self, arguments: m.ListModelsArguments, call: Call[ListModelsHeaders]
    ) -> Answer[m.ModelPage]:
        """GET /v1/models: List the models, page by page

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            500: The server failed
        """

    @abstractmethod
    async def get_model(
        self, arguments: m.GetModelArguments, call: Call[GetModelHeaders]
    ) -> Answer[m.ModelInfo]:
        """GET /v1/models/{model_id}: Tell of one model

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            500: The server failed
        """

    @abstractmethod
    async def render_message(
        self,
        arguments: m.RenderMessageArguments,
        body: m.MessageCreateParams,
        call: Call[RenderMessageHeaders],
    ) -> Answer[m.RenderedRequest]:
        """POST /v1/messages/render: Write a conversation as the tokens that the model reads, and answer nothing

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            429: The key has made more requests, or used more tokens, than it may in a minute
            500: The server failed
            529: The server has no room for the request now
        """
