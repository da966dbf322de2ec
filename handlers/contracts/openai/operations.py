"""The contract's operations."""

import time
from functools import partial
from typing import Final, final

from typing_extensions import override

from generated.openai import models as m
from generated.openai.operations import (
    CancelBatchHeaders,
    CancelResponseHeaders,
    CompactResponseHeaders,
    CountResponseInputTokensHeaders,
    CreateBatchHeaders,
    CreateChatCompletionBatchHeaders,
    CreateChatCompletionHeaders,
    CreateCompletionHeaders,
    CreateConversationHeaders,
    CreateConversationItemsHeaders,
    CreateDecisionHeaders,
    CreateEmbeddingHeaders,
    CreateFileHeaders,
    CreateResponseHeaders,
    CreateTranscriptionHeaders,
    CreateTranslationHeaders,
    DeleteConversationHeaders,
    DeleteConversationItemHeaders,
    DeleteFileHeaders,
    DeleteResponseHeaders,
    DerenderChatCompletionHeaders,
    DerenderCompletionHeaders,
    DetokenizeHeaders,
    DownloadFileHeaders,
    GetConversationHeaders,
    GetConversationItemHeaders,
    GetResponseHeaders,
    ListBatchesHeaders,
    ListConversationItemsHeaders,
    ListFilesHeaders,
    ListInputItemsHeaders,
    ListModelsHeaders,
    LoadLoraAdapterHeaders,
    Operations,
    RenderChatCompletionHeaders,
    RenderCompletionHeaders,
    RenderResponseHeaders,
    RetrieveBatchHeaders,
    RetrieveFileHeaders,
    RetrieveModelHeaders,
    TokenizeHeaders,
    UnloadLoraAdapterHeaders,
    UpdateConversationHeaders,
)
from handlers.active_requests.admission import AdmissionControl
from handlers.contracts.openai.batches.batches import Batches
from handlers.contracts.openai.batches.files import Files
from handlers.contracts.openai.chat.batch import ChatBatch
from handlers.contracts.openai.chat.operation import Chat
from handlers.contracts.openai.completions.operation import Completions
from handlers.contracts.openai.decisions.operation import Decisions
from handlers.contracts.openai.embeddings import Embeddings
from handlers.contracts.openai.errors import to_problem
from handlers.contracts.openai.extensions.adapters import Adapters
from handlers.contracts.openai.extensions.derendered_chat import DerenderedChat
from handlers.contracts.openai.extensions.derendered_completion import DerenderedCompletion
from handlers.contracts.openai.extensions.rendering import Rendering
from handlers.contracts.openai.extensions.tokenizing import Tokens
from handlers.contracts.openai.models import Models
from handlers.contracts.openai.responses.background import Background
from handlers.contracts.openai.responses.compaction import Compaction
from handlers.contracts.openai.responses.conversations import Conversations
from handlers.contracts.openai.responses.input_tokens import InputTokens
from handlers.contracts.openai.responses.operation import Responses
from handlers.contracts.openai.responses.request.memory import Memory
from handlers.contracts.openai.responses.request.preparation import Preparation
from handlers.contracts.openai.settings import OpenAISettings
from handlers.contracts.openai.transcriptions.operation import Transcriptions
from handlers.decisions.decider import Decider
from handlers.operations.embeddings import Embedder
from handlers.operations.missing import given
from handlers.served_model.served_model import ServedModel
from handlers.transcription.transcript import Transcribes
from verbatim_kit.errors import Refused, mapped_errors
from verbatim_kit.runtime.operation import Answer, Call, EventStream, FileContent

_GENERATES: Final = frozenset(
    {
        "create_chat_completion",
        "create_chat_completion_batch",
        "create_completion",
        "create_response",
        "compact_response",
        "create_decision",
        "create_embedding",
    }
)
_TRANSCRIBES: Final = frozenset({"create_transcription", "create_translation"})
_to_problem: Final = partial(to_problem, prompt_field="")


