"""The settings of OpenAI's contract."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

from handlers.shared_settings.kinds import LOWER, env
from handlers.shared_settings.section import Section

ReasoningField: TypeAlias = Literal["reasoning_content", "reasoning"]

_FIELDS: Final[Mapping[str, tuple[ReasoningField, ...]]] = {
    "reasoning_content": ("reasoning_content",),
    "reasoning": ("reasoning",),
    "both": ("reasoning", "reasoning_content"),
}


class OpenAISettings(Section):
    """The form of OpenAI's answers."""

    reasoning_field: Annotated[
        Literal["reasoning_content", "reasoning", "both"], LOWER, env("VERBATIM_REASONING_FIELD")
    ] = "reasoning_content"
    """Name of the reasoning in OpenAI's chat answers; some clients show it twice if it has both names."""

    @property
    def reasoning_fields(self) -> tuple[ReasoningField, ...]:
        """The fields of a message that have its reasoning."""
        return _FIELDS[self.reasoning_field]
