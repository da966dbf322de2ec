"""The formats in which model families think aloud, and the choice of a model's."""

from collections.abc import Iterable
from typing import Final

from handlers.chat.reading.channels import HARMONY_CHANNELS
from handlers.chat.reading.reasoning import ReasoningFormat
from handlers.chat.reading.tag_pair import THINK, TagPair

REASONING_FORMATS: Final[tuple[ReasoningFormat, ...]] = (
    HARMONY_CHANNELS,
    THINK,
    TagPair(begin="<|START_THINKING|>", end="<|END_THINKING|>"),  # Cohere Command A
    TagPair(begin="[THINK]", end="[/THINK]"),  # Mistral: Magistral, Ministral 3
    TagPair(begin="<seed:think>", end="</seed:think>"),  # ByteDance Seed-OSS
    TagPair(begin="<mm:think>", end="</mm:think>"),  # MiniMax M3
    TagPair(begin="<|channel>thought\n", end="<channel|>"),  # Gemma 4
    TagPair(begin="◁think▷", end="◁/think▷"),  # Kimi-VL
    TagPair(begin="<thought>", end="</thought>"),  # EXAONE Deep
    TagPair(begin="Here is my thought process:", end="Here is my response:"),  # Granite 3.2
)


def reasoning_format_of(template: str, added_tokens: Iterable[str] = ()) -> ReasoningFormat | None:
    """Return the format that a chat template shows, or else the one whose tags are tokens of the model's.

    None for a model that does not think aloud.
    """
    tokens = frozenset(added_tokens)
    shown = (known for known in REASONING_FORMATS if known.is_format_of(template))
    had = (known for known in REASONING_FORMATS if known.is_in(tokens))
    return next(shown, None) or next(had, None)
