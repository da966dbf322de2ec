# Generated from specs/anthropic: mend the document or its overlay, never this file.
"""Anthropic Messages API 2026-10-21: its operations, as the clients need to know them."""

from typing import Final

from .. import version
from ..runtime.operation import Operation
from ..runtime.settings import Contract
from . import errors as e
from . import models as m

CONTRACT: Final = Contract(path="/anthropic", agent=f"{version.NAME}/{version.VERSION} anthropic/2026-10-21")

CREATE_MESSAGE: Final[
    Operation[
        m.Message,
        m.MessageStartEvent
        | m.ContentBlockStartEvent
        | m.ContentBlockDeltaEvent
        | m.ContentBlockStopEvent
        | m.MessageDeltaEvent
        | m.MessageStopEvent
        | m.PingEvent,
    ]
] = Operation(
    method="POST",
    path="/v1/messages",
    answer=m.Message,
    event=m.MessageStreamEvent,
    error_events=(m.ErrorResponse,),
    errors=e.ERRORS,
)
COUNT_MESSAGE_TOKENS: Final[Operation[m.MessageTokensCount, None]] = Operation(
    method="POST", path="/v1/messages/count_tokens", answer=m.MessageTokensCount, errors=e.ERRORS
)
LIST_MODELS: Final[Operation[m.ModelPage, None]] = Operation(
    method="GET", path="/v1/models", answer=m.ModelPage, errors=e.ERRORS
)
GET_MODEL: Final[Operation[m.ModelInfo, None]] = Operation(
    method="GET", path="/v1/models/{model_id:path}", answer=m.ModelInfo, errors=e.ERRORS
)
RENDER_MESSAGE: Final[Operation[m.RenderedRequest, None]] = Operation(
    method="POST", path="/v1/messages/render", answer=m.RenderedRequest, errors=e.ERRORS
)
