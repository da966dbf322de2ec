"""The formats of chats with a model, for the person who starts a server."""

from typing import Final

import msgspec

from engine.port.text.tokenizer import Tokenizer
from handlers.chat.prompt.dialect import Dialect
from handlers.chat.reading.reasoning import ReasoningFormat
from handlers.chat.reading.tag_pair import TagPair

_NO_TEMPLATE: Final = "no chat template: operations that chat are refused"
_ENCODES_ALL: Final = "each turn is tokenized whole, since the tokenizer is of an unknown kind"


class ChatSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The formats that a chat template implies.

    tool_format: the name of the format of tool calls.
    shows_tools: whether the template writes tools; otherwise a message describes them.
    reasoning: the place of thoughts, in words; None for a model without thoughts.
    ends: the tokens with which the template closes an answer, which end one although no file of the model
        names them as end tokens.
    can_remember_tokens: whether the tokens of earlier turns need not be encoded again, which depends on the
        tokenizer (`engine.port.text.token_memory`).
    """

    tool_format: str
    shows_tools: bool
    reasoning: str | None
    can_remember_tokens: bool
    ends: tuple[str, ...]


def chat_summary(
    tokenizer: Tokenizer, *, chat_template: str | None, tool_format: str | None
) -> ChatSummary | None:
    """Return the summary of a model's template, or of the override; None where there is no template.

    chat_template, tool_format: the settings of `ChatCore`, of which None leaves the choice to the model.
    Raises TemplateError for a template that no chat can use.
    """
    if not (chat_template or tokenizer.hf.chat_template):
        return None
    dialect = Dialect.of(tokenizer.hf, chat_template, tool_format=tool_format)
    dialect.template.check()
    return ChatSummary(
        tool_format=dialect.tools.tool_format.name,
        shows_tools=dialect.tools.shows_tools,
        reasoning=_place_of_reasoning(dialect.reasoning_format),
        can_remember_tokens=tokenizer.remembers,
        ends=tuple(
            tokenizer.token_text(token_id)
            for token_id in dialect.end_token_ids
            if token_id not in tokenizer.end_token_ids
        ),
    )


def in_words(summary: ChatSummary | None) -> str:
    """Return the summary as a line for people."""
    if summary is None:
        return _NO_TEMPLATE
    shown = "its template" if summary.shows_tools else "a message, which its template does not"
    parts = [f"tool calls as {summary.tool_format}, tools described by {shown}"]
    if summary.reasoning is not None:
        parts.append(f"thoughts {summary.reasoning}")
    if summary.ends:
        parts.append(f"answers also end with {', '.join(summary.ends)}, as its template closes them")
    if not summary.can_remember_tokens:
        parts.append(_ENCODES_ALL)
    return "; ".join(parts)


def _place_of_reasoning(known: ReasoningFormat | None) -> str | None:
    if isinstance(known, TagPair):
        return f"between {known.begin.strip()} and {known.end.strip()}"
    return None if known is None else "in channels"
