"""The registry of tool-call formats, and the choice of a model's."""

from collections.abc import Collection, Mapping

from handlers.chat.tool_calls.formats.families.deepseek import (
    DEEPSEEK_V3,
    DEEPSEEK_V4,
    DEEPSEEK_V31,
    DEEPSEEK_V32,
    DEEPSEEK_V41,
)
from handlers.chat.tool_calls.formats.families.gemma import FUNCTION_GEMMA, GEMMA_4
from handlers.chat.tool_calls.formats.families.glm import GLM, HY_3, STEP_3
from handlers.chat.tool_calls.formats.families.granite import APERTUS, COHERE, GRANITE, JAMBA, PHI_4_MINI
from handlers.chat.tool_calls.formats.families.harmony import HARMONY
from handlers.chat.tool_calls.formats.families.hermes import HERMES
from handlers.chat.tool_calls.formats.families.internlm import INTERNLM
from handlers.chat.tool_calls.formats.families.kimi import KIMI_K2
from handlers.chat.tool_calls.formats.families.llama import LLAMA_JSON, LLAMA_TAGS
from handlers.chat.tool_calls.formats.families.minimax import MINIMAX_M2
from handlers.chat.tool_calls.formats.families.mistral import MISTRAL, MISTRAL_LIST
from handlers.chat.tool_calls.formats.families.nemotron import NEMOTRON
from handlers.chat.tool_calls.formats.families.qwen_coder import QWEN_CODER
from handlers.chat.tool_calls.formats.families.seed_oss import SEED_OSS
from handlers.chat.tool_calls.formats.pythonic import LFM_2, OLMO_3, PYTHONIC
from handlers.chat.tool_calls.tool_format import ToolFormat

TOOL_FORMATS: tuple[ToolFormat, ...] = (
    HARMONY,
    HERMES,
    QWEN_CODER,
    GLM,
    MISTRAL,
    MISTRAL_LIST,
    DEEPSEEK_V3,
    DEEPSEEK_V31,
    DEEPSEEK_V32,
    DEEPSEEK_V4,
    DEEPSEEK_V41,
    KIMI_K2,
    GEMMA_4,
    GRANITE,
    PHI_4_MINI,
    NEMOTRON,
    INTERNLM,
    SEED_OSS,
    MINIMAX_M2,
    LFM_2,
    PYTHONIC,
    LLAMA_JSON,
    FUNCTION_GEMMA,
    COHERE,
    APERTUS,
    OLMO_3,
    HY_3,
    STEP_3,
    JAMBA,
)

_DEEPSEEK = (DEEPSEEK_V3, DEEPSEEK_V31, DEEPSEEK_V32, DEEPSEEK_V4, DEEPSEEK_V41)
# The formats that models of a format's family write as well, as they were trained on them or know them from
# other versions. They are read and never asked for.
_ALSO_WRITTEN: Mapping[str, tuple[ToolFormat, ...]] = {
    **{known.name: _DEEPSEEK for known in _DEEPSEEK},
    MISTRAL.name: (MISTRAL_LIST,),
    MISTRAL_LIST.name: (MISTRAL,),
    HERMES.name: (QWEN_CODER,),
    LLAMA_JSON.name: (LLAMA_TAGS,),
}

TOOL_FORMAT_NAMES = tuple(sorted(name for known in TOOL_FORMATS for name in (known.name, *known.aliases)))


def tool_format_of(template: str, tokens: Collection[str] = ()) -> ToolFormat | None:
    """Return the format that a chat template teaches its model, or else the one whose tokens the vocabulary
    has; None if there is no such format.
    """
    taught = next((known for known in TOOL_FORMATS if known.is_format_of(template)), None)
    return taught or next(
        (known for known in TOOL_FORMATS if known.tokens and set(known.tokens) <= set(tokens)), None
    )


def tool_format_named(name: str) -> ToolFormat | None:
    """Return the format of this name or alias."""
    return next((known for known in TOOL_FORMATS if name in (known.name, *known.aliases)), None)


def readings_of(tool_format: ToolFormat) -> tuple[ToolFormat, ...]:
    """Return the formats in which a model's calls are read: its own, and those that it may also write."""
    others = _ALSO_WRITTEN.get(tool_format.name, ())
    return (tool_format, *(other for other in others if other is not tool_format))
