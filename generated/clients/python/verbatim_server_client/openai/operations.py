# Generated from specs/openai: mend the document or its overlay, never this file.
"""OpenAI API 2.3.0: its operations, as the clients need to know them."""

from typing import Final

from .. import version
from ..runtime.operation import Operation
from ..runtime.settings import Contract
from . import errors as e
from . import models as m

CONTRACT: Final = Contract(path="/openai", agent=f"{version.NAME}/{version.VERSION} openai/2.3.0")

CREATE_CHAT_COMPLETION: Final[
    Operation[m.CreateChatCompletionResponse, m.CreateChatCompletionStreamResponse]
] = Operation(
    method="POST",
    path="/v1/chat/completions",
    answer=m.CreateChatCompletionResponse,
    event=m.ChatCompletionStreamEvent,
    error_events=(m.ErrorResponse,),
    terminator="[DONE]",
    errors=e.ERRORS,
)
CREATE_COMPLETION: Final[Operation[m.CreateCompletionResponse, m.CreateCompletionStreamResponse]] = Operation(
    method="POST",
    path="/v1/completions",
    answer=m.CreateCompletionResponse,
    event=m.CompletionStreamEvent,
    error_events=(m.ErrorResponse,),
    terminator="[DONE]",
    errors=e.ERRORS,
)
CREATE_RESPONSE: Final[Operation[m.Response, m.ResponseStreamEvent]] = Operation(
    method="POST", path="/v1/responses", answer=m.Response, event=m.ResponseStreamEvent, errors=e.ERRORS
)
COUNT_RESPONSE_INPUT_TOKENS: Final[Operation[m.ResponseInputTokens, None]] = Operation(
    method="POST", path="/v1/responses/input_tokens", answer=m.ResponseInputTokens, errors=e.ERRORS
)
COMPACT_RESPONSE: Final[Operation[m.CompactedResponse, None]] = Operation(
    method="POST", path="/v1/responses/compact", answer=m.CompactedResponse, errors=e.ERRORS
)
GET_RESPONSE: Final[Operation[m.Response, m.ResponseStreamEvent]] = Operation(
    method="GET",
    path="/v1/responses/{response_id}",
    answer=m.Response,
    event=m.ResponseStreamEvent,
    errors=e.ERRORS,
)
DELETE_RESPONSE: Final[Operation[m.DeletedResponse, None]] = Operation(
    method="DELETE", path="/v1/responses/{response_id}", answer=m.DeletedResponse, errors=e.ERRORS
)
CANCEL_RESPONSE: Final[Operation[m.Response, None]] = Operation(
    method="POST", path="/v1/responses/{response_id}/cancel", answer=m.Response, errors=e.ERRORS
)
LIST_INPUT_ITEMS: Final[Operation[m.ResponseItemList, None]] = Operation(
    method="GET", path="/v1/responses/{response_id}/input_items", answer=m.ResponseItemList, errors=e.ERRORS
)
CREATE_CONVERSATION: Final[Operation[m.Conversation, None]] = Operation(
    method="POST", path="/v1/conversations", answer=m.Conversation, errors=e.ERRORS
)
GET_CONVERSATION: Final[Operation[m.Conversation, None]] = Operation(
    method="GET", path="/v1/conversations/{conversation_id}", answer=m.Conversation, errors=e.ERRORS
)
UPDATE_CONVERSATION: Final[Operation[m.Conversation, None]] = Operation(
    method="POST", path="/v1/conversations/{conversation_id}", answer=m.Conversation, errors=e.ERRORS
)
DELETE_CONVERSATION: Final[Operation[m.DeletedConversation, None]] = Operation(
    method="DELETE", path="/v1/conversations/{conversation_id}", answer=m.DeletedConversation, errors=e.ERRORS
)
LIST_CONVERSATION_ITEMS: Final[Operation[m.ResponseItemList, None]] = Operation(
    method="GET", path="/v1/conversations/{conversation_id}/items", answer=m.ResponseItemList, errors=e.ERRORS
)
CREATE_CONVERSATION_ITEMS: Final[Operation[m.ResponseItemList, None]] = Operation(
    method="POST",
    path="/v1/conversations/{conversation_id}/items",
    answer=m.ResponseItemList,
    errors=e.ERRORS,
)
GET_CONVERSATION_ITEM: Final[Operation[m.ResponseStoredItem, None]] = Operation(
    method="GET",
    path="/v1/conversations/{conversation_id}/items/{item_id}",
    answer=m.ResponseStoredItem,
    errors=e.ERRORS,
)
DELETE_CONVERSATION_ITEM: Final[Operation[m.Conversation, None]] = Operation(
    method="DELETE",
    path="/v1/conversations/{conversation_id}/items/{item_id}",
    answer=m.Conversation,
    errors=e.ERRORS,
)
CREATE_DECISION: Final[Operation[m.Decision, None]] = Operation(
    method="POST", path="/v1/decisions", answer=m.Decision, errors=e.ERRORS
)
CREATE_EMBEDDING: Final[Operation[m.CreateEmbeddingResponse, None]] = Operation(
    method="POST", path="/v1/embeddings", answer=m.CreateEmbeddingResponse, errors=e.ERRORS
)
CREATE_TRANSCRIPTION: Final[
    Operation[
        m.CreateTranscriptionResponseJson | m.CreateTranscriptionResponseVerboseJson | str,
        m.TranscriptTextDeltaEvent | m.TranscriptTextDoneEvent,
    ]
] = Operation(
    method="POST",
    path="/v1/audio/transcriptions",
    answer=m.CreateTranscriptionResponseJson | m.CreateTranscriptionResponseVerboseJson,
    may_be_text=True,
    files=frozenset(["file"]),
    wire_names={
        "timestamp_granularities": "timestamp_granularities[]",
        "include": "include[]",
        "known_speaker_names": "known_speaker_names[]",
        "known_speaker_references": "known_speaker_references[]",
    },
    event=m.TranscriptionStreamEvent,
    error_events=(m.ErrorResponse,),
    terminator="[DONE]",
    errors=e.ERRORS,
)
CREATE_TRANSLATION: Final[
    Operation[m.CreateTranslationResponseJson | m.CreateTranslationResponseVerboseJson | str, None]
] = Operation(
    method="POST",
    path="/v1/audio/translations",
    answer=m.CreateTranslationResponseJson | m.CreateTranslationResponseVerboseJson,
    may_be_text=True,
    files=frozenset(["file"]),
    errors=e.ERRORS,
)
LIST_FILES: Final[Operation[m.ListFilesResponse, None]] = Operation(
    method="GET", path="/v1/files", answer=m.ListFilesResponse, errors=e.ERRORS
)
CREATE_FILE: Final[Operation[m.StoredFile, None]] = Operation(
    method="POST", path="/v1/files", answer=m.StoredFile, files=frozenset(["file"]), errors=e.ERRORS
)
RETRIEVE_FILE: Final[Operation[m.StoredFile, None]] = Operation(
    method="GET", path="/v1/files/{file_id}", answer=m.StoredFile, errors=e.ERRORS
)
DELETE_FILE: Final[Operation[m.DeleteFileResponse, None]] = Operation(
    method="DELETE", path="/v1/files/{file_id}", answer=m.DeleteFileResponse, errors=e.ERRORS
)
DOWNLOAD_FILE: Final[Operation[bytes, None]] = Operation(
    method="GET", path="/v1/files/{file_id}/content", is_file=True, errors=e.ERRORS
)
LIST_BATCHES: Final[Operation[m.ListBatchesResponse, None]] = Operation(
    method="GET", path="/v1/batches", answer=m.ListBatchesResponse, errors=e.ERRORS
)
CREATE_BATCH: Final[Operation[m.Batch, None]] = Operation(
    method="POST", path="/v1/batches", answer=m.Batch, errors=e.ERRORS
)
RETRIEVE_BATCH: Final[Operation[m.Batch, None]] = Operation(
    method="GET", path="/v1/batches/{batch_id}", answer=m.Batch, errors=e.ERRORS
)
CANCEL_BATCH: Final[Operation[m.Batch, None]] = Operation(
    method="POST", path="/v1/batches/{batch_id}/cancel", answer=m.Batch, errors=e.ERRORS
)
LIST_MODELS: Final[Operation[m.ListModelsResponse, None]] = Operation(
    method="GET", path="/v1/models", answer=m.ListModelsResponse, errors=e.ERRORS
)
RETRIEVE_MODEL: Final[Operation[m.Model, None]] = Operation(
    method="GET", path="/v1/models/{model:path}", answer=m.Model, errors=e.ERRORS
)
RENDER_CHAT_COMPLETION: Final[Operation[m.RenderedRequest, None]] = Operation(
    method="POST", path="/v1/chat/completions/render", answer=m.RenderedRequest, errors=e.ERRORS
)
RENDER_COMPLETION: Final[Operation[m.RenderCompletionResponse, None]] = Operation(
    method="POST", path="/v1/completions/render", answer=m.RenderCompletionResponse, errors=e.ERRORS
)
RENDER_RESPONSE: Final[Operation[m.RenderedRequest, None]] = Operation(
    method="POST", path="/v1/responses/render", answer=m.RenderedRequest, errors=e.ERRORS
)
TOKENIZE: Final[Operation[m.TokenizeResponse, None]] = Operation(
    method="POST", path="/tokenize", answer=m.TokenizeResponse, errors=e.ERRORS
)
DETOKENIZE: Final[Operation[m.DetokenizeResponse, None]] = Operation(
    method="POST", path="/detokenize", answer=m.DetokenizeResponse, errors=e.ERRORS
)
LOAD_LORA_ADAPTER: Final[Operation[str, None]] = Operation(
    method="POST", path="/v1/load_lora_adapter", is_text=True, errors=e.ERRORS
)
UNLOAD_LORA_ADAPTER: Final[Operation[str, None]] = Operation(
    method="POST", path="/v1/unload_lora_adapter", is_text=True, errors=e.ERRORS
)
DERENDER_CHAT_COMPLETION: Final[Operation[m.CreateChatCompletionResponse | m.DerenderedChatChunk, None]] = (
    Operation(
        method="POST",
        path="/v1/chat/completions/derender",
        answer=m.CreateChatCompletionResponse | m.DerenderedChatChunk,
        errors=e.ERRORS,
    )
)
DERENDER_COMPLETION: Final[Operation[m.CreateCompletionResponse | m.DerenderedCompletionChunk, None]] = (
    Operation(
        method="POST",
        path="/v1/completions/derender",
        answer=m.CreateCompletionResponse | m.DerenderedCompletionChunk,
        errors=e.ERRORS,
    )
)
CREATE_CHAT_COMPLETION_BATCH: Final[Operation[m.CreateChatCompletionResponse, None]] = Operation(
    method="POST", path="/v1/chat/completions/batch", answer=m.CreateChatCompletionResponse, errors=e.ERRORS
)
