"""The grammar that holds an answer, after any thoughts, to its tools and its response format.

It is built of xgrammar's structural tags: plain dictionaries that the engine reads as JSON.
"""

from engine.port.request import Grammar
from handlers.chat.prompt.conversation import NO_PARAMETERS
from handlers.chat.reading.answer_parser import ReasoningReading
from handlers.chat.structured_output.response_format import (
    ResponseFormat,
    Tag,
    response_grammar,
    response_tag,
    tag_grammar,
)
from handlers.chat.structured_output.structural_tag import MAY_BE_LOOSENED, TEXT_GRAMMAR, any_text, either
from handlers.chat.tool_calls.parameters import named_parameters
from handlers.chat.tool_calls.tool_format import BoundTool, ToolFormat
from handlers.chat.tool_calls.use import ToolUse
from handlers.chat.tools import ToolDefinition, ToolMode


def answer_grammar(
    use: ToolUse,
    tool_format: ToolFormat,
    response_format: ResponseFormat | None,
    reasoning: ReasoningReading | None,
    *,
    parallel: bool,
) -> Grammar | None:
    """Return the grammar, or None where nothing constrains the answer.

    reasoning: the form of thoughts; the answer follows any, unless they are left in the content. None for a
        model that does not think aloud, or whose answer is constrained from its first token.

    Under tool choice auto the model is free to call or not, but in formats with tags a call, once begun, is
    held to a tool that exists and to JSON.
    """
    answer = _answer(response_format, reasoning, has_tools=bool(use.tools))
    bound = _calls_or(answer, use, tool_format, parallel=parallel) if use.tools else answer
    if bound is None:
        return None
    if reasoning is not None and not reasoning.is_content:
        with_reasoning = reasoning.reasoning_format.after_reasoning(bound, reasoning.start)
        is_plain, bound = with_reasoning is bound, with_reasoning
    else:
        is_plain = True
    if is_plain and response_format is not None and bound == response_tag(response_format):
        return response_grammar(response_format)
    return tag_grammar(bound)


def _answer(
    response_format: ResponseFormat | None, reasoning: ReasoningReading | None, *, has_tools: bool
) -> Tag | None:
    """Return the tag of an answer that is no call; None if nothing binds it."""
    answer = None if response_format is None else response_tag(response_format)
    if reasoning is None or not reasoning.reasoning_format.frames_content:
        return answer
    if answer is None and not has_tools:
        return None
    # Calls have no sign of their own in a framed answer, so whatever is none has a header too.
    return reasoning.reasoning_format.framed(answer or any_text(), reasoning.start)


def _calls_or(answer: Tag | None, use: ToolUse, tool_format: ToolFormat, *, parallel: bool) -> Tag | None:
    """Return a tag of calls where they are demanded; else of calls or the answer (None is prose)."""
    tools = [_bound_tool(tool, use) for tool in use.tools]
    is_single = use.mode is ToolMode.NAMED or not parallel
    if use.is_demanded:
        return tool_format.only_calls(tools, is_single=is_single)
    if answer is not None:
        return either(tool_format.only_calls(tools, is_single=is_single), answer)
    return tool_format.calls_in_text(tools, is_single=is_single)


def _bound_tool(tool: ToolDefinition, use: ToolUse) -> BoundTool:
    is_loose = tool.strict is False and not use.is_demanded
    schema = {} if is_loose else dict(tool.parameters or NO_PARAMETERS)
    if tool.text_grammar is not None:
        bound = {"type": "string", TEXT_GRAMMAR: tool.text_grammar}
        schema["properties"] = dict.fromkeys(named_parameters(schema), bound)
    if tool.may_be_loosened:
        schema[MAY_BE_LOOSENED] = True
    return BoundTool(name=tool.name, schema={"type": "object"} | schema, is_strict=tool.strict is True)
