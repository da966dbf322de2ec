# Generated from specs/openai: mend the document or its overlay, never this file.
"""OpenAI API 2.3.0: its operations, and the interface that its handlers implement."""

from abc import abstractmethod
from typing import ClassVar, Final, Required, TypedDict

from verbatim_kit.runtime.operation import (
    Answer,
    Call,
    EventStream,
    FileContent,
    FormField,
    Handlers,
    Operation,
    Parameter,
)

from . import models as m


class NoHeaders(TypedDict):
    """The document declares no header for the answer."""


CreateChatCompletionHeaders = TypedDict(
    "CreateChatCompletionHeaders",
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

CreateCompletionHeaders = TypedDict(
    "CreateCompletionHeaders",
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

CountResponseInputTokensHeaders = TypedDict(
    "CountResponseInputTokensHeaders",
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

CompactResponseHeaders = TypedDict(
    "CompactResponseHeaders",
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

GetResponseHeaders = TypedDict(
    "GetResponseHeaders",
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

DeleteResponseHeaders = TypedDict(
    "DeleteResponseHeaders",
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

CancelResponseHeaders = TypedDict(
    "CancelResponseHeaders",
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

ListInputItemsHeaders = TypedDict(
    "ListInputItemsHeaders",
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

CreateConversationHeaders = TypedDict(
    "CreateConversationHeaders",
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

GetConversationHeaders = TypedDict(
    "GetConversationHeaders",
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

UpdateConversationHeaders = TypedDict(
    "UpdateConversationHeaders",
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

DeleteConversationHeaders = TypedDict(
    "DeleteConversationHeaders",
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

ListConversationItemsHeaders = TypedDict(
    "ListConversationItemsHeaders",
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

CreateConversationItemsHeaders = TypedDict(
    "CreateConversationItemsHeaders",
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

GetConversationItemHeaders = TypedDict(
    "GetConversationItemHeaders",
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

DeleteConversationItemHeaders = TypedDict(
    "DeleteConversationItemHeaders",
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

CreateDecisionHeaders = TypedDict(
    "CreateDecisionHeaders",
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

CreateEmbeddingHeaders = TypedDict(
    "CreateEmbeddingHeaders",
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

CreateTranscriptionHeaders = TypedDict(
    "CreateTranscriptionHeaders",
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

CreateTranslationHeaders = TypedDict(
    "CreateTranslationHeaders",
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

ListFilesHeaders = TypedDict(
    "ListFilesHeaders",
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

CreateFileHeaders = TypedDict(
    "CreateFileHeaders",
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

RetrieveFileHeaders = TypedDict(
    "RetrieveFileHeaders",
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

DeleteFileHeaders = TypedDict(
    "DeleteFileHeaders",
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

DownloadFileHeaders = TypedDict(
    "DownloadFileHeaders",
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

ListBatchesHeaders = TypedDict(
    "ListBatchesHeaders",
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

CreateBatchHeaders = TypedDict(
    "CreateBatchHeaders",
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

RetrieveBatchHeaders = TypedDict(
    "RetrieveBatchHeaders",
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

CancelBatchHeaders = TypedDict(
    "CancelBatchHeaders",
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

ListModelsHeaders = TypedDict(
    "ListModelsHeaders",
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

RetrieveModelHeaders = TypedDict(
    "RetrieveModelHeaders",
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

RenderChatCompletionHeaders = TypedDict(
    "RenderChatCompletionHeaders",
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

RenderCompletionHeaders = TypedDict(
    "RenderCompletionHeaders",
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

RenderResponseHeaders = TypedDict(
    "RenderResponseHeaders",
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

TokenizeHeaders = TypedDict(
    "TokenizeHeaders",
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

DetokenizeHeaders = TypedDict(
    "DetokenizeHeaders",
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

LoadLoraAdapterHeaders = TypedDict(
    "LoadLoraAdapterHeaders",
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

UnloadLoraAdapterHeaders = TypedDict(
    "UnloadLoraAdapterHeaders",
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

DerenderChatCompletionHeaders = TypedDict(
    "DerenderChatCompletionHeaders",
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

DerenderCompletionHeaders = TypedDict(
    "DerenderCompletionHeaders",
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

CreateChatCompletionBatchHeaders = TypedDict(
    "CreateChatCompletionBatchHeaders",
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
        id="createChatCompletion",
        handler="create_chat_completion",
        method="POST",
        path="/v1/chat/completions",
        summary="Answer a conversation; `stream` chooses one JSON answer or server-sent events",
        body=m.CreateChatCompletionRequest,
        response=m.CreateChatCompletionResponse,
        media_type="application/json",
        event=m.ChatCompletionStreamEvent,
        terminator="[DONE]",
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
    Operation(
        id="createCompletion",
        handler="create_completion",
        method="POST",
        path="/v1/completions",
        summary="Continue prompts; `stream` chooses one JSON answer or server-sent events",
        body=m.CreateCompletionRequest,
        response=m.CreateCompletionResponse,
        media_type="application/json",
        event=m.CompletionStreamEvent,
        terminator="[DONE]",
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
    Operation(
        id="createResponse",
        handler="create_response",
        method="POST",
        path="/v1/responses",
        summary="Answer an input of items with items, whole or as a stream of typed events",
        body=m.CreateResponseRequest,
        response=m.Response,
        media_type="application/json",
        event=m.ResponseStreamEvent,
        event_name="type",
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
    Operation(
        id="countResponseInputTokens",
        handler="count_response_input_tokens",
        method="POST",
        path="/v1/responses/input_tokens",
        summary="Count the tokens that an input has, without an answer to it",
        body=m.CountResponseInputTokensRequest,
        response=m.ResponseInputTokens,
        media_type="application/json",
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
    Operation(
        id="compactResponse",
        handler="compact_response",
        method="POST",
        path="/v1/responses/compact",
        summary="Let the model shorten a conversation",
        body=m.CompactResponseRequest,
        response=m.CompactedResponse,
        media_type="application/json",
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
    Operation(
        id="getResponse",
        handler="get_response",
        method="GET",
        path="/v1/responses/{response_id}",
        summary="Return a stored response, or take up its stream again",
        parameters=(
            Parameter("response_id", "path", is_text=True),
            Parameter("stream", "query", is_text=False),
            Parameter("starting_after", "query", is_text=False),
            Parameter("include[]", "query", is_text=True, is_list=True),
            Parameter("include_obfuscation", "query", is_text=False),
        ),
        arguments=m.GetResponseArguments,
        response=m.Response,
        media_type="application/json",
        event=m.ResponseStreamEvent,
        event_name="type",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="deleteResponse",
        handler="delete_response",
        method="DELETE",
        path="/v1/responses/{response_id}",
        summary="Delete a stored response",
        parameters=(Parameter("response_id", "path", is_text=True),),
        arguments=m.DeleteResponseArguments,
        response=m.DeletedResponse,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="cancelResponse",
        handler="cancel_response",
        method="POST",
        path="/v1/responses/{response_id}/cancel",
        summary="Stop a response that is made in the background",
        parameters=(Parameter("response_id", "path", is_text=True),),
        arguments=m.CancelResponseArguments,
        response=m.Response,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="listInputItems",
        handler="list_input_items",
        method="GET",
        path="/v1/responses/{response_id}/input_items",
        summary="List the items that a stored response answers",
        parameters=(
            Parameter("response_id", "path", is_text=True),
            Parameter("limit", "query", is_text=False),
            Parameter("order", "query", is_text=True),
            Parameter("after", "query", is_text=True),
        ),
        arguments=m.ListInputItemsArguments,
        response=m.ResponseItemList,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="createConversation",
        handler="create_conversation",
        method="POST",
        path="/v1/conversations",
        summary="Begin a conversation",
        body=m.CreateConversationRequest,
        response=m.Conversation,
        media_type="application/json",
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
        id="getConversation",
        handler="get_conversation",
        method="GET",
        path="/v1/conversations/{conversation_id}",
        summary="Return a conversation",
        parameters=(Parameter("conversation_id", "path", is_text=True),),
        arguments=m.GetConversationArguments,
        response=m.Conversation,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="updateConversation",
        handler="update_conversation",
        method="POST",
        path="/v1/conversations/{conversation_id}",
        summary="Give a conversation other notes",
        parameters=(Parameter("conversation_id", "path", is_text=True),),
        arguments=m.UpdateConversationArguments,
        body=m.UpdateConversationRequest,
        response=m.Conversation,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="deleteConversation",
        handler="delete_conversation",
        method="DELETE",
        path="/v1/conversations/{conversation_id}",
        summary="Delete a conversation",
        parameters=(Parameter("conversation_id", "path", is_text=True),),
        arguments=m.DeleteConversationArguments,
        response=m.DeletedConversation,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="listConversationItems",
        handler="list_conversation_items",
        method="GET",
        path="/v1/conversations/{conversation_id}/items",
        summary="List the items of a conversation",
        parameters=(
            Parameter("conversation_id", "path", is_text=True),
            Parameter("limit", "query", is_text=False),
            Parameter("order", "query", is_text=True),
            Parameter("after", "query", is_text=True),
            Parameter("include[]", "query", is_text=True, is_list=True),
        ),
        arguments=m.ListConversationItemsArguments,
        response=m.ResponseItemList,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="createConversationItems",
        handler="create_conversation_items",
        method="POST",
        path="/v1/conversations/{conversation_id}/items",
        summary="Add items to a conversation",
        parameters=(
            Parameter("conversation_id", "path", is_text=True),
            Parameter("include[]", "query", is_text=True, is_list=True),
        ),
        arguments=m.CreateConversationItemsArguments,
        body=m.CreateConversationItemsRequest,
        response=m.ResponseItemList,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="getConversationItem",
        handler="get_conversation_item",
        method="GET",
        path="/v1/conversations/{conversation_id}/items/{item_id}",
        summary="Return an item of a conversation",
        parameters=(
            Parameter("conversation_id", "path", is_text=True),
            Parameter("item_id", "path", is_text=True),
            Parameter("include[]", "query", is_text=True, is_list=True),
        ),
        arguments=m.GetConversationItemArguments,
        response=m.ResponseStoredItem,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="deleteConversationItem",
        handler="delete_conversation_item",
        method="DELETE",
        path="/v1/conversations/{conversation_id}/items/{item_id}",
        summary="Delete an item of a conversation",
        parameters=(
            Parameter("conversation_id", "path", is_text=True),
            Parameter("item_id", "path", is_text=True),
        ),
        arguments=m.DeleteConversationItemArguments,
        response=m.Conversation,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="createDecision",
        handler="create_decision",
        method="POST",
        path="/v1/decisions",
        summary="Answer many small questions about one input with probabilities",
        body=m.CreateDecisionRequest,
        response=m.Decision,
        media_type="application/json",
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
    Operation(
        id="createEmbedding",
        handler="create_embedding",
        method="POST",
        path="/v1/embeddings",
        summary="Turn texts into vectors",
        body=m.CreateEmbeddingRequest,
        response=m.CreateEmbeddingResponse,
        media_type="application/json",
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
    Operation(
        id="createTranscription",
        handler="create_transcription",
        method="POST",
        path="/v1/audio/transcriptions",
        summary="Write down what is said in a sound; `response_format` and `stream` choose the form",
        body=m.CreateTranscriptionRequest,
        form=(
            FormField("file", "file"),
            FormField("model", "text"),
            FormField("language", "text"),
            FormField("prompt", "text"),
            FormField("response_format", "text"),
            FormField("temperature", "json"),
            FormField("timestamp_granularities[]", "text", is_list=True),
            FormField("stream", "json"),
            FormField(
                "chunking_strategy",
                "text",
                members=(
                    FormField("type", "text"),
                    FormField("threshold", "json"),
                    FormField("prefix_padding_ms", "json"),
                    FormField("silence_duration_ms", "json"),
                ),
            ),
            FormField("include[]", "text", is_list=True),
            FormField("known_speaker_names[]", "text", is_list=True),
            FormField("known_speaker_references[]", "text", is_list=True),
            FormField("seed", "json"),
        ),
        response=m.CreateTranscriptionResponseJson | m.CreateTranscriptionResponseVerboseJson,
        media_type="application/json",
        text_media_type="text/plain",
        event=m.TranscriptionStreamEvent,
        terminator="[DONE]",
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
    Operation(
        id="createTranslation",
        handler="create_translation",
        method="POST",
        path="/v1/audio/translations",
        summary="Write down in English what is said in a sound of another language",
        body=m.CreateTranslationRequest,
        form=(
            FormField("file", "file"),
            FormField("model", "text"),
            FormField("prompt", "text"),
            FormField("response_format", "text"),
            FormField("temperature", "json"),
        ),
        response=m.CreateTranslationResponseJson | m.CreateTranslationResponseVerboseJson,
        media_type="application/json",
        text_media_type="text/plain",
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
    Operation(
        id="listFiles",
        handler="list_files",
        method="GET",
        path="/v1/files",
        summary="List the files of the request's key",
        parameters=(
            Parameter("purpose", "query", is_text=True),
            Parameter("limit", "query", is_text=False),
            Parameter("order", "query", is_text=True),
            Parameter("after", "query", is_text=True),
        ),
        arguments=m.ListFilesArguments,
        response=m.ListFilesResponse,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="createFile",
        handler="create_file",
        method="POST",
        path="/v1/files",
        summary="Store a file, such as the requests of a batch",
        body=m.CreateFileRequest,
        form=(
            FormField("file", "file"),
            FormField("purpose", "text"),
            FormField(
                "expires_after",
                "text",
                members=(
                    FormField("anchor", "text"),
                    FormField("seconds", "json"),
                ),
            ),
        ),
        response=m.StoredFile,
        media_type="application/json",
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
        id="retrieveFile",
        handler="retrieve_file",
        method="GET",
        path="/v1/files/{file_id}",
        summary="Tell of one file",
        parameters=(Parameter("file_id", "path", is_text=True),),
        arguments=m.RetrieveFileArguments,
        response=m.StoredFile,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="deleteFile",
        handler="delete_file",
        method="DELETE",
        path="/v1/files/{file_id}",
        summary="Delete a file",
        parameters=(Parameter("file_id", "path", is_text=True),),
        arguments=m.DeleteFileArguments,
        response=m.DeleteFileResponse,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="downloadFile",
        handler="download_file",
        method="GET",
        path="/v1/files/{file_id}/content",
        summary="Return what is in a file",
        parameters=(Parameter("file_id", "path", is_text=True),),
        arguments=m.DownloadFileArguments,
        response=FileContent,
        media_type="application/octet-stream",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="listBatches",
        handler="list_batches",
        method="GET",
        path="/v1/batches",
        summary="List the batches of the request's key, the newest first",
        parameters=(
            Parameter("after", "query", is_text=True),
            Parameter("limit", "query", is_text=False),
        ),
        arguments=m.ListBatchesArguments,
        response=m.ListBatchesResponse,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="createBatch",
        handler="create_batch",
        method="POST",
        path="/v1/batches",
        summary="Answer the requests in a file when nothing else waits",
        body=m.CreateBatchRequest,
        response=m.Batch,
        media_type="application/json",
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
        id="retrieveBatch",
        handler="retrieve_batch",
        method="GET",
        path="/v1/batches/{batch_id}",
        summary="Tell of one batch",
        parameters=(Parameter("batch_id", "path", is_text=True),),
        arguments=m.RetrieveBatchArguments,
        response=m.Batch,
        media_type="application/json",
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
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="cancelBatch",
        handler="cancel_batch",
        method="POST",
        path="/v1/batches/{batch_id}/cancel",
        summary="Answer no more lines of a batch",
        parameters=(Parameter("batch_id", "path", is_text=True),),
        arguments=m.CancelBatchArguments,
        response=m.Batch,
        media_type="application/json",
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
            409: m.ErrorResponse,
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
        summary="List the models that a request may name",
        response=m.ListModelsResponse,
        media_type="application/json",
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
            401: m.ErrorResponse,
            500: m.ErrorResponse,
        },
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="retrieveModel",
        handler="retrieve_model",
        method="GET",
        path="/v1/models/{model:path}",
        summary="Tell of one model",
        parameters=(Parameter("model", "path", is_text=True),),
        arguments=m.RetrieveModelArguments,
        response=m.Model,
        media_type="application/json",
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
            500: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="renderChatCompletion",
        handler="render_chat_completion",
        method="POST",
        path="/v1/chat/completions/render",
        summary="Write a conversation as the tokens that the model reads, and answer nothing",
        body=m.CreateChatCompletionRequest,
        response=m.RenderedRequest,
        media_type="application/json",
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
    Operation(
        id="renderCompletion",
        handler="render_completion",
        method="POST",
        path="/v1/completions/render",
        summary="Write prompts as the tokens that the model reads, and continue none",
        body=m.CreateCompletionRequest,
        response=m.RenderCompletionResponse,
        media_type="application/json",
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
    Operation(
        id="renderResponse",
        handler="render_response",
        method="POST",
        path="/v1/responses/render",
        summary="Write an input as the tokens that the model reads, and answer nothing",
        body=m.CreateResponseRequest,
        response=m.RenderedRequest,
        media_type="application/json",
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
    Operation(
        id="tokenize",
        handler="tokenize",
        method="POST",
        path="/tokenize",
        summary="Write a text or a conversation as tokens",
        body=m.TokenizeRequest,
        response=m.TokenizeResponse,
        media_type="application/json",
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
    Operation(
        id="detokenize",
        handler="detokenize",
        method="POST",
        path="/detokenize",
        summary="Write tokens as a text",
        body=m.DetokenizeRequest,
        response=m.DetokenizeResponse,
        media_type="application/json",
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
    Operation(
        id="loadLoraAdapter",
        handler="load_lora_adapter",
        method="POST",
        path="/v1/load_lora_adapter",
        summary="Load a LoRA adapter from a folder of the server",
        body=m.LoadLoraAdapterRequest,
        response=str,
        media_type="text/plain",
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
    Operation(
        id="unloadLoraAdapter",
        handler="unload_lora_adapter",
        method="POST",
        path="/v1/unload_lora_adapter",
        summary="Forget a LoRA adapter",
        body=m.UnloadLoraAdapterRequest,
        response=str,
        media_type="text/plain",
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
    Operation(
        id="derenderChatCompletion",
        handler="derender_chat_completion",
        method="POST",
        path="/v1/chat/completions/derender",
        summary="Write generated tokens as the answer to a conversation",
        body=m.DerenderChatRequest,
        response=m.CreateChatCompletionResponse | m.DerenderedChatChunk,
        media_type="application/json",
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
    Operation(
        id="derenderCompletion",
        handler="derender_completion",
        method="POST",
        path="/v1/completions/derender",
        summary="Write generated tokens as continuations of prompts",
        body=m.DerenderCompletionRequest,
        response=m.CreateCompletionResponse | m.DerenderedCompletionChunk,
        media_type="application/json",
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
    Operation(
        id="createChatCompletionBatch",
        handler="create_chat_completion_batch",
        method="POST",
        path="/v1/chat/completions/batch",
        summary="Answer several conversations in one request",
        body=m.CreateChatCompletionBatchRequest,
        response=m.CreateChatCompletionResponse,
        media_type="application/json",
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
    async def create_chat_completion(
        self, body: m.CreateChatCompletionRequest, call: Call[CreateChatCompletionHeaders]
    ) -> Answer[m.CreateChatCompletionResponse] | EventStream[m.ChatCompletionStreamEvent]:
        """POST /v1/chat/completions: Answer a conversation; `stream` chooses one JSON answer or server-sent events

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def create_completion(
        self, body: m.CreateCompletionRequest, call: Call[CreateCompletionHeaders]
    ) -> Answer[m.CreateCompletionResponse] | EventStream[m.CompletionStreamEvent]:
        """POST /v1/completions: Continue prompts; `stream` chooses one JSON answer or server-sent events

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def create_response(
        self, body: m.CreateResponseRequest, call: Call[CreateResponseHeaders]
    ) -> Answer[m.Response] | EventStream[m.ResponseStreamEvent]:
        """POST /v1/responses: Answer an input of items with items, whole or as a stream of typed events

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def count_response_input_tokens(
        self, body: m.CountResponseInputTokensRequest, call: Call[CountResponseInputTokensHeaders]
    ) -> Answer[m.ResponseInputTokens]:
        """POST /v1/responses/input_tokens: Count the tokens that an input has, without an answer to it

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def compact_response(
        self, body: m.CompactResponseRequest, call: Call[CompactResponseHeaders]
    ) -> Answer[m.CompactedResponse]:
        """POST /v1/responses/compact: Let the model shorten a conversation

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def get_response(
        self, arguments: m.GetResponseArguments, call: Call[GetResponseHeaders]
    ) -> Answer[m.Response] | EventStream[m.ResponseStreamEvent]:
        """GET /v1/responses/{response_id}: Return a stored response, or take up its stream again

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No response of this id is stored for the request's key
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def delete_response(
        self, arguments: m.DeleteResponseArguments, call: Call[DeleteResponseHeaders]
    ) -> Answer[m.DeletedResponse]:
        """DELETE /v1/responses/{response_id}: Delete a stored response

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No response of this id is stored for the request's key
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def cancel_response(
        self, arguments: m.CancelResponseArguments, call: Call[CancelResponseHeaders]
    ) -> Answer[m.Response]:
        """POST /v1/responses/{response_id}/cancel: Stop a response that is made in the background

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No response of this id is stored for the request's key
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def list_input_items(
        self, arguments: m.ListInputItemsArguments, call: Call[ListInputItemsHeaders]
    ) -> Answer[m.ResponseItemList]:
        """GET /v1/responses/{response_id}/input_items: List the items that a stored response answers

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No response of this id is stored for the request's key
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def create_conversation(
        self, body: m.CreateConversationRequest, call: Call[CreateConversationHeaders]
    ) -> Answer[m.Conversation]:
        """POST /v1/conversations: Begin a conversation

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def get_conversation(
        self, arguments: m.GetConversationArguments, call: Call[GetConversationHeaders]
    ) -> Answer[m.Conversation]:
        """GET /v1/conversations/{conversation_id}: Return a conversation

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No conversation of this id is stored for the request's key, or it has no such item
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def update_conversation(
        self,
        arguments: m.UpdateConversationArguments,
        body: m.UpdateConversationRequest,
        call: Call[UpdateConversationHeaders],
    ) -> Answer[m.Conversation]:
        """POST /v1/conversations/{conversation_id}: Give a conversation other notes

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No conversation of this id is stored for the request's key, or it has no such item
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def delete_conversation(
        self, arguments: m.DeleteConversationArguments, call: Call[DeleteConversationHeaders]
    ) -> Answer[m.DeletedConversation]:
        """DELETE /v1/conversations/{conversation_id}: Delete a conversation

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No conversation of this id is stored for the request's key, or it has no such item
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def list_conversation_items(
        self, arguments: m.ListConversationItemsArguments, call: Call[ListConversationItemsHeaders]
    ) -> Answer[m.ResponseItemList]:
        """GET /v1/conversations/{conversation_id}/items: List the items of a conversation

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No conversation of this id is stored for the request's key, or it has no such item
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def create_conversation_items(
        self,
        arguments: m.CreateConversationItemsArguments,
        body: m.CreateConversationItemsRequest,
        call: Call[CreateConversationItemsHeaders],
    ) -> Answer[m.ResponseItemList]:
        """POST /v1/conversations/{conversation_id}/items: Add items to a conversation

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No conversation of this id is stored for the request's key, or it has no such item
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def get_conversation_item(
        self, arguments: m.GetConversationItemArguments, call: Call[GetConversationItemHeaders]
    ) -> Answer[m.ResponseStoredItem]:
        """GET /v1/conversations/{conversation_id}/items/{item_id}: Return an item of a conversation

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No conversation of this id is stored for the request's key, or it has no such item
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def delete_conversation_item(
        self, arguments: m.DeleteConversationItemArguments, call: Call[DeleteConversationItemHeaders]
    ) -> Answer[m.Conversation]:
        """DELETE /v1/conversations/{conversation_id}/items/{item_id}: Delete an item of a conversation

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No conversation of this id is stored for the request's key, or it has no such item
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def create_decision(
        self, body: m.CreateDecisionRequest, call: Call[CreateDecisionHeaders]
    ) -> Answer[m.Decision]:
        """POST /v1/decisions: Answer many small questions about one input with probabilities

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def create_embedding(
        self, body: m.CreateEmbeddingRequest, call: Call[CreateEmbeddingHeaders]
    ) -> Answer[m.CreateEmbeddingResponse]:
        """POST /v1/embeddings: Turn texts into vectors

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def create_transcription(
        self, body: m.CreateTranscriptionRequest, call: Call[CreateTranscriptionHeaders]
    ) -> (
        Answer[m.CreateTranscriptionResponseJson | m.CreateTranscriptionResponseVerboseJson]
        | str
        | EventStream[m.TranscriptionStreamEvent]
    ):
        """POST /v1/audio/transcriptions: Write down what is said in a sound; `response_format` and `stream` choose the form

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def create_translation(
        self, body: m.CreateTranslationRequest, call: Call[CreateTranslationHeaders]
    ) -> Answer[m.CreateTranslationResponseJson | m.CreateTranslationResponseVerboseJson] | str:
        """POST /v1/audio/translations: Write down in English what is said in a sound of another language

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def list_files(
        self, arguments: m.ListFilesArguments, call: Call[ListFilesHeaders]
    ) -> Answer[m.ListFilesResponse]:
        """GET /v1/files: List the files of the request's key

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def create_file(
        self, body: m.CreateFileRequest, call: Call[CreateFileHeaders]
    ) -> Answer[m.StoredFile]:
        """POST /v1/files: Store a file, such as the requests of a batch

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def retrieve_file(
        self, arguments: m.RetrieveFileArguments, call: Call[RetrieveFileHeaders]
    ) -> Answer[m.StoredFile]:
        """GET /v1/files/{file_id}: Tell of one file

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No file of this id is stored for the request's key
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def delete_file(
        self, arguments: m.DeleteFileArguments, call: Call[DeleteFileHeaders]
    ) -> Answer[m.DeleteFileResponse]:
        """DELETE /v1/files/{file_id}: Delete a file

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No file of this id is stored for the request's key
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def download_file(
        self, arguments: m.DownloadFileArguments, call: Call[DownloadFileHeaders]
    ) -> FileContent:
        """GET /v1/files/{file_id}/content: Return what is in a file

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No file of this id is stored for the request's key
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def list_batches(
        self, arguments: m.ListBatchesArguments, call: Call[ListBatchesHeaders]
    ) -> Answer[m.ListBatchesResponse]:
        """GET /v1/batches: List the batches of the request's key, the newest first

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def create_batch(
        self, body: m.CreateBatchRequest, call: Call[CreateBatchHeaders]
    ) -> Answer[m.Batch]:
        """POST /v1/batches: Answer the requests in a file when nothing else waits

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def retrieve_batch(
        self, arguments: m.RetrieveBatchArguments, call: Call[RetrieveBatchHeaders]
    ) -> Answer[m.Batch]:
        """GET /v1/batches/{batch_id}: Tell of one batch

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No batch of this id is stored for the request's key
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def cancel_batch(
        self, arguments: m.CancelBatchArguments, call: Call[CancelBatchHeaders]
    ) -> Answer[m.Batch]:
        """POST /v1/batches/{batch_id}/cancel: Answer no more lines of a batch

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No batch of this id is stored for the request's key
            409: The batch has ended
            500: The server failed
            503: The server is starting or shutting down, or its store cannot be read or written now
        """

    @abstractmethod
    async def list_models(self, call: Call[ListModelsHeaders]) -> Answer[m.ListModelsResponse]:
        """GET /v1/models: List the models that a request may name

        Declared errors:
            401: The server has a key, and the request has none or another
            500: The server failed
        """

    @abstractmethod
    async def retrieve_model(
        self, arguments: m.RetrieveModelArguments, call: Call[RetrieveModelHeaders]
    ) -> Answer[m.Model]:
        """GET /v1/models/{model}: Tell of one model

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            500: The server failed
        """

    @abstractmethod
    async def render_chat_completion(
        self, body: m.CreateChatCompletionRequest, call: Call[RenderChatCompletionHeaders]
    ) -> Answer[m.RenderedRequest]:
        """POST /v1/chat/completions/render: Write a conversation as the tokens that the model reads, and answer nothing

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def render_completion(
        self, body: m.CreateCompletionRequest, call: Call[RenderCompletionHeaders]
    ) -> Answer[m.RenderCompletionResponse]:
        """POST /v1/completions/render: Write prompts as the tokens that the model reads, and continue none

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def render_response(
        self, body: m.CreateResponseRequest, call: Call[RenderResponseHeaders]
    ) -> Answer[m.RenderedRequest]:
        """POST /v1/responses/render: Write an input as the tokens that the model reads, and answer nothing

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def tokenize(
        self, body: m.TokenizeRequest, call: Call[TokenizeHeaders]
    ) -> Answer[m.TokenizeResponse]:
        """POST /tokenize: Write a text or a conversation as tokens

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def detokenize(
        self, body: m.DetokenizeRequest, call: Call[DetokenizeHeaders]
    ) -> Answer[m.DetokenizeResponse]:
        """POST /detokenize: Write tokens as a text

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def load_lora_adapter(
        self, body: m.LoadLoraAdapterRequest, call: Call[LoadLoraAdapterHeaders]
    ) -> str:
        """POST /v1/load_lora_adapter: Load a LoRA adapter from a folder of the server

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def unload_lora_adapter(
        self, body: m.UnloadLoraAdapterRequest, call: Call[UnloadLoraAdapterHeaders]
    ) -> str:
        """POST /v1/unload_lora_adapter: Forget a LoRA adapter

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def derender_chat_completion(
        self, body: m.DerenderChatRequest, call: Call[DerenderChatCompletionHeaders]
    ) -> Answer[m.CreateChatCompletionResponse | m.DerenderedChatChunk]:
        """POST /v1/chat/completions/derender: Write generated tokens as the answer to a conversation

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def derender_completion(
        self, body: m.DerenderCompletionRequest, call: Call[DerenderCompletionHeaders]
    ) -> Answer[m.CreateCompletionResponse | m.DerenderedCompletionChunk]:
        """POST /v1/completions/derender: Write generated tokens as continuations of prompts

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def create_chat_completion_batch(
        self, body: m.CreateChatCompletionBatchRequest, call: Call[CreateChatCompletionBatchHeaders]
    ) -> Answer[m.CreateChatCompletionResponse]:
        """POST /v1/chat/completions/batch: Answer several conversations in one request

        Declared errors:
            400: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once
            500: The server failed
            503: The server is starting or shutting down
        """
