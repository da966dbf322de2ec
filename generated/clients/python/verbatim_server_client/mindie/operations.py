# Generated from specs/mindie: mend the document or its overlay, never this file.
"""MindIE chat completions 2.3.0: its operations, as the clients need to know them."""

from typing import Final

from verbatim_server_client import version
from verbatim_server_client.runtime.operation import Operation
from verbatim_server_client.runtime.settings import Contract

from . import errors as e
from . import models as m

CONTRACT: Final = Contract(
    path="/mindie",
    agent=f"verbatim-server-client/{version.VERSION} mindie/2.3.0",
)

CHAT_COMPLETIONS: Final[Operation[m.ChatCompletion, m.ChatCompletionChunk]] = Operation(
    method="POST",
    path="/v1/chat/completions",
    answer=m.ChatCompletion,
    event=m.ChatCompletionEvent,
    error_events=(m.ErrorResponse,),
    terminator="[DONE]",
    errors=e.ERRORS,
)
