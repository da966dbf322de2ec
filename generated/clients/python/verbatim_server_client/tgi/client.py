# Generated from specs/tgi: mend the document or its overlay, never this file.
"""Text Generation Inference 2.3.2-dev0: its synchronous client."""

from typing_extensions import Unpack

from ..runtime.client import BaseClient
from ..runtime.operation import Arguments
from ..runtime.stream import EventStream
from . import models as m
from . import operations as o
from . import requests as r
from .raw_client import RawClient


class Client(BaseClient):
    """Text Generation Inference 2.3.2-dev0, one method an operation; its own base URL ends in /tgi.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> RawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return RawClient(self)

    def compat_generate(self, **body: Unpack[r.CompatGenerateRequest]) -> m.CompatGenerateResponse:
        """POST /: Generate text; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.CompatGenerateRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            answer = client.compat_generate(inputs="Hello, how are you?", parameters={"max_new_tokens": 20})
        """
        return self._call(o.COMPAT_GENERATE, Arguments(body=body))

    def stream_compat_generate(
        self, **body: Unpack[r.CompatGenerateRequest]
    ) -> EventStream[m.StreamResponse]:
        """POST /: Generate text; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.CompatGenerateRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            with client.stream_compat_generate(
                inputs="Hello, how are you?", parameters={"max_new_tokens": 20}
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.COMPAT_GENERATE, Arguments(body={**body, "stream": True}))

    def generate(self, **body: Unpack[r.GenerateRequest]) -> m.GenerateResponse:
        """POST /generate: Generate text and answer when it is complete

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            answer = client.generate(inputs="Hello, how are you?", parameters={"max_new_tokens": 20})
        """
        return self._call(o.GENERATE, Arguments(body=body))

    def generate_stream(self, **body: Unpack[r.GenerateRequest]) -> EventStream[m.StreamResponse]:
        """POST /generate_stream: Generate text and send one server-sent event a token

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            with client.generate_stream(
                inputs="Hello, how are you?", parameters={"max_new_tokens": 12}
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.GENERATE_STREAM, Arguments(body=body))

    def health(self) -> None:
        """GET /health: Tell whether the server can generate

        Declared errors: 500, 503.

        Example::

            client.health()
        """
        return self._call(o.HEALTH, Arguments())

    def get_model_info(self) -> m.Info:
        """GET /info: Describe the served model and the limits of this server

        Declared errors: 500.

        Example::

            answer = client.get_model_info()
        """
        return self._call(o.GET_MODEL_INFO, Arguments())

    def metrics(self) -> str:
        """GET /metrics: Counters and timings for Prometheus to scrape

        Declared errors: 500.

        Example::

            answer = client.metrics()
        """
        return self._call(o.METRICS, Arguments())

    def tokenize(self, **body: Unpack[r.GenerateRequest]) -> m.TokenizeResponse:
        """POST /tokenize: Split a prompt into tokens without generating

        The tokens are those that generation would start from, special ones included. `parameters` have no
        effect. `start` and `stop` are byte offsets into the prompt in UTF-8.

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 401, 404, 413, 415, 422, 429, 500.

        Example::

            answer = client.tokenize(inputs="Hello, how are you?")
        """
        return self._call(o.TOKENIZE, Arguments(body=body))

    def chat_completions(self, **body: Unpack[r.ChatRequest]) -> m.ChatCompletion:
        """POST /v1/chat/completions: Answer a conversation

        Keyword arguments are the members of `requests.ChatRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            answer = client.chat_completions(
                model="tgi", messages=[{"role": "user", "content": "Hello, who are you?"}], max_tokens=40
            )
        """
        return self._call(o.CHAT_COMPLETIONS, Arguments(body=body))

    def stream_chat_completions(self, **body: Unpack[r.ChatRequest]) -> EventStream[m.ChatCompletionChunk]:
        """POST /v1/chat/completions: Answer a conversation

        Keyword arguments are the members of `requests.ChatRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            with client.stream_chat_completions(
                model="tgi", messages=[{"role": "user", "content": "Hello, who are you?"}], max_tokens=40
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.CHAT_COMPLETIONS, Arguments(body={**body, "stream": True}))

    def completions(self, **body: Unpack[r.CompletionRequest]) -> m.CompletionFinal:
        """POST /v1/completions: Continue one prompt or several

        Keyword arguments are the members of `requests.CompletionRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            answer = client.completions(model="tgi", prompt="Hello, how are", max_tokens=12, temperature=0)
        """
        return self._call(o.COMPLETIONS, Arguments(body=body))

    def stream_completions(self, **body: Unpack[r.CompletionRequest]) -> EventStream[m.Chunk]:
        """POST /v1/completions: Continue one prompt or several

        Keyword arguments are the members of `requests.CompletionRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            with client.stream_completions(
                model="tgi", prompt="Hello, how are", max_tokens=12, temperature=0
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.COMPLETIONS, Arguments(body={**body, "stream": True}))

    def openai_get_model_info(self) -> m.ModelList:
        """GET /v1/models: Describe the served model in the form that OpenAI clients read

        Declared errors: 404, 500.

        Example::

            answer = client.openai_get_model_info()
        """
        return self._call(o.OPENAI_GET_MODEL_INFO, Arguments())
