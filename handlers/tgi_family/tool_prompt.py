"""A client's words about the tools that it offers."""

import msgspec

from handlers.chat.messages import ChatMessage, TextPart


def with_tool_prompt(messages: tuple[ChatMessage, ...], tool_prompt: str) -> tuple[ChatMessage, ...]:
    """The released servers put the text under the last message, where tools are offered at all."""
    *before, last = messages
    addition = f"\n---\n{tool_prompt}"
    content = last.content or ""
    longer = content + addition if isinstance(content, str) else (*content, TextPart(addition))
    return (*before, msgspec.structs.replace(last, content=longer))
