# Generated from specs/openai: mend the document or its overlay, never this file.
"""OpenAI API 2.3.0: its synchronous client."""

from typing import Literal

from typing_extensions import Unpack

from ..runtime.client import BaseClient
from ..runtime.operation import Arguments
from ..runtime.stream import EventStream
from . import models as m
from . import operations as o
from . import requests as r
from .raw_client import RawClient


class Client(BaseClient):
    """OpenAI API 2.3.0, one method an operation; its own base URL ends in /openai.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> RawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return RawClient(self)

    def create_chat_completion(
        self, **body: Unpack[r.CreateChatCompletionRequestWithoutStream]
    ) -> m.CreateChatCompletionResponse:
        """POST /v1/chat/completions: Answer a conversation; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.CreateChatCompletionRequestWithoutStream`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.create_chat_completion(
                model="verbatim-demo",
                messages=[{"role": "user", "content": "Hello!"}],
                max_completion_tokens=20,
            )
        """
        return self._call(o.CREATE_CHAT_COMPLETION, Arguments(body=body))

    def stream_create_chat_completion(
        self, **body: Unpack[r.CreateChatCompletionRequestWithoutStream]
    ) -> EventStream[m.CreateChatCompletionStreamResponse]:
        """POST /v1/chat/completions: Answer a conversation; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.CreateChatCompletionRequestWithoutStream`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            with client.stream_create_chat_completion(
                model="verbatim-demo",
                messages=[{"role": "user", "content": "Hello!"}],
                max_completion_tokens=20,
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.CREATE_CHAT_COMPLETION, Arguments(body={**body, "stream": True}))

    def create_completion(
        self, **body: Unpack[r.CreateCompletionRequestWithoutStream]
    ) -> m.CreateCompletionResponse:
        """POST /v1/completions: Continue prompts; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.CreateCompletionRequestWithoutStream`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.create_completion(model="verbatim-demo", prompt="Once upon a time", max_tokens=10)
        """
        return self._call(o.CREATE_COMPLETION, Arguments(body=body))

    def stream_create_completion(
        self, **body: Unpack[r.CreateCompletionRequestWithoutStream]
    ) -> EventStream[m.CreateCompletionStreamResponse]:
        """POST /v1/completions: Continue prompts; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.CreateCompletionRequestWithoutStream`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            with client.stream_create_completion(
                model="verbatim-demo", prompt="Once upon a time", max_tokens=10
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.CREATE_COMPLETION, Arguments(body={**body, "stream": True}))

    def create_response(self, **body: Unpack[r.CreateResponseRequestWithoutStream]) -> m.Response:
        """POST /v1/responses: Answer an input of items with items, whole or as a stream of typed events

        To go on with a conversation, name its last response in `previous_response_id`, if that was stored;
        or send its items again, the `output` of earlier answers among them.

        Keyword arguments are the members of `requests.CreateResponseRequestWithoutStream`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.create_response(
                model="verbatim-demo", input="Hello! Who are you?", max_output_tokens=60, temperature=0
            )
        """
        return self._call(o.CREATE_RESPONSE, Arguments(body=body))

    def stream_create_response(
        self, **body: Unpack[r.CreateResponseRequestWithoutStream]
    ) -> EventStream[m.ResponseStreamEvent]:
        """POST /v1/responses: Answer an input of items with items, whole or as a stream of typed events

        To go on with a conversation, name its last response in `previous_response_id`, if that was stored;
        or send its items again, the `output` of earlier answers among them.

        Keyword arguments are the members of `requests.CreateResponseRequestWithoutStream`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            with client.stream_create_response(
                model="verbatim-demo", input="Hello! Who are you?", max_output_tokens=60, temperature=0
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.CREATE_RESPONSE, Arguments(body={**body, "stream": True}))

    def count_response_input_tokens(
        self, **body: Unpack[r.CountResponseInputTokensRequest]
    ) -> m.ResponseInputTokens:
        """POST /v1/responses/input_tokens: Count the tokens that an input has, without an answer to it

        The number that `usage.input_tokens` of a response to the same input would be.

        Keyword arguments are the members of `requests.CountResponseInputTokensRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.count_response_input_tokens(model="verbatim-demo", input="Hello! Who are you?")
        """
        return self._call(o.COUNT_RESPONSE_INPUT_TOKENS, Arguments(body=body))

    def compact_response(self, **body: Unpack[r.CompactResponseRequest]) -> m.CompactedResponse:
        """POST /v1/responses/compact: Let the model shorten a conversation

        The answer stands in place of the conversation in later requests: its users' messages as they are,
        and an item with the model's summary of the whole.

        Keyword arguments are the members of `requests.CompactResponseRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.compact_response(
                model="verbatim-demo",
                input=[
                    {"role": "user", "content": "Hello! Who are you?"},
                    {"role": "assistant", "content": "I am Verbatim."},
                ],
            )
        """
        return self._call(o.COMPACT_RESPONSE, Arguments(body=body))

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
    ) -> m.Response:
        """GET /v1/responses/{response_id}: Return a stored response, or take up its stream again

        A response is stored if `store` says so when it is made, and seen with the key alone that made it.
        One that is made in the background is found from its beginning on, as far as it has come.

        Keyword arguments:
            starting_after: The `sequence_number` of the last event that is not wanted again; only with
            `stream`.
            include: Without effect; a response is found with all that it was answered with.
            include_obfuscation: Without effect; events are not padded.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.get_response("resp_0f3c")
        """
        return self._call(
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

    def stream_get_response(
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
    ) -> EventStream[m.ResponseStreamEvent]:
        """GET /v1/responses/{response_id}: Return a stored response, or take up its stream again

        A response is stored if `store` says so when it is made, and seen with the key alone that made it.
        One that is made in the background is found from its beginning on, as far as it has come.

        Keyword arguments:
            starting_after: The `sequence_number` of the last event that is not wanted again; only with
            `stream`.
            include: Without effect; a response is found with all that it was answered with.
            include_obfuscation: Without effect; events are not padded.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            with client.stream_get_response("resp_0f3c") as events:
                for event in events:
                    print(event)
        """
        return self._stream(
            o.GET_RESPONSE,
            Arguments(
                path={"response_id": response_id},
                query={
                    "stream": True,
                    "starting_after": starting_after,
                    "include[]": include,
                    "include_obfuscation": include_obfuscation,
                },
            ),
        )

    def delete_response(self, response_id: str) -> m.DeletedResponse:
        """DELETE /v1/responses/{response_id}: Delete a stored response

        No later response can go on from it, nor from one that went on from it.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.delete_response("resp_0f3c")
        """
        return self._call(
            o.DELETE_RESPONSE,
            Arguments(
                path={"response_id": response_id},
            ),
        )

    def cancel_response(self, response_id: str) -> m.Response:
        """POST /v1/responses/{response_id}/cancel: Stop a response that is made in the background

        One that has ended already, or was cancelled before, is returned as it is. One that was not asked
        for with `background` is refused.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.cancel_response("resp_0f3c")
        """
        return self._call(
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
    ) -> m.ResponseItemList:
        """GET /v1/responses/{response_id}/input_items: List the items that a stored response answers

        Those of the responses that it went on from, too.

        Keyword arguments:
            limit: How many items to return at most.
            order: `desc`: the newest first.
            after: The id of an item to go on after, in that order.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.list_input_items("resp_0f3c")
        """
        return self._call(
            o.LIST_INPUT_ITEMS,
            Arguments(
                path={"response_id": response_id},
                query={"limit": limit, "order": order, "after": after},
            ),
        )

    def create_conversation(self, **body: Unpack[r.CreateConversationRequest]) -> m.Conversation:
        """POST /v1/conversations: Begin a conversation

        Responses that name it in `conversation` go on with its items, and add their own. It is seen with
        the key alone that made it.

        Keyword arguments are the members of `requests.CreateConversationRequest`.

        Declared errors: 400, 401, 413, 415, 500, 503.

        Example::

            answer = client.create_conversation(
                items=[{"role": "user", "content": "Hello!"}], metadata={"topic": "greetings"}
            )
        """
        return self._call(o.CREATE_CONVERSATION, Arguments(body=body))

    def get_conversation(self, conversation_id: str) -> m.Conversation:
        """GET /v1/conversations/{conversation_id}: Return a conversation

        Its items are listed by another operation.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.get_conversation("conv_0f3c")
        """
        return self._call(
            o.GET_CONVERSATION,
            Arguments(
                path={"conversation_id": conversation_id},
            ),
        )

    def update_conversation(
        self, conversation_id: str, **body: Unpack[r.UpdateConversationRequest]
    ) -> m.Conversation:
        """POST /v1/conversations/{conversation_id}: Give a conversation other notes

        They take the place of all it had.

        Keyword arguments are the members of `requests.UpdateConversationRequest`.

        Declared errors: 400, 401, 404, 413, 415, 500, 503.

        Example::

            answer = client.update_conversation("conv_0f3c", metadata={"topic": "greetings"})
        """
        return self._call(
            o.UPDATE_CONVERSATION, Arguments(path={"conversation_id": conversation_id}, body=body)
        )

    def delete_conversation(self, conversation_id: str) -> m.DeletedConversation:
        """DELETE /v1/conversations/{conversation_id}: Delete a conversation

        Its items go with it, but not the responses that it went on with.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.delete_conversation("conv_0f3c")
        """
        return self._call(
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
    ) -> m.ResponseItemList:
        """GET /v1/conversations/{conversation_id}/items: List the items of a conversation

        Those that responses have added, too.

        Keyword arguments:
            limit: How many items to return at most.
            order: `desc`: the newest first.
            after: The id of an item to go on after, in that order.
            include: Without effect; an item is found with all that it was stored with.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.list_conversation_items("conv_0f3c")
        """
        return self._call(
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
    ) -> m.ResponseItemList:
        """POST /v1/conversations/{conversation_id}/items: Add items to a conversation

        They come after those that it has.

        Keyword arguments are the members of `requests.CreateConversationItemsRequest`, and:
            include: Without effect; an item is found with all that it was stored with.

        Declared errors: 400, 401, 404, 413, 415, 500, 503.

        Example::

            answer = client.create_conversation_items(
                "conv_0f3c", items=[{"role": "user", "content": "Hello!"}]
            )
        """
        return self._call(
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
    ) -> m.ResponseStoredItem:
        """GET /v1/conversations/{conversation_id}/items/{item_id}: Return an item of a conversation

        As it was stored.

        Keyword arguments:
            include: Without effect; an item is found with all that it was stored with.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.get_conversation_item("conv_0f3c", "msg_0f3b")
        """
        return self._call(
            o.GET_CONVERSATION_ITEM,
            Arguments(
                path={"conversation_id": conversation_id, "item_id": item_id},
                query={"include[]": include},
            ),
        )

    def delete_conversation_item(self, conversation_id: str, item_id: str) -> m.Conversation:
        """DELETE /v1/conversations/{conversation_id}/items/{item_id}: Delete an item of a conversation

        Later responses do not read it.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.delete_conversation_item("conv_0f3c", "msg_0f3b")
        """
        return self._call(
            o.DELETE_CONVERSATION_ITEM,
            Arguments(
                path={"conversation_id": conversation_id, "item_id": item_id},
            ),
        )

    def create_decision(self, **body: Unpack[r.CreateDecisionRequest]) -> m.Decision:
        """POST /v1/decisions: Answer many small questions about one input with probabilities

        Each question is answered by itself: no answer depends on another question of the request. Nothing
        is generated; the model's probabilities of the possible answers are read.

        Keyword arguments are the members of `requests.CreateDecisionRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.create_decision(
                model="verbatim-demo",
                input="The parcel arrived late, but nothing was broken.",
                questions=[{"type": "predicate", "name": "late", "instructions": "The parcel was late."}],
            )
        """
        return self._call(o.CREATE_DECISION, Arguments(body=body))

    def create_embedding(self, **body: Unpack[r.CreateEmbeddingRequest]) -> m.CreateEmbeddingResponse:
        """POST /v1/embeddings: Turn texts into vectors

        Keyword arguments are the members of `requests.CreateEmbeddingRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.create_embedding(model="verbatim-demo", input="Hello")
        """
        return self._call(o.CREATE_EMBEDDING, Arguments(body=body))

    def create_transcription(
        self, **body: Unpack[r.CreateTranscriptionRequest]
    ) -> m.CreateTranscriptionResponseJson | m.CreateTranscriptionResponseVerboseJson | str:
        """POST /v1/audio/transcriptions: Write down what is said in a sound; `response_format` and `stream` choose the form

        It needs a model that transcribes, such as one of the Whisper family.

        Keyword arguments are the members of `requests.CreateTranscriptionRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.create_transcription(
                file=open("speech.wav", "rb"), model="whisper", language="en"
            )
        """
        return self._call(o.CREATE_TRANSCRIPTION, Arguments(body=body))

    def stream_create_transcription(
        self, **body: Unpack[r.CreateTranscriptionRequest]
    ) -> EventStream[m.TranscriptTextDeltaEvent | m.TranscriptTextDoneEvent]:
        """POST /v1/audio/transcriptions: Write down what is said in a sound; `response_format` and `stream` choose the form

        It needs a model that transcribes, such as one of the Whisper family.

        Keyword arguments are the members of `requests.CreateTranscriptionRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            with client.stream_create_transcription(
                file=open("speech.wav", "rb"), model="whisper", language="en"
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.CREATE_TRANSCRIPTION, Arguments(body={**body, "stream": True}))

    def create_translation(
        self, **body: Unpack[r.CreateTranslationRequest]
    ) -> m.CreateTranslationResponseJson | m.CreateTranslationResponseVerboseJson | str:
        """POST /v1/audio/translations: Write down in English what is said in a sound of another language

        It needs a model that translates what it transcribes, such as one of the Whisper family.

        Keyword arguments are the members of `requests.CreateTranslationRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.create_translation(file=open("speech.wav", "rb"), model="whisper")
        """
        return self._call(o.CREATE_TRANSLATION, Arguments(body=body))

    def list_files(
        self,
        *,
        purpose: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        after: str | None = None,
    ) -> m.ListFilesResponse:
        """GET /v1/files: List the files of the request's key

        Keyword arguments:
            purpose: Only files of this purpose.
            limit: How many files to return at most.
            order: `desc`: the newest first.
            after: The id of a file to go on after, in that order.

        Declared errors: 400, 401, 500, 503.

        Example::

            answer = client.list_files()
        """
        return self._call(
            o.LIST_FILES,
            Arguments(
                query={"purpose": purpose, "limit": limit, "order": order, "after": after},
            ),
        )

    def create_file(self, **body: Unpack[r.CreateFileRequest]) -> m.StoredFile:
        """POST /v1/files: Store a file, such as the requests of a batch

        It is seen with the key alone that stored it.

        Keyword arguments are the members of `requests.CreateFileRequest`.

        Declared errors: 400, 401, 413, 415, 429, 500, 503.

        Example::

            answer = client.create_file(file=open("requests.jsonl", "rb"), purpose="batch")
        """
        return self._call(o.CREATE_FILE, Arguments(body=body))

    def retrieve_file(self, file_id: str) -> m.StoredFile:
        """GET /v1/files/{file_id}: Tell of one file

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.retrieve_file("file-0f3c")
        """
        return self._call(
            o.RETRIEVE_FILE,
            Arguments(
                path={"file_id": file_id},
            ),
        )

    def delete_file(self, file_id: str) -> m.DeleteFileResponse:
        """DELETE /v1/files/{file_id}: Delete a file

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.delete_file("file-0f3c")
        """
        return self._call(
            o.DELETE_FILE,
            Arguments(
                path={"file_id": file_id},
            ),
        )

    def download_file(self, file_id: str) -> bytes:
        """GET /v1/files/{file_id}/content: Return what is in a file

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.download_file("file-0f3c")
        """
        return self._call(
            o.DOWNLOAD_FILE,
            Arguments(
                path={"file_id": file_id},
            ),
        )

    def list_batches(self, *, after: str | None = None, limit: int | None = None) -> m.ListBatchesResponse:
        """GET /v1/batches: List the batches of the request's key, the newest first

        Keyword arguments:
            after: The id of a batch to go on after.
            limit: How many batches to return at most.

        Declared errors: 400, 401, 500, 503.

        Example::

            answer = client.list_batches()
        """
        return self._call(
            o.LIST_BATCHES,
            Arguments(
                query={"after": after, "limit": limit},
            ),
        )

    def create_batch(self, **body: Unpack[r.CreateBatchRequest]) -> m.Batch:
        """POST /v1/batches: Answer the requests in a file when nothing else waits

        Each line of the file is a request: `custom_id`, which no other line has, `method` (`POST`), `url`
        and `body`. A file with a line that is not one fails the batch, whose `errors` then name the lines.
        Lines are answered in their order, after all other requests, and go on after a restart of the
        server.

        Keyword arguments are the members of `requests.CreateBatchRequest`.

        Declared errors: 400, 401, 413, 415, 429, 500, 503.

        Example::

            answer = client.create_batch(
                input_file_id="file-0f3c",
                endpoint="/v1/chat/completions",
                completion_window="24h",
                metadata={"night": "7"},
            )
        """
        return self._call(o.CREATE_BATCH, Arguments(body=body))

    def retrieve_batch(self, batch_id: str) -> m.Batch:
        """GET /v1/batches/{batch_id}: Tell of one batch

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.retrieve_batch("batch_0f3c")
        """
        return self._call(
            o.RETRIEVE_BATCH,
            Arguments(
                path={"batch_id": batch_id},
            ),
        )

    def cancel_batch(self, batch_id: str) -> m.Batch:
        """POST /v1/batches/{batch_id}/cancel: Answer no more lines of a batch

        Lines that are being answered are broken off. The answers that there are come in the batch's files.

        Declared errors: 400, 401, 404, 409, 500, 503.

        Example::

            answer = client.cancel_batch("batch_0f3c")
        """
        return self._call(
            o.CANCEL_BATCH,
            Arguments(
                path={"batch_id": batch_id},
            ),
        )

    def list_models(self) -> m.ListModelsResponse:
        """GET /v1/models: List the models that a request may name

        Declared errors: 401, 500.

        Example::

            answer = client.list_models()
        """
        return self._call(o.LIST_MODELS, Arguments())

    def retrieve_model(self, model: str) -> m.Model:
        """GET /v1/models/{model}: Tell of one model

        Declared errors: 400, 401, 404, 500.

        Example::

            answer = client.retrieve_model("verbatim-demo")
        """
        return self._call(
            o.RETRIEVE_MODEL,
            Arguments(
                path={"model": model},
            ),
        )

    def render_chat_completion(self, **body: Unpack[r.CreateChatCompletionRequest]) -> m.RenderedRequest:
        """POST /v1/chat/completions/render: Write a conversation as the tokens that the model reads, and answer nothing

        The answer is a request to the token API of vLLM, and of this server under `/tokens`. No tokens are
        generated.

        Keyword arguments are the members of `requests.CreateChatCompletionRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.render_chat_completion(
                model="verbatim-demo",
                messages=[{"role": "user", "content": "Hello!"}],
                max_completion_tokens=20,
            )
        """
        return self._call(o.RENDER_CHAT_COMPLETION, Arguments(body=body))

    def render_completion(self, **body: Unpack[r.CreateCompletionRequest]) -> m.RenderCompletionResponse:
        """POST /v1/completions/render: Write prompts as the tokens that the model reads, and continue none

        As of a conversation, a request for each prompt.

        Keyword arguments are the members of `requests.CreateCompletionRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.render_completion(model="verbatim-demo", prompt="Hello", max_tokens=20)
        """
        return self._call(o.RENDER_COMPLETION, Arguments(body=body))

    def render_response(self, **body: Unpack[r.CreateResponseRequest]) -> m.RenderedRequest:
        """POST /v1/responses/render: Write an input as the tokens that the model reads, and answer nothing

        As of a conversation.

        Keyword arguments are the members of `requests.CreateResponseRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.render_response(model="verbatim-demo", input="Hello!", max_output_tokens=20)
        """
        return self._call(o.RENDER_RESPONSE, Arguments(body=body))

    def tokenize(self, **body: Unpack[r.TokenizeRequest]) -> m.TokenizeResponse:
        """POST /tokenize: Write a text or a conversation as tokens

        A request has a prompt or messages. No tokens are generated.

        Keyword arguments are the members of `requests.TokenizeRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.tokenize(model="verbatim-demo", prompt="Hello", return_token_strs=True)
        """
        return self._call(o.TOKENIZE, Arguments(body=body))

    def detokenize(self, **body: Unpack[r.DetokenizeRequest]) -> m.DetokenizeResponse:
        """POST /detokenize: Write tokens as a text

        Special tokens are written too.

        Keyword arguments are the members of `requests.DetokenizeRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.detokenize(model="verbatim-demo", tokens=[72, 105])
        """
        return self._call(o.DETOKENIZE, Arguments(body=body))

    def load_lora_adapter(self, **body: Unpack[r.LoadLoraAdapterRequest]) -> str:
        """POST /v1/load_lora_adapter: Load a LoRA adapter from a folder of the server

        Requests can then name it as their model. Without `--lora-root` nothing can be loaded, and the
        answer is 404.

        Keyword arguments are the members of `requests.LoadLoraAdapterRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.load_lora_adapter(lora_name="poet", lora_path="poet-v1")
        """
        return self._call(o.LOAD_LORA_ADAPTER, Arguments(body=body))

    def unload_lora_adapter(self, **body: Unpack[r.UnloadLoraAdapterRequest]) -> str:
        """POST /v1/unload_lora_adapter: Forget a LoRA adapter

        Requests that use it end with it. Without `--lora-root` nothing can be unloaded, and the answer is
        404.

        Keyword arguments are the members of `requests.UnloadLoraAdapterRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.unload_lora_adapter(lora_name="poet")
        """
        return self._call(o.UNLOAD_LORA_ADAPTER, Arguments(body=body))

    def derender_chat_completion(
        self, **body: Unpack[r.DerenderChatRequest]
    ) -> m.CreateChatCompletionResponse | m.DerenderedChatChunk:
        """POST /v1/chat/completions/derender: Write generated tokens as the answer to a conversation

        Nothing is generated. The tokens are the answer of `/inference/v1/generate` to a request that
        `/v1/chat/completions/render` wrote. With `stream`, one event of its stream is written as one chunk;
        what is to be remembered until the next one is in `stream_state`, which the client sends back.

        Keyword arguments are the members of `requests.DerenderChatRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.derender_chat_completion(
                generate_response={
                    "request_id": "chatcmpl-5b0f1c2d",
                    "choices": [{"index": 0, "token_ids": [72, 105], "finish_reason": "length"}],
                },
                prompt_tokens=4,
                chat_request={"model": "verbatim-demo", "messages": [{"role": "user", "content": "Hello!"}]},
            )
        """
        return self._call(o.DERENDER_CHAT_COMPLETION, Arguments(body=body))

    def derender_completion(
        self, **body: Unpack[r.DerenderCompletionRequest]
    ) -> m.CreateCompletionResponse | m.DerenderedCompletionChunk:
        """POST /v1/completions/derender: Write generated tokens as continuations of prompts

        As of a conversation, with the answer to each request that `/v1/completions/render` wrote.

        Keyword arguments are the members of `requests.DerenderCompletionRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.derender_completion(
                generate_responses=[
                    {
                        "request_id": "cmpl-5b0f1c2d",
                        "choices": [{"index": 0, "token_ids": [72, 105], "finish_reason": "length"}],
                    }
                ],
                prompt_tokens=[1],
                completion_request={"model": "verbatim-demo", "prompt": "Hello", "max_tokens": 2},
            )
        """
        return self._call(o.DERENDER_COMPLETION, Arguments(body=body))

    def create_chat_completion_batch(
        self, **body: Unpack[r.CreateChatCompletionBatchRequest]
    ) -> m.CreateChatCompletionResponse:
        """POST /v1/chat/completions/batch: Answer several conversations in one request

        All have the same options. Each choice is the answer to the conversation of its index.

        Keyword arguments are the members of `requests.CreateChatCompletionBatchRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.create_chat_completion_batch(
                model="verbatim-demo",
                messages=[
                    [{"role": "user", "content": "Hello!"}],
                    [{"role": "user", "content": "Good morning!"}],
                ],
                max_completion_tokens=20,
            )
        """
        return self._call(o.CREATE_CHAT_COMPLETION_BATCH, Arguments(body=body))
