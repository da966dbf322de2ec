# Generated from specs/hf: mend the document or its overlay, never this file.
"""Hugging Face Text Generation Inference API 1.0.0: its operations, as the clients need to know them."""

from typing import Final

from .. import version
from ..runtime.operation import Operation
from ..runtime.settings import Contract
from . import errors as e
from . import models as m

CONTRACT: Final = Contract(path="/hf", agent=f"{version.NAME}/{version.VERSION} hf/1.0.0")

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
CHAT_COMPLETIONS: Final[Operation[m.ChatCompletionResponse, m.ChatCompletionStreamResponse]] = Operation(
    method="POST",
    path="/v1/chat/completions",
    answer=m.ChatCompletionResponse,
    event=m.ChatCompletionEvent,
    error_events=(m.ErrorResponse,),
    terminator="[DONE]",
    errors=e.ERRORS,
)
COMPLETIONS: Final[Operation[m.CompletionResponse, m.CompletionStreamResponse]] = Operation(
    method="POST",
    path="/v1/completions",
    answer=m.CompletionResponse,
    event=m.CompletionEvent,
    error_events=(m.ErrorResponse,),
    terminator="[DONE]",
    errors=e.ERRORS,
)
LIST_MODELS: Final[Operation[m.ModelList, None]] = Operation(
    method="GET", path="/v1/models", answer=m.ModelList, errors=e.ERRORS
)
GET_INFO: Final[Operation[m.Info, None]] = Operation(
    method="GET", path="/info", answer=m.Info, errors=e.ERRORS
)
HEALTH_CHECK: Final[Operation[None, None]] = Operation(method="GET", path="/health", errors=e.ERRORS)
GET_METRICS: Final[Operation[str, None]] = Operation(
    method="GET", path="/metrics", is_text=True, errors=e.ERRORS
)
TOKENIZE: Final[Operation[m.TokenizeResponse, None]] = Operation(
    method="POST", path="/tokenize", answer=m.TokenizeResponse, errors=e.ERRORS
)
