"""The grammar that holds an answer, after any thoughts, to its tools and its response format.

It is built of xgrammar's structural tags: plain dictionaries that the engine reads as JSON.
"""

from engine.request import Grammar
from handlers.chat.form.response_format import (
    ResponseFormat,
    Tag,
    response_grammar,
    response_tag,
    tag_grammar,
)
from handlers.chat.prompt.conversation import NO_PARAMETERS
from handlers.chat.reading.answer_parser import ReasoningReading
from handlers.chat.reading.reasoning import ReasoningStart
from handlers.chat.tool_calls.tool_format import BoundTool, ToolFormat
from handlers.chat.tool_calls.use import ToolUse
from handlers.chat.tools import ToolDefinition, ToolMode


def answer_grammar(
    use: ToolUse,
    tool_format: ToolFormat,
    response_format: ResponseFormat | None,
    thoughts: ReasoningReading | None,
    *,
    parallel: bool,
) -> Grammar | None:
    """Return the grammar, or None where nothing constrains the answer.

    thoughts: None if the answer is constrained from its first token.

    Under tool choice auto the model is free to call or not, but in formats with tags a call, once begun, is
    held to a tool that exists and to JSON. Until then xgrammar masks nothing, so prose costs nothing.
    """
    answer = None if response_format is None else response_tag(response_format)
    bound = _calls_or(answer, use, tool_format, parallel=parallel) if use.tools else answer
    if bound is None:
        return None
    if thoughts is None or thoughts.start is ReasoningStart.CLOSED:
        if response_format is not None and bound is answer:
            return response_grammar(response_format)
        return tag_grammar(bound)
    return tag_grammar({"type": "sequence", "elements": [_thoughts_tag(thoughts), bound]})


def _calls_or(answer: Tag | None, use: ToolUse, tool_format: ToolFormat, *, parallel: bool) -> Tag | None:
    """Return a tag of calls where they are demanded; else of calls or the answer (None is prose)."""
    tools = [_bound_tool(tool, use) for tool in use.tools]
    is_single = use.mode is ToolMode.NAMED or not parallel
    if use.is_demanded:
        return tool_format.only_calls(tools, is_single=is_single)
    if answer is not None:
        return {"type": "or", "elements": [tool_format.only_calls(tools, is_single=is_single), answer]}
    return tool_format.calls_in_text(tools, is_single=is_single)


def _bound_tool(tool: ToolDefinition, use: ToolUse) -> BoundTool:
    is_loose = tool.strict is False and not use.is_demanded
    schema = {} if is_loose else dict(tool.parameters or NO_PARAMETERS)
    return BoundTool(name=tool.name, schema={"type": "object"} | schema, is_strict=tool.strict is True)


def _thoughts_tag(thoughts: ReasoningReading) -> Tag:
    tags = thoughts.reasoning_format
    is_open = thoughts.start is ReasoningStart.OPEN
    block = {
        "type": "tag",
        "begin": "" if is_open else tags.begin,
        "content": {"type": "any_text", "excludes": [tags.end]},
        "end": tags.end,
    }
    blanks = {"type": "regex", "pattern": r"\s{0,2}"}
    both: Tag = {"type": "sequence", "elements": [block, blanks]}
    return both if is_open else {"type": "optional", "content": both}
