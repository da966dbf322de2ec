"""The form in which a model reads tools and earlier calls, and writes its own calls."""

from collections.abc import Collection, Sequence
from functools import partial

import msgspec

from handlers.chat.errors import TemplateError
from handlers.chat.messages import ChatMessage
from handlers.chat.prompt.template import ChatTemplate
from handlers.chat.prompt.tool_prompt import PROMPTED_FORMAT, describe_tools, write_out
from handlers.chat.tool_calls.formats.registry import tool_format_named, tool_format_of
from handlers.chat.tool_calls.formats.response_template import ResponseTemplateFormat
from handlers.chat.tool_calls.ids import with_conforming_ids
from handlers.chat.tool_calls.tool_format import ToolFormat, Written
from handlers.chat.tool_calls.use import ToolUse
from handlers.chat.tools import ToolCall, ToolDefinition


class ToolDialect(msgspec.Struct, frozen=True, kw_only=True):
    """A model's format of calls, and whether its chat template writes tools and calls.

    shows_tools, shows_calls: whether the template writes them; otherwise a message describes them.
    """

    tool_format: ToolFormat
    shows_tools: bool
    shows_calls: bool

    @classmethod
    def of(
        cls,
        template: ChatTemplate,
        *,
        tokens: Collection[str] = (),
        response_template: object = None,
        name: str | None = None,
    ) -> "ToolDialect":
        """Return the dialect with the named format, or with the one that the template or the vocabulary
        implies, or with the tokenizer's response template.

        A template whose format remains unknown is not shown tools: nothing could read what it teaches.
        """
        known = tool_format_named(name) if name else tool_format_of(template.source, tokens)
        if known is None and template.shows_tools:
            known = ResponseTemplateFormat.of(response_template)
        if known is None:
            return cls(tool_format=PROMPTED_FORMAT, shows_tools=False, shows_calls=False)
        if template.shows_calls:
            known = known.laid_out_by(partial(_written, template, known))
        return cls(tool_format=known, shows_tools=template.shows_tools, shows_calls=template.shows_calls)

    def format_for(self, use: ToolUse) -> ToolFormat:
        """Return the format of the calls that answer a request."""
        return self.tool_format.demanded if use.is_demanded else self.tool_format

    def conversation(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolDefinition]
    ) -> tuple[Sequence[ChatMessage], Sequence[ToolDefinition]]:
        """Return the messages and tools for the template."""
        if self.shows_calls:
            messages = self.tool_format.turns(self.with_ids(messages))
        else:
            messages = write_out(messages, self.tool_format)
        if self.shows_tools or not tools:
            return messages, tools
        return describe_tools(messages, tools, self.tool_format), ()

    def with_ids(self, messages: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
        """Return the conversation with identifiers of calls in the form that the template takes."""
        return with_conforming_ids(messages, self.tool_format.ids)


def _written(template: ChatTemplate, known: ToolFormat, calls: Sequence[Written]) -> tuple[str, str] | None:
    """Return a prompt, and the same with an answer of these calls as the template writes it; None if it
    refuses them.
    """
    user = ChatMessage(role="user", content="probe")
    made = tuple(
        ToolCall(id=f"call_{at}", name=name, arguments=arguments)
        for at, (name, arguments) in enumerate(calls)
    )
    answer = ChatMessage(role="assistant", content="", tool_calls=made)
    tools = (
        [ToolDefinition(name=name, description="probe") for name, _ in calls] if template.shows_tools else []
    )
    try:
        messages = known.turns(with_conforming_ids((user, answer), known.ids))
        prompt = template.render([user], tools=tools)
        return prompt, template.render(messages, tools=tools, add_generation_prompt=False)
    except TemplateError:
        return None
