"""Tools and the choice among them, in neutral terms."""

import json
from collections.abc import Container, Sequence
from typing import Final, TypeAlias

from generated.anthropic import models as m
from handlers.chat.tools import ToolChoice, ToolDefinition, ToolMode, check_callers
from handlers.operations.missing import given
from verbatim_kit.errors import Refused, Violation

_SEARCH: Final = "tool_search_tool"

Choice: TypeAlias = (
    m.ToolChoiceAutoParam | m.ToolChoiceAnyParam | m.ToolChoiceToolParam | m.ToolChoiceNoneParam | None
)


def tool_definitions(
    tools: Sequence[m.ToolParam | m.AnthropicToolParam], choice: Choice, found: Container[str]
) -> tuple[ToolDefinition, ...]:
    """Return the tools that the model sees: the client's own, except those that it has yet to find.

    found: names of the tools that a search of the client's has found.
    Raises Refused for a choice of a tool that is not the client's own, and for a name that comes twice; and
    ToolError for a tool that the model may not call.
    """
    own: dict[str, ToolDefinition] = {}
    deferred: set[str] = set()
    for place, tool in enumerate(tools):
        if isinstance(tool, m.AnthropicToolParam):
            _check_not_chosen(tool, choice)
            continue
        if tool.name in own:
            raise Refused("an earlier tool has this name too", f"tools[{place}].name")
        check_callers(given(tool.allowed_callers), f"tools[{place}].allowed_callers")
        own[tool.name] = _definition(tool, f"tools[{place}]")
        if tool.defer_loading:
            deferred.add(tool.name)
    chosen = choice.name if isinstance(choice, m.ToolChoiceToolParam) else None
    hidden = deferred if _is_searched(tools) else set()
    return tuple(tool for name, tool in own.items() if name not in hidden or name == chosen or name in found)


def tool_choice(choice: Choice) -> ToolChoice:
    match choice:
        case m.ToolChoiceAnyParam():
            return ToolChoice(mode=ToolMode.REQUIRED)
        case m.ToolChoiceToolParam():
            return ToolChoice.named(choice.name)
        case m.ToolChoiceNoneParam():
            return ToolChoice(mode=ToolMode.NONE)
        case _:
            return ToolChoice()


def parallel_tool_use(choice: Choice) -> bool:
    if choice is None or isinstance(choice, m.ToolChoiceNoneParam):
        return True
    return not choice.disable_parallel_tool_use


def _check_not_chosen(tool: m.AnthropicToolParam, choice: Choice) -> None:
    if isinstance(choice, m.ToolChoiceToolParam) and choice.name == given(tool.name):
        reason = f"{tool.type} is a tool of Anthropic's, which this server does not have"
        raise Refused(reason, "tool_choice.name", Violation.UNSUPPORTED_VALUE)


def _is_searched(tools: Sequence[m.ToolParam | m.AnthropicToolParam]) -> bool:
    """Return whether a tool of the client's could find those that are deferred.

    Where one of Anthropic's is to find them, they would stay hidden, since it is not here.
    """
    if any(isinstance(tool, m.AnthropicToolParam) and tool.type.startswith(_SEARCH) for tool in tools):
        return False
    return any(isinstance(tool, m.ToolParam) and not tool.defer_loading for tool in tools)


def _definition(tool: m.ToolParam, field: str) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name,
        description=_description(tool),
        parameters=tool.input_schema,
        strict=tool.strict,
        may_be_loosened=tool.strict is None,
        parameters_field=f"{field}.input_schema",
    )


def _description(tool: m.ToolParam) -> str | None:
    examples = [json.dumps(example, ensure_ascii=False) for example in given(tool.input_examples) or ()]
    if not examples:
        return given(tool.description)
    shown = "\n".join(("Examples of its input:", *examples))
    return "\n\n".join(filter(None, (given(tool.description), shown)))
