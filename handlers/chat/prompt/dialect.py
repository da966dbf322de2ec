"""A chat template with the formats in which its model thinks and calls tools."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from handlers.chat.prompt.system_turns import SystemTurns
from handlers.chat.prompt.template import ChatTemplate
from handlers.chat.prompt.tool_dialect import ToolDialect
from handlers.chat.reading.reasoning_format import ReasoningFormat, reasoning_format_of

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True)
class Dialect:
    """A template, and the formats that it implies."""

    template: ChatTemplate
    tools: ToolDialect
    system_turns: SystemTurns
    reasoning_format: ReasoningFormat | None

    @classmethod
    def of(
        cls, tokenizer: "PreTrainedTokenizerBase", override: str | None = None, tool_format: str | None = None
    ) -> "Dialect":
        """Return the dialect of a tokenizer's template, or of the override.

        override: as in `ChatTemplate`, which raises TemplateError. tool_format: the name of a format.
        """
        template = ChatTemplate(tokenizer, override)
        added = tokenizer.get_added_vocab()
        return cls(
            template=template,
            tools=ToolDialect.of(
                template,
                tokens=added,
                response_template=getattr(tokenizer, "response_template", None),
                name=tool_format,
            ),
            system_turns=SystemTurns(template.writes_all),
            reasoning_format=reasoning_format_of(template.source, added),
        )
