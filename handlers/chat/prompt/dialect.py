"""A chat template with the formats in which its model thinks and calls tools."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from engine.port.request import MediaKind, ThinkingBudget
from engine.port.text.tokenizer_files import FastTokenizer
from handlers.chat.prompt.system_turns import SystemTurns
from handlers.chat.prompt.template import ChatTemplate
from handlers.chat.prompt.tool_dialect import ToolDialect
from handlers.chat.reading.channels import HARMONY_CHANNELS
from handlers.chat.reading.reasoning import ReasoningFormat, ReasoningStart
from handlers.chat.reading.reasoning_format import reasoning_format_of
from handlers.chat.tool_calls.formats.harmony import HARMONY


@dataclass(frozen=True)
class Dialect:
    """A template, and the formats that it implies.

    end_token_ids: the tokens that end an answer by its format, also where the model's own end tokens lack
        them.
    """

    template: ChatTemplate
    tools: ToolDialect
    system_turns: SystemTurns
    reasoning_format: ReasoningFormat | None
    end_token_ids: tuple[int, ...]

    @classmethod
    def of(
        cls,
        tokenizer: FastTokenizer,
        override: str | None = None,
        tool_format: str | None = None,
        placeholders: Mapping[MediaKind, str] = {},
    ) -> "Dialect":
        """Return the dialect of a tokenizer's template, or of the override.

        override, placeholders: the arguments of `ChatTemplate`, which raises TemplateError.
        tool_format: the name of a format of tool calls; None leaves it to template and tokenizer.
        """
        template = ChatTemplate(tokenizer, override, placeholders)
        added = tokenizer.get_added_vocab()
        tools = ToolDialect.of(
            template,
            tokens=added,
            response_template=getattr(tokenizer, "response_template", None),
            name=tool_format,
        )
        # Harmony's calls are messages among others, whose headers are read in one place.
        is_harmony = tools.tool_format is HARMONY
        reasoning = HARMONY_CHANNELS if is_harmony else reasoning_format_of(template.source, added)
        # A format of several messages names its ends: what closes one of them does not end an answer.
        ends = () if reasoning is None else reasoning.end_tokens
        return cls(
            template=template,
            tools=tools,
            system_turns=SystemTurns(template.writes_all),
            reasoning_format=reasoning,
            end_token_ids=tuple(
                added[end] for end in ends or template.ends_of_turns(tuple(added)) if end in added
            ),
        )

    @property
    def efforts(self) -> Mapping[str, str]:
        """Efforts of reasoning that the model does not know, each with the nearest that it does know."""
        return {} if self.reasoning_format is None else self.reasoning_format.efforts

    def thinking_budget(self, max_tokens: int, start: ReasoningStart) -> ThinkingBudget | None:
        """Return the bound of an answer's thoughts; None if nothing is to be bound."""
        known = self.reasoning_format
        return None if known is None else known.budget(max_tokens, start, self.template.after_thought)

    @cached_property
    def reasoning_tags(self) -> frozenset[str]:
        """The special tokens that are tags of thoughts, or parts of tags. Some vocabularies have a thousand
        special tokens, which each request would have to look at.
        """
        known = self.reasoning_format
        return frozenset() if known is None else frozenset(filter(known.holds, self.template.special_tokens))
