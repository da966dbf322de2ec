# Generated from specs/open_responses: mend the document or its overlay, never this file.
"""Open Responses 2026-04-24: its operations, as the clients need to know them."""

from typing import Final

from .. import version
from ..runtime.operation import Operation
from ..runtime.settings import Contract
from . import errors as e
from . import models as m

CONTRACT: Final = Contract(
    path="/open_responses", agent=f"{version.NAME}/{version.VERSION} open_responses/2026-04-24"
)

CREATE_RESPONSE: Final[
    Operation[
        m.ResponseResource,
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
        | m.ResponseFunctionCallArgumentsDoneStreamingEvent,
    ]
] = Operation(
    method="POST",
    path="/v1/responses",
    answer=m.ResponseResource,
    event=m.ResponseStreamingEvent,
    error_events=(m.ErrorStreamingEvent,),
    terminator="[DONE]",
    errors=e.ERRORS,
)
