"""Tools and the choice among them, in neutral terms."""

import json
from collections.abc import Sequence
from typing import TypeAlias

from generated.anthropic import models as m
from handlers.chat.tools import ToolChoice, ToolDefinition, ToolMode
from handlers.faults.refused import Refused
from handlers.faults.violation import Violation
from handlers.wire.missing import given

Choice: TypeAlias = (
    m.ToolChoiceAutoParam | m.ToolChoiceAnyParam | m.ToolChoiceToolParam | m.ToolChoiceNoneParam | None
)


def tool_definitions(tools: Sequence[m.ToolParam | m.AnthropicToolParam]) -> tuple[ToolDefinition, ...]:
    """Raises Refused for a tool that is not the client's own, and for a name that comes twice."""
    definitions: dict[str, ToolDefinition] = {}
    for place, tool in enumerate(tools):
        field = f"tools[{place}]"
        if isinstance(tool, m.AnthropicToolParam):
            reason = f"{tool.type} is a tool of Anthropic's; this server takes tools of type `custom` alone"
            raise Refused(reason, f"{field}.type", Violation.UNSUPPORTED_VALUE)
        if tool.name in definitions:
            raise Refused("an earlier tool has this name too", f"{field}.name")
        _check_callers(tool, field)
        definitions[tool.name] = _definition(tool)
    return tuple(definitions.values())


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


def _check_callers(tool: m.ToolParam, field: str) -> None:
    if tool.defer_loading:
        reason = "there is no tool here that searches for tools"
        raise Refused(reason, f"{field}.defer_loading", Violation.UNSUPPORTED_VALUE)
    callers = given(tool.allowed_callers)
    if callers is not None and "direct" not in callers:
        reason = "`direct` must be among them: there is no tool here that uses tools"
        raise Refused(reason, f"{field}.allowed_callers", Violation.UNSUPPORTED_VALUE)


def _definition(tool: m.ToolParam) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name, description=_description(tool), parameters=tool.input_schema, strict=tool.strict
    )


def _description(tool: m.ToolParam) -> str | None:
    examples = [json.dumps(example, ensure_ascii=False) for example in given(tool.input_examples) or ()]
    if not examples:
        return given(tool.description)
    shown = "\n".join(("Examples of its input:", *examples))
    return "\n\n".join(filter(None, (given(tool.description), shown)))
