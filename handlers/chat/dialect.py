"""What a chat template tells of how its model speaks."""

from dataclasses import dataclass

from transformers import PreTrainedTokenizerBase

from handlers.chat.reasoning_format import ReasoningFormat, reasoning_format_of
from handlers.chat.template import ChatTemplate
from handlers.chat.tool_format import ToolFormat
from handlers.chat.tool_formats.registry import tool_format_of
from handlers.chat.tool_prompt import PROMPTED_FORMAT


@dataclass(frozen=True)
class Dialect:
    """A template, and the formats that it implies.

    is_prompted: whether tools must be told in words, because the template has no place for them.
    """

    template: ChatTemplate
    tool_format: ToolFormat
    is_prompted: bool
    reasoning_format: ReasoningFormat | None

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerBase, override: str | None = None) -> "Dialect":
        """As `ChatTemplate` takes the override, and raises TemplateError."""
        template = ChatTemplate(tokenizer, override)
        known_format = tool_format_of(template.source) if template.shows_tools else None
        return cls(
            template=template,
            tool_format=known_format or PROMPTED_FORMAT,
            is_prompted=known_format is None,
            reasoning_format=reasoning_format_of(template.source, tokenizer.get_added_vocab()),
        )
