# Generated from specs/openai: mend the document or its overlay, never this file.
"""OpenAI API 2.3.0: its synchronous client's answers as they come."""

from typing import Literal

from typing_extensions import Unpack

from ..runtime.client import BaseClient
from ..runtime.operation import Arguments
from ..runtime.response import APIResponse
from . import models as m
from . import operations as o
from . import requests as r


class RawClient:
    """`Client.with_raw_response`: a method for each operation that answers whole."""

    def __init__(self, client: BaseClient) -> None:
        self._client = client

    def create_chat_completion(
        self, **body: Unpack[r.CreateChatCompletionRequestWithoutStream]
    ) -> APIResponse[m.CreateChatCompletionResponse]:
        """The raw answer of `Client.create_chat_completion`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.CREATE_CHAT_COMPLETION, Arguments(body=body))

    def create_completion(
        self, **body: Unpack[r.CreateCompletionRequestWithoutStream]
    ) -> APIResponse[m.CreateCompletionResponse]:
        """The raw answer of `Client.create_completion`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.CREATE_COMPLETION, Arguments(body=body))

    def create_response(
        self, **body: Unpack[r.CreateResponseRequestWithoutStream]
    ) -> APIResponse[m.Response]:
        """The raw answer of `Client.create_response`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.CREATE_RESPONSE, Arguments(body=body))

    def count_response_input_tokens(
        self, **body: Unpack[r.CountResponseInputTokensRequest]
    ) -> APIResponse[m.ResponseInputTokens]:
        """The raw answer of `Client.count_response_input_tokens`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.COUNT_RESPONSE_INPUT_TOKENS, Arguments(body=body))

    def compact_response(self, **body: Unpack[r.CompactResponseRequest]) -> APIResponse[m.CompactedResponse]:
        """The raw answer of `Client.compact_response`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.COMPACT_RESPONSE, Arguments(body=body))

    def get_response(
        self,
        response_id: str,
        *,
        starting_after: int | None = None,
        include: list[
            Literal[
                "message.output_text.logprobs",
                "reasoning.encrypted_content",
                "code_interpreter_call.outputs",
                "computer_call_output.output.image_url",
                "file_search_call.results",
                "message.input_image.image_url",
                "web_search_call.action.sources",
                "web_search_call.results",
            ]
        ]
        | None = None,
        include_obfuscation: bool | None = None,
    ) -> APIResponse[m.Response]:
        """The raw answer of `Client.get_response`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.GET_RESPONSE,
            Arguments(
                path={"response_id": response_id},
                query={
                    "stream": None,
                    "starting_after": starting_after,
                    "include[]": include,
                    "include_obfuscation": include_obfuscation,
                },
            ),
        )

    def delete_response(self, response_id: str) -> APIResponse[m.DeletedResponse]:
        """The raw answer of `Client.delete_response`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.DELETE_RESPONSE,
            Arguments(
                path={"response_id": response_id},
            ),
        )

    def cancel_response(self, response_id: str) -> APIResponse[m.Response]:
        """The raw answer of `Client.cancel_response`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.CANCEL_RESPONSE,
            Arguments(
                path={"response_id": response_id},
            ),
        )

    def list_input_items(
        self,
        response_id: str,
        *,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        after: str | None = None,
    ) -> APIResponse[m.ResponseItemList]:
        """The raw answer of `Client.list_input_items`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.LIST_INPUT_ITEMS,
            Arguments(
                path={"response_id": response_id},
                query={"limit": limit, "order": order, "after": after},
            ),
        )

    def create_conversation(self, **body: Unpack[r.CreateConversationRequest]) -> APIResponse[m.Conversation]:
        """The raw answer of `Client.create_conversation`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.CREATE_CONVERSATION, Arguments(body=body))

    def get_conversation(self, conversation_id: str) -> APIResponse[m.Conversation]:
        """The raw answer of `Client.get_conversation`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.GET_CONVERSATION,
            Arguments(
                path={"conversation_id": conversation_id},
            ),
        )

    def update_conversation(
        self, conversation_id: str, **body: Unpack[r.UpdateConversationRequest]
    ) -> APIResponse[m.Conversation]:
        """The raw answer of `Client.update_conversation`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.UPDATE_CONVERSATION, Arguments(path={"conversation_id": conversation_id}, body=body)
        )

    def delete_conversation(self, conversation_id: str) -> APIResponse[m.DeletedConversation]:
        """The raw answer of `Client.delete_conversation`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.DELETE_CONVERSATION,
            Arguments(
                path={"conversation_id": conversation_id},
            ),
        )

    def list_conversation_items(
        self,
        conversation_id: str,
        *,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        after: str | None = None,
        include: list[
            Literal[
                "message.output_text.logprobs",
                "reasoning.encrypted_content",
                "code_interpreter_call.outputs",
                "computer_call_output.output.image_url",
                "file_search_call.results",
                "message.input_image.image_url",
                "web_search_call.action.sources",
                "web_search_call.results",
            ]
        ]
        | None = None,
    ) -> APIResponse[m.ResponseItemList]:
        """The raw answer of `Client.list_conversation_items`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.LIST_CONVERSATION_ITEMS,
            Arguments(
                path={"conversation_id": conversation_id},
                query={"limit": limit, "order": order, "after": after, "include[]": include},
            ),
        )

    def create_conversation_items(
        self,
        conversation_id: str,
        *,
        include: list[
            Literal[
                "message.output_text.logprobs",
                "reasoning.encrypted_content",
                "code_interpreter_call.outputs",
                "computer_call_output.output.image_url",
                "file_search_call.results",
                "message.input_image.image_url",
                "web_search_call.action.sources",
                "web_search_call.results",
            ]
        ]
        | None = None,
        **body: Unpack[r.CreateConversationItemsRequest],
    ) -> APIResponse[m.ResponseItemList]:
        """The raw answer of `Client.create_conversation_items`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.CREATE_CONVERSATION_ITEMS,
            Arguments(path={"conversation_id": conversation_id}, query={"include[]": include}, body=body),
        )

    def get_conversation_item(
        self,
        conversation_id: str,
        item_id: str,
        *,
        include: list[
            Literal[
                "message.output_text.logprobs",
                "reasoning.encrypted_content",
                "code_interpreter_call.outputs",
                "computer_call_output.output.image_url",
                "file_search_call.results",
                "message.input_image.image_url",
                "web_search_call.action.sources",
                "web_search_call.results",
            ]
        ]
        | None = None,
    ) -> APIResponse[m.ResponseStoredItem]:
        """The raw answer of `Client.get_conversation_item`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.GET_CONVERSATION_ITEM,
            Arguments(
                path={"conversation_id": conversation_id, "item_id": item_id},
                query={"include[]": include},
            ),
        )

    def delete_conversation_item(self, conversation_id: str, item_id: str) -> APIResponse[m.Conversation]:
        """The raw answer of `Client.delete_conversation_item`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.DELETE_CONVERSATION_ITEM,
            Arguments(
                path={"conversation_id": conversation_id, "item_id": item_id},
            ),
        )

    def create_decision(self, **body: Unpack[r.CreateDecisionRequest]) -> APIResponse[m.Decision]:
        """The raw answer of `Client.create_decision`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.CREATE_DECISION, Arguments(body=body))

    def create_embedding(
        self, **body: Unpack[r.CreateEmbeddingRequest]
    ) -> APIResponse[m.CreateEmbeddingResponse]:
        """The raw answer of `Client.create_embedding`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.CREATE_EMBEDDING, Arguments(body=body))

    def create_transcription(
        self, **body: Unpack[r.CreateTranscriptionRequest]
    ) -> APIResponse[m.CreateTranscriptionResponseJson | m.CreateTranscriptionResponseVerboseJson | str]:
        """The raw answer of `Client.create_transcription`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.CREATE_TRANSCRIPTION, Arguments(body=body))

    def create_translation(
        self, **body: Unpack[r.CreateTranslationRequest]
    ) -> APIResponse[m.CreateTranslationResponseJson | m.CreateTranslationResponseVerboseJson | str]:
        """The raw answer of `Client.create_translation`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.CREATE_TRANSLATION, Arguments(body=body))

    def list_files(
        self,
        *,
        purpose: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        after: str | None = None,
    ) -> APIResponse[m.ListFilesResponse]:
        """The raw answer of `Client.list_files`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.LIST_FILES,
            Arguments(
                query={"purpose": purpose, "limit": limit, "order": order, "after": after},
            ),
        )

    def create_file(self, **body: Unpack[r.CreateFileRequest]) -> APIResponse[m.StoredFile]:
        """The raw answer of `Client.create_file`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.CREATE_FILE, Arguments(body=body))

    def retrieve_file(self, file_id: str) -> APIResponse[m.StoredFile]:
        """The raw answer of `Client.retrieve_file`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.RETRIEVE_FILE,
            Arguments(
                path={"file_id": file_id},
            ),
        )

    def delete_file(self, file_id: str) -> APIResponse[m.DeleteFileResponse]:
        """The raw answer of `Client.delete_file`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.DELETE_FILE,
            Arguments(
                path={"file_id": file_id},
            ),
        )

    def download_file(self, file_id: str) -> APIResponse[bytes]:
        """The raw answer of `Client.download_file`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.DOWNLOAD_FILE,
            Arguments(
                path={"file_id": file_id},
            ),
        )

    def list_batches(
        self, *, after: str | None = None, limit: int | None = None
    ) -> APIResponse[m.ListBatchesResponse]:
        """The raw answer of `Client.list_batches`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.LIST_BATCHES,
            Arguments(
                query={"after": after, "limit": limit},
            ),
        )

    def create_batch(self, **body: Unpack[r.CreateBatchRequest]) -> APIResponse[m.Batch]:
        """The raw answer of `Client.create_batch`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.CREATE_BATCH, Arguments(body=body))

    def retrieve_batch(self, batch_id: str) -> APIResponse[m.Batch]:
        """The raw answer of `Client.retrieve_batch`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.RETRIEVE_BATCH,
            Arguments(
                path={"batch_id": batch_id},
            ),
        )

    def cancel_batch(self, batch_id: str) -> APIResponse[m.Batch]:
        """The raw answer of `Client.cancel_batch`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.CANCEL_BATCH,
            Arguments(
                path={"batch_id": batch_id},
            ),
        )

    def list_models(self) -> APIResponse[m.ListModelsResponse]:
        """The raw answer of `Client.list_models`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.LIST_MODELS, Arguments())

    def retrieve_model(self, model: str) -> APIResponse[m.Model]:
        """The raw answer of `Client.retrieve_model`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(
            o.RETRIEVE_MODEL,
            Arguments(
                path={"model": model},
            ),
        )

    def render_chat_completion(
        self, **body: Unpack[r.CreateChatCompletionRequest]
    ) -> APIResponse[m.RenderedRequest]:
        """The raw answer of `Client.render_chat_completion`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.RENDER_CHAT_COMPLETION, Arguments(body=body))

    def render_completion(
        self, **body: Unpack[r.CreateCompletionRequest]
    ) -> APIResponse[m.RenderCompletionResponse]:
        """The raw answer of `Client.render_completion`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.RENDER_COMPLETION, Arguments(body=body))

    def render_response(self, **body: Unpack[r.CreateResponseRequest]) -> APIResponse[m.RenderedRequest]:
        """The raw answer of `Client.render_response`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.RENDER_RESPONSE, Arguments(body=body))

    def tokenize(self, **body: Unpack[r.TokenizeRequest]) -> APIResponse[m.TokenizeResponse]:
        """The raw answer of `Client.tokenize`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.TOKENIZE, Arguments(body=body))

    def detokenize(self, **body: Unpack[r.DetokenizeRequest]) -> APIResponse[m.DetokenizeResponse]:
        """The raw answer of `Client.detokenize`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.DETOKENIZE, Arguments(body=body))

    def load_lora_adapter(self, **body: Unpack[r.LoadLoraAdapterRequest]) -> APIResponse[str]:
        """The raw answer of `Client.load_lora_adapter`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.LOAD_LORA_ADAPTER, Arguments(body=body))

    def unload_lora_adapter(self, **body: Unpack[r.UnloadLoraAdapterRequest]) -> APIResponse[str]:
        """The raw answer of `Client.unload_lora_adapter`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.UNLOAD_LORA_ADAPTER, Arguments(body=body))

    def derender_chat_completion(
        self, **body: Unpack[r.DerenderChatRequest]
    ) -> APIResponse[m.CreateChatCompletionResponse | m.DerenderedChatChunk]:
        """The raw answer of `Client.derender_chat_completion`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.DERENDER_CHAT_COMPLETION, Arguments(body=body))

    def derender_completion(
        self, **body: Unpack[r.DerenderCompletionRequest]
    ) -> APIResponse[m.CreateCompletionResponse | m.DerenderedCompletionChunk]:
        """The raw answer of `Client.derender_completion`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.DERENDER_COMPLETION, Arguments(body=body))

    def create_chat_completion_batch(
        self, **body: Unpack[r.CreateChatCompletionBatchRequest]
    ) -> APIResponse[m.CreateChatCompletionResponse]:
        """The raw answer of `Client.create_chat_completion_batch`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.CREATE_CHAT_COMPLETION_BATCH, Arguments(body=body))
