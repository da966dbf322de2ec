# Generated from specs/mindie: mend the document or its overlay, never this file.
"""MindIE chat completions 2.3.0: its synchronous client."""

from typing_extensions import Unpack

from ..runtime.client import BaseClient
from ..runtime.operation import Arguments
from ..runtime.stream import EventStream
from . import models as m
from . import operations as o
from . import requests as r
from .raw_client import RawClient


class Client(BaseClient):
    """MindIE chat completions 2.3.0, one method an operation; its own base URL ends in /mindie.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> RawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return RawClient(self)

    def chat_completions(self, **body: Unpack[r.ChatRequest]) -> m.ChatCompletion:
        """POST /v1/chat/completions: Answer a conversation; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.ChatRequest`.

        Declared errors: 401, 413, 415, 422, 424, 500, 503.

        Example::

            answer = client.chat_completions(
                model="verbatim-demo",
                messages=[{"role": "user", "content": "What is your name?"}],
                presence_penalty=1.03,
                frequency_penalty=1.0,
                repetition_penalty=1.0,
                temperature=0.5,
                top_p=0.95,
                top_k=0,
                seed=None,
                stop=["stop1", "stop2"],
                stop_token_ids=[2, 13],
                include_stop_str_in_output=False,
                skip_special_tokens=True,
                ignore_eos=False,
                max_tokens=60,
                best_of=1,
                n=1,
                logprobs=False,
                top_logprobs=None,
            )
        """
        return self._call(o.CHAT_COMPLETIONS, Arguments(body=body))

    def stream_chat_completions(self, **body: Unpack[r.ChatRequest]) -> EventStream[m.ChatCompletionChunk]:
        """POST /v1/chat/completions: Answer a conversation; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.ChatRequest`.

        Declared errors: 401, 413, 415, 422, 424, 500, 503.

        Example::

            with client.stream_chat_completions(
                model="verbatim-demo",
                messages=[{"role": "user", "content": "What is your name?"}],
                presence_penalty=1.03,
                frequency_penalty=1.0,
                repetition_penalty=1.0,
                temperature=0.5,
                top_p=0.95,
                top_k=0,
                seed=None,
                stop=["stop1", "stop2"],
                stop_token_ids=[2, 13],
                include_stop_str_in_output=False,
                skip_special_tokens=True,
                ignore_eos=False,
                max_tokens=60,
                best_of=1,
                n=1,
                logprobs=False,
                top_logprobs=None,
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.CHAT_COMPLETIONS, Arguments(body={**body, "stream": True}))
