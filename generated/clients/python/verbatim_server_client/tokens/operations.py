# Generated from specs/tokens: mend the document or its overlay, never this file.
"""Token API 0.33.0: its operations, as the clients need to know them."""

from typing import Final

from .. import version
from ..runtime.operation import Operation
from ..runtime.settings import Contract
from . import errors as e
from . import models as m

CONTRACT: Final = Contract(path="/tokens", agent=f"{version.NAME}/{version.VERSION} tokens/0.33.0")

GENERATE: Final[Operation[m.GenerateResponse, m.GenerateStreamResponse]] = Operation(
    method="POST",
    path="/inference/v1/generate",
    answer=m.GenerateResponse,
    event=m.GenerateStreamEvent,
    error_events=(m.ErrorResponse,),
    terminator="[DONE]",
    errors=e.ERRORS,
)
ABORT_REQUESTS: Final[Operation[None, None]] = Operation(
    method="POST", path="/inference/v1/abort_requests", errors=e.ERRORS
)
LIST_MODELS: Final[Operation[m.ModelList, None]] = Operation(
    method="GET", path="/v1/models", answer=m.ModelList, errors=e.ERRORS
)
HEALTH: Final[Operation[None, None]] = Operation(method="GET", path="/health", errors=e.ERRORS)
