# Generated from specs/mindie: mend the document or its overlay, never this file.
"""MindIE chat completions 2.3.0: its operations, as the clients need to know them."""

from typing import Final

from .. import version
from ..runtime.operation import Operation
from ..runtime.settings import Contract
from . import errors as e
from . import models as m

CONTRACT: Final = Contract(path="/mindie", agent=f"{version.NAME}/{version.VERSION} mindie/2.3.0")

CHAT_COMPLETIONS: Final[Operation[m.ChatCompletion, m.ChatCompletionChunk]] = Operation(
    method="POST",
    path="/v1/chat/completions",
    answer=m.ChatCompletion,
    event=m.ChatCompletionEvent,
    error_events=(m.ErrorResponse,),
    terminator="[DONE]",
    errors=e.ERRORS,
)
