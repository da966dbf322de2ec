# Generated from specs/tgi: mend the document or its overlay, never this file.
"""Text Generation Inference 2.3.2-dev0: its operations, as the clients need to know them."""

from typing import Final

from .. import version
from ..runtime.operation import Operation
from ..runtime.settings import Contract
from . import errors as e
from . import models as m

CONTRACT: Final = Contract(path="/tgi", agent=f"{version.NAME}/{version.VERSION} tgi/2.3.2-dev0")

COMPAT_GENERATE: Final[Operation[m.CompatGenerateResponse, m.StreamResponse]] = Operation(
    method="POST",
    path="/",
    answer=m.CompatGenerateResponse,
    event=m.StreamEvent,
    error_events=(m.ErrorResponse,),
    errors=e.ERRORS,
)
GENERATE: Final[Operation[m.GenerateResponse, None]] = Operation(
    method="POST", path="/generate", answer=m.GenerateResponse, errors=e.ERRORS
)
GENERATE_STREAM: Final[Operation[None, m.StreamResponse]] = Operation(
    method="POST",
    path="/generate_stream",
    event=m.StreamEvent,
    error_events=(m.ErrorResponse,),
    errors=e.ERRORS,
)
HEALTH: Final[Operation[None, None]] = Operation(method="GET", path="/health", errors=e.ERRORS)
GET_MODEL_INFO: Final[Operation[m.Info, None]] = Operation(
    method="GET", path="/info", answer=m.Info, errors=e.ERRORS
)
METRICS: Final[Operation[str, None]] = Operation(method="GET", path="/metrics", is_text=True, errors=e.ERRORS)
TOKENIZE: Final[Operation[m.TokenizeResponse, None]] = Operation(
    method="POST", path="/tokenize", answer=m.TokenizeResponse, errors=e.ERRORS
)
CHAT_COMPLETIONS: Final[Operation[m.ChatCompletion, m.ChatCompletionChunk]] = Operation(
    method="POST",
    path="/v1/chat/completions",
    answer=m.ChatCompletion,
    event=m.ChatCompletionEvent,
    error_events=(m.StreamError,),
    terminator="[DONE]",
    errors=e.ERRORS,
)
COMPLETIONS: Final[Operation[m.CompletionFinal, m.Chunk]] = Operation(
    method="POST",
    path="/v1/completions",
    answer=m.CompletionFinal,
    event=m.CompletionEvent,
    error_events=(m.StreamError,),
    terminator="[DONE]",
    errors=e.ERRORS,
)
OPENAI_GET_MODEL_INFO: Final[Operation[m.ModelList, None]] = Operation(
    method="GET", path="/v1/models", answer=m.ModelList, errors=e.ERRORS
)