@final
class OpenAIHandlers(AdmissionControl, Operations):
    """Answers every operation of the contract; streams where the client asked for one."""

    def __init__(self, shared: ServedModel, settings: OpenAISettings, transcriber: Transcribes) -> None:
        """Make the handlers of all operations.

        transcriber: the served model, which admission lets through only where it writes down speech.
        """
        super().__init__(shared.active_requests, _to_problem, _GENERATES, _TRANSCRIBES)
        self._chat = Chat(shared, settings.reasoning_fields)
        self._batch = ChatBatch(shared, self._chat)
        self._completions = Completions(shared)
        self._memory = Memory(shared.store, shared.workers)
        self._rendering = Rendering(shared, self._completions, self._memory)
        self._derendered_chat = DerenderedChat(shared, settings.reasoning_fields)
        self._derendered_completion = DerenderedCompletion(shared, self._completions)
        self._tokens = Tokens(shared, self._chat)
        self._decisions = Decisions(shared, Decider(shared))
        self._embeddings = Embeddings(shared, Embedder(shared.engine, shared.workers, shared.settings))
        self._transcriptions = Transcriptions(shared, transcriber)
        preparation = Preparation(shared, self._memory)
        self._conversations = Conversations(shared.store, shared.workers, self._memory)
        self._background = Background(shared.store, shared.workers)
        self._responses = Responses(shared, preparation, self._memory, self._background)
        self._compaction = Compaction(self._responses, self._memory)
        self._input_tokens = InputTokens(preparation, shared.model_names)
        self._files = Files(shared.store)
        self._batches = Batches(shared.store)
        self._adapters = Adapters(shared.model_names)
        self._models = Models(shared.model_names, shared.model_info, int(time.time()))

    @override
    async def create_chat_completion(
        self, body: m.CreateChatCompletionRequest, call: Call[CreateChatCompletionHeaders]
    ) -> Answer[m.CreateChatCompletionResponse] | EventStream[m.ChatCompletionStreamEvent]:
        if body.stream:
            return self._chat.stream(body, call)
        return await self._chat.whole(body, call)

    @override
    async def create_chat_completion_batch(
        self, body: m.CreateChatCompletionBatchRequest, call: Call[CreateChatCompletionBatchHeaders]
    ) -> m.CreateChatCompletionResponse:
        return await self._batch.whole(body, call)

    @override
    async def create_completion(
        self, body: m.CreateCompletionRequest, call: Call[CreateCompletionHeaders]
    ) -> m.CreateCompletionResponse | EventStream[m.CompletionStreamEvent]:
        if body.stream:
            return self._completions.stream(body, call)
        return await self._completions.whole(body, call)

    @override
    async def render_chat_completion(
        self, body: m.CreateChatCompletionRequest, call: Call[RenderChatCompletionHeaders]
    ) -> Answer[m.RenderedRequest]:
        return await self._rendering.chat(body)

    @override
    async def render_completion(
        self, body: m.CreateCompletionRequest, call: Call[RenderCompletionHeaders]
    ) -> Answer[m.RenderCompletionResponse]:
        return await self._rendering.completion(body)

    @override
    async def render_response(
        self, body: m.CreateResponseRequest, call: Call[RenderResponseHeaders]
    ) -> Answer[m.RenderedRequest]:
        return await self._rendering.response(body)

    @override
    async def derender_chat_completion(
        self, body: m.DerenderChatRequest, call: Call[DerenderChatCompletionHeaders]
    ) -> m.CreateChatCompletionResponse | m.DerenderedChatChunk:
        return await self._derendered_chat.answer(body)

    @override
    async def derender_completion(
        self, body: m.DerenderCompletionRequest, call: Call[DerenderCompletionHeaders]
    ) -> m.CreateCompletionResponse | m.DerenderedCompletionChunk:
        return await self._derendered_completion.answer(body)

    @override
    async def tokenize(
        self, body: m.TokenizeRequest, call: Call[TokenizeHeaders]
    ) -> Answer[m.TokenizeResponse]:
        return await self._tokens.tokenize(body)

    @override
    async def detokenize(
        self, body: m.DetokenizeRequest, call: Call[DetokenizeHeaders]
    ) -> Answer[m.DetokenizeResponse]:
        return await self._tokens.detokenize(body)

    @override
    async def create_response(
        self, body: m.CreateResponseRequest, call: Call[CreateResponseHeaders]
    ) -> m.Response | EventStream[m.ResponseStreamEvent]:
        return await self._responses.create(body, call)

    @override
    async def compact_response(
        self, body: m.CompactResponseRequest, call: Call[CompactResponseHeaders]
    ) -> m.CompactedResponse:
        return await self._compaction.compact(body, call)

    @override
    async def count_response_input_tokens(
        self, body: m.CountResponseInputTokensRequest, call: Call[CountResponseInputTokensHeaders]
    ) -> m.ResponseInputTokens:
        return await self._input_tokens.count(body)

    @override
    async def get_response(
        self, arguments: m.GetResponseArguments, call: Call[GetResponseHeaders]
    ) -> m.Response | EventStream[m.ResponseStreamEvent]:
        id, last = arguments.response_id, given(arguments.starting_after)
        if arguments.stream:
            return self._background.events(id, -1 if last is None else last)
        with mapped_errors(_to_problem):
            if last is not None:
                raise Refused("'starting_after' is only allowed with 'stream'.", "starting_after")
            return await self._background.get(id)

    @override
    async def cancel_response(
        self, arguments: m.CancelResponseArguments, call: Call[CancelResponseHeaders]
    ) -> m.Response:
        with mapped_errors(_to_problem):
            return await self._background.cancel(arguments.response_id)

    @override
    async def delete_response(
        self, arguments: m.DeleteResponseArguments, call: Call[DeleteResponseHeaders]
    ) -> m.DeletedResponse:
        with mapped_errors(_to_problem):
            return await self._memory.delete(arguments.response_id)

    @override
    async def list_input_items(
        self, arguments: m.ListInputItemsArguments, call: Call[ListInputItemsHeaders]
    ) -> m.ResponseItemList:
        with mapped_errors(_to_problem):
            return await self._memory.input_items(arguments)

    @override
    async def create_conversation(
        self, body: m.CreateConversationRequest, call: Call[CreateConversationHeaders]
    ) -> m.Conversation:
        with mapped_errors(_to_problem):
            return await self._conversations.create(body)

    @override
    async def get_conversation(
        self, arguments: m.GetConversationArguments, call: Call[GetConversationHeaders]
    ) -> m.Conversation:
        with mapped_errors(_to_problem):
            return await self._conversations.get(arguments.conversation_id)

    @override
    async def update_conversation(
        self,
        arguments: m.UpdateConversationArguments,
        body: m.UpdateConversationRequest,
        call: Call[UpdateConversationHeaders],
    ) -> m.Conversation:
        with mapped_errors(_to_problem):
            return await self._conversations.update(arguments.conversation_id, body)

    @override
    async def delete_conversation(
        self, arguments: m.DeleteConversationArguments, call: Call[DeleteConversationHeaders]
    ) -> m.DeletedConversation:
        with mapped_errors(_to_problem):
            return await self._conversations.delete(arguments.conversation_id)

    @override
    async def list_conversation_items(
        self, arguments: m.ListConversationItemsArguments, call: Call[ListConversationItemsHeaders]
    ) -> m.ResponseItemList:
        with mapped_errors(_to_problem):
            return await self._conversations.items(arguments)

    @override
    async def create_conversation_items(
        self,
        arguments: m.CreateConversationItemsArguments,
        body: m.CreateConversationItemsRequest,
        call: Call[CreateConversationItemsHeaders],
    ) -> m.ResponseItemList:
        with mapped_errors(_to_problem):
            return await self._conversations.add(arguments.conversation_id, body)

    @override
    async def get_conversation_item(
        self, arguments: m.GetConversationItemArguments, call: Call[GetConversationItemHeaders]
    ) -> m.ResponseStoredItem:
        with mapped_errors(_to_problem):
            return await self._conversations.item(arguments.conversation_id, arguments.item_id)

    @override
    async def delete_conversation_item(
        self, arguments: m.DeleteConversationItemArguments, call: Call[DeleteConversationItemHeaders]
    ) -> m.Conversation:
        with mapped_errors(_to_problem):
            return await self._conversations.remove(arguments.conversation_id, arguments.item_id)

    @override
    async def create_decision(
        self, body: m.CreateDecisionRequest, call: Call[CreateDecisionHeaders]
    ) -> m.Decision:
        return await self._decisions.whole(body, call)

    @override
    async def create_embedding(
        self, body: m.CreateEmbeddingRequest, call: Call[CreateEmbeddingHeaders]
    ) -> m.CreateEmbeddingResponse:
        return await self._embeddings.whole(body, call)

    @override
    async def create_transcription(
        self, body: m.CreateTranscriptionRequest, call: Call[CreateTranscriptionHeaders]
    ) -> (
        m.CreateTranscriptionResponseJson
        | m.CreateTranscriptionResponseVerboseJson
        | str
        | EventStream[m.TranscriptionStreamEvent]
    ):
        if body.stream:
            return self._transcriptions.stream(body, call)
        return await self._transcriptions.transcribe(body, call)

    @override
    async def create_translation(
        self, body: m.CreateTranslationRequest, call: Call[CreateTranslationHeaders]
    ) -> m.CreateTranslationResponseJson | m.CreateTranslationResponseVerboseJson | str:
        return await self._transcriptions.translate(body, call)

    @override
    async def list_files(
        self, arguments: m.ListFilesArguments, call: Call[ListFilesHeaders]
    ) -> m.ListFilesResponse:
        with mapped_errors(_to_problem):
            return await self._files.list(arguments)

    @override
    async def create_file(self, body: m.CreateFileRequest, call: Call[CreateFileHeaders]) -> m.StoredFile:
        with mapped_errors(_to_problem):
            return await self._files.create(body)

    @override
    async def retrieve_file(
        self, arguments: m.RetrieveFileArguments, call: Call[RetrieveFileHeaders]
    ) -> m.StoredFile:
        with mapped_errors(_to_problem):
            return await self._files.retrieve(arguments.file_id)

    @override
    async def delete_file(
        self, arguments: m.DeleteFileArguments, call: Call[DeleteFileHeaders]
    ) -> m.DeleteFileResponse:
        with mapped_errors(_to_problem):
            return await self._files.delete(arguments.file_id)

    @override
    async def download_file(
        self, arguments: m.DownloadFileArguments, call: Call[DownloadFileHeaders]
    ) -> FileContent:
        with mapped_errors(_to_problem):
            return await self._files.content(arguments.file_id)

    @override
    async def list_batches(
        self, arguments: m.ListBatchesArguments, call: Call[ListBatchesHeaders]
    ) -> m.ListBatchesResponse:
        with mapped_errors(_to_problem):
            return await self._batches.list(arguments)

    @override
    async def create_batch(self, body: m.CreateBatchRequest, call: Call[CreateBatchHeaders]) -> m.Batch:
        with mapped_errors(_to_problem):
            return await self._batches.create(body)

    @override
    async def retrieve_batch(
        self, arguments: m.RetrieveBatchArguments, call: Call[RetrieveBatchHeaders]
    ) -> m.Batch:
        with mapped_errors(_to_problem):
            return await self._batches.retrieve(arguments.batch_id)

    @override
    async def cancel_batch(
        self, arguments: m.CancelBatchArguments, call: Call[CancelBatchHeaders]
    ) -> m.Batch:
        with mapped_errors(_to_problem):
            return await self._batches.cancel(arguments.batch_id)

    @override
    async def list_models(self, call: Call[ListModelsHeaders]) -> m.ListModelsResponse:
        return self._models.list()

    @override
    async def retrieve_model(
        self, arguments: m.RetrieveModelArguments, call: Call[RetrieveModelHeaders]
    ) -> m.Model:
        with mapped_errors(_to_problem):
            return self._models.retrieve(arguments.model)

    @override
    async def load_lora_adapter(
        self, body: m.LoadLoraAdapterRequest, call: Call[LoadLoraAdapterHeaders]
    ) -> str:
        return await self._adapters.load(body)

    @override
    async def unload_lora_adapter(
        self, body: m.UnloadLoraAdapterRequest, call: Call[UnloadLoraAdapterHeaders]
    ) -> str:
        return self._adapters.unload(body)
