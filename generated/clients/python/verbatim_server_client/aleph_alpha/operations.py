# Generated from specs/aleph_alpha: mend the document or its overlay, never this file.
"""Aleph Alpha inference API 1.19.0: its operations, as the clients need to know them."""

from typing import Final

from .. import version
from ..runtime.operation import Operation
from ..runtime.settings import Contract
from . import errors as e
from . import models as m

CONTRACT: Final = Contract(path="/aleph_alpha", agent=f"{version.NAME}/{version.VERSION} aleph_alpha/1.19.0")

CHAT_COMPLETIONS: Final[Operation[m.ChatCompletion, m.ChatCompletionChunk]] = Operation(
    method="POST",
    path="/chat/completions",
    answer=m.ChatCompletion,
    event=m.ChatStreamEvent,
    error_events=(m.Error,),
    terminator="[DONE]",
    errors=e.ERRORS,
)
COMPLETE: Final[Operation[m.CompletionResponse, m.StreamChunk | m.StreamSummary | m.CompletionSummary]] = (
    Operation(
        method="POST",
        path="/complete",
        answer=m.CompletionResponse,
        event=m.CompletionStreamEvent,
        error_events=(m.Error,),
        errors=e.ERRORS,
    )
)
EVALUATE: Final[Operation[m.EvaluationResponse, None]] = Operation(
    method="POST", path="/evaluate", answer=m.EvaluationResponse, errors=e.ERRORS
)
TOKENIZE: Final[Operation[m.TokenizationResponse, None]] = Operation(
    method="POST", path="/tokenize", answer=m.TokenizationResponse, errors=e.ERRORS
)
DETOKENIZE: Final[Operation[m.DetokenizationResponse, None]] = Operation(
    method="POST", path="/detokenize", answer=m.DetokenizationResponse, errors=e.ERRORS
)
MODELS_AVAILABLE: Final[Operation[m.AvailableModels, None]] = Operation(
    method="GET", path="/models_available", answer=m.AvailableModels, errors=e.ERRORS
)
MODEL_SETTINGS: Final[Operation[m.ModelSettingsList, None]] = Operation(
    method="GET", path="/model-settings", answer=m.ModelSettingsList, errors=e.ERRORS
)
VERSION: Final[Operation[str, None]] = Operation(method="GET", path="/version", is_text=True, errors=e.ERRORS)
