# Generated from specs/aleph_alpha: mend the document or its overlay, never this file.
"""Aleph Alpha inference API 1.19.0: its synchronous client."""

from typing_extensions import Unpack

from ..runtime.client import BaseClient
from ..runtime.operation import Arguments
from ..runtime.stream import EventStream
from . import models as m
from . import operations as o
from . import requests as r
from .raw_client import RawClient


class Client(BaseClient):
    """Aleph Alpha inference API 1.19.0, one method an operation; its own base URL ends in /aleph_alpha.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> RawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return RawClient(self)

    def chat_completions(
        self, *, nice: bool | None = None, **body: Unpack[r.ChatRequest]
    ) -> m.ChatCompletion:
        """POST /chat/completions: Answer a conversation

        Keyword arguments are the members of `requests.ChatRequest`, and:
            nice: Let requests that are not nice go first. The answer is the same.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.chat_completions(
                model="verbatim-demo", messages=[{"role": "user", "content": "Hello!"}], max_tokens=20
            )
        """
        return self._call(o.CHAT_COMPLETIONS, Arguments(query={"nice": nice}, body=body))

    def stream_chat_completions(
        self, *, nice: bool | None = None, **body: Unpack[r.ChatRequest]
    ) -> EventStream[m.ChatCompletionChunk]:
        """POST /chat/completions: Answer a conversation

        Keyword arguments are the members of `requests.ChatRequest`, and:
            nice: Let requests that are not nice go first. The answer is the same.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            with client.stream_chat_completions(
                model="verbatim-demo", messages=[{"role": "user", "content": "Hello!"}], max_tokens=20
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(
            o.CHAT_COMPLETIONS, Arguments(query={"nice": nice}, body={**body, "stream": True})
        )

    def complete(
        self, *, nice: bool | None = None, **body: Unpack[r.CompletionRequest]
    ) -> m.CompletionResponse:
        """POST /complete: Continue a prompt

        Keyword arguments are the members of `requests.CompletionRequest`, and:
            nice: Let requests that are not nice go first. The answer is the same.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.complete(model="verbatim-demo", prompt="Once upon a time", maximum_tokens=10)
        """
        return self._call(o.COMPLETE, Arguments(query={"nice": nice}, body=body))

    def stream_complete(
        self, *, nice: bool | None = None, **body: Unpack[r.CompletionRequest]
    ) -> EventStream[m.StreamChunk | m.StreamSummary | m.CompletionSummary]:
        """POST /complete: Continue a prompt

        Keyword arguments are the members of `requests.CompletionRequest`, and:
            nice: Let requests that are not nice go first. The answer is the same.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            with client.stream_complete(
                model="verbatim-demo", prompt="Once upon a time", maximum_tokens=10
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.COMPLETE, Arguments(query={"nice": nice}, body={**body, "stream": True}))

    def evaluate(
        self, *, nice: bool | None = None, **body: Unpack[r.EvaluationRequest]
    ) -> m.EvaluationResponse:
        """POST /evaluate: Tell how likely a completion is after a prompt

        Keyword arguments are the members of `requests.EvaluationRequest`, and:
            nice: Let requests that are not nice go first. The answer is the same.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.evaluate(model="verbatim-demo", prompt="Hello", completion_expected=" world")
        """
        return self._call(o.EVALUATE, Arguments(query={"nice": nice}, body=body))

    def tokenize(self, **body: Unpack[r.TokenizationRequest]) -> m.TokenizationResponse:
        """POST /tokenize: Turn a text into tokens

        Keyword arguments are the members of `requests.TokenizationRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500.

        Example::

            answer = client.tokenize(model="verbatim-demo", prompt="Hello world", tokens=True, token_ids=True)
        """
        return self._call(o.TOKENIZE, Arguments(body=body))

    def detokenize(self, **body: Unpack[r.DetokenizationRequest]) -> m.DetokenizationResponse:
        """POST /detokenize: Turn token ids into a text

        Keyword arguments are the members of `requests.DetokenizationRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500.

        Example::

            answer = client.detokenize(model="verbatim-demo", token_ids=[312, 845])
        """
        return self._call(o.DETOKENIZE, Arguments(body=body))

    def models_available(self) -> m.AvailableModels:
        """GET /models_available: List the models, in the older form

        Declared errors: 401, 500.

        Example::

            answer = client.models_available()
        """
        return self._call(o.MODELS_AVAILABLE, Arguments())

    def model_settings(self) -> m.ModelSettingsList:
        """GET /model-settings: List the models and what each can do

        Declared errors: 401, 500.

        Example::

            answer = client.model_settings()
        """
        return self._call(o.MODEL_SETTINGS, Arguments())

    def version(self) -> str:
        """GET /version: Tell the version of the API

        Declared errors: 401, 500.

        Example::

            answer = client.version()
        """
        return self._call(o.VERSION, Arguments())
