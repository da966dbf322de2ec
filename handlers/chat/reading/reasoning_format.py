"""The tags between which model families think aloud, before they answer."""

from collections.abc import Iterable

import msgspec


class ReasoningFormat(msgspec.Struct, frozen=True, kw_only=True):
    """One family's pair of tags."""

    begin: str
    end: str

    def holds(self, token_text: str) -> bool:
        """Return whether a token is a tag or a part of one."""
        return bool(token_text) and (token_text in self.begin or token_text in self.end)


THINK = ReasoningFormat(begin="<think>", end="</think>")  # Qwen 3, DeepSeek R1, and many after them

REASONING_FORMATS = (
    THINK,
    ReasoningFormat(begin="<|START_THINKING|>", end="<|END_THINKING|>"),  # Cohere Command A
    ReasoningFormat(begin="[THINK]", end="[/THINK]"),  # Mistral: Magistral, Ministral 3
    ReasoningFormat(begin="<seed:think>", end="</seed:think>"),  # ByteDance Seed-OSS
    ReasoningFormat(begin="<mm:think>", end="</mm:think>"),  # MiniMax M3
    ReasoningFormat(begin="<|channel>thought\n", end="<channel|>"),  # Gemma 4
    ReasoningFormat(begin="◁think▷", end="◁/think▷"),  # Kimi-VL
    ReasoningFormat(begin="<thought>", end="</thought>"),  # EXAONE Deep
    ReasoningFormat(begin="Here is my thought process:", end="Here is my response:"),  # Granite 3.2
)


def reasoning_format_of(template: str, added_tokens: Iterable[str] = ()) -> ReasoningFormat | None:
    """Return the format whose end tag stands in a chat template, or whose two tags are tokens of the model's.

    None for a model that does not think aloud.
    """
    tokens = frozenset(added_tokens)
    shown = (known for known in REASONING_FORMATS if known.end in template)
    had = (known for known in REASONING_FORMATS if {known.begin, known.end} <= tokens)
    return next(shown, None) or next(had, None)
