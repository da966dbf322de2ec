# Generated from specs/open_responses: mend the document or its overlay, never this file.
"""Open Responses 2026-04-24: its synchronous client."""

from typing_extensions import Unpack

from ..runtime.client import BaseClient
from ..runtime.operation import Arguments
from ..runtime.stream import EventStream
from . import models as m
from . import operations as o
from . import requests as r
from .raw_client import RawClient


class Client(BaseClient):
    """Open Responses 2026-04-24, one method an operation; its own base URL ends in /open_responses.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> RawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return RawClient(self)

    def create_response(self, **body: Unpack[r.CreateResponseBody]) -> m.ResponseResource:
        """POST /v1/responses: Answer an input of items with items, whole or as a stream of typed events

        To continue a conversation, name its last response in `previous_response_id`, if it is stored; or
        send its items again, including the `output` of earlier answers. The store is the one of
        `/openai/v1/responses`.

        Keyword arguments are the members of `requests.CreateResponseBody`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.create_response(
                model="verbatim-demo", input="Hello! Who are you?", max_output_tokens=60, temperature=0
            )
        """
        return self._call(o.CREATE_RESPONSE, Arguments(body=body))

    def stream_create_response(
        self, **body: Unpack[r.CreateResponseBody]
    ) -> EventStream[
        m.ResponseCreatedStreamingEvent
        | m.ResponseQueuedStreamingEvent
        | m.ResponseInProgressStreamingEvent
        | m.ResponseCompletedStreamingEvent
        | m.ResponseFailedStreamingEvent
        | m.ResponseIncompleteStreamingEvent
        | m.ResponseOutputItemAddedStreamingEvent
        | m.ResponseOutputItemDoneStreamingEvent
        | m.ResponseReasoningSummaryPartAddedStreamingEvent
        | m.ResponseReasoningSummaryPartDoneStreamingEvent
        | m.ResponseContentPartAddedStreamingEvent
        | m.ResponseContentPartDoneStreamingEvent
        | m.ResponseOutputTextDeltaStreamingEvent
        | m.ResponseOutputTextDoneStreamingEvent
        | m.ResponseRefusalDeltaStreamingEvent
        | m.ResponseRefusalDoneStreamingEvent
        | m.ResponseReasoningDeltaStreamingEvent
        | m.ResponseReasoningDoneStreamingEvent
        | m.ResponseReasoningSummaryDeltaStreamingEvent
        | m.ResponseReasoningSummaryDoneStreamingEvent
        | m.ResponseOutputTextAnnotationAddedStreamingEvent
        | m.ResponseFunctionCallArgumentsDeltaStreamingEvent
        | m.ResponseFunctionCallArgumentsDoneStreamingEvent
    ]:
        """POST /v1/responses: Answer an input of items with items, whole or as a stream of typed events

        To continue a conversation, name its last response in `previous_response_id`, if it is stored; or
        send its items again, including the `output` of earlier answers. The store is the one of
        `/openai/v1/responses`.

        Keyword arguments are the members of `requests.CreateResponseBody`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            with client.stream_create_response(
                model="verbatim-demo", input="Hello! Who are you?", max_output_tokens=60, temperature=0
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.CREATE_RESPONSE, Arguments(body={**body, "stream": True}))
