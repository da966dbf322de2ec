"""Tools and the choice among them, in neutral terms."""

from collections.abc import Sequence

from generated.openai import models as m
from handlers.chat.form.strict_schema import require_strict
from handlers.chat.tools import ToolChoice, ToolDefinition, ToolMode
from handlers.errors.refused import Refused

_Choice = m.ChatCompletionAllowedToolsChoice | m.ChatCompletionNamedToolChoice | str | None

_MODES = {"none": ToolMode.NONE, "auto": ToolMode.AUTO, "required": ToolMode.REQUIRED}


def tool_definitions(tools: Sequence[m.ChatCompletionTool]) -> tuple[ToolDefinition, ...]:
    """Return the neutral tools.

    Raises Refused for a name that comes twice, and NotStrict for parameters that say that they are strict and
    are not.
    """
    definitions: dict[str, ToolDefinition] = {}
    for place, tool in enumerate(tools):
        function, field = tool.function, f"tools[{place}].function"
        if function.name in definitions:
            raise Refused(f"An earlier tool has the name '{function.name}' too.", f"{field}.name")
        definitions[function.name] = _definition(function, field)
    return tuple(definitions.values())


def _definition(function: m.FunctionObject, field: str) -> ToolDefinition:
    if function.strict:
        parameters = function.parameters or {"type": "object", "additionalProperties": False}
        require_strict(parameters, f"{field}.parameters")
    return ToolDefinition(
        name=function.name,
        description=function.description,
        parameters=function.parameters,
        strict=function.strict is True,
        parameters_field=f"{field}.parameters",
    )


def tool_choice(choice: _Choice) -> ToolChoice:
    match choice:
        case None:
            return ToolChoice()
        case str():
            return ToolChoice(mode=_MODES[choice])
        case m.ChatCompletionNamedToolChoice():
            return ToolChoice.named(choice.function.name)
        case m.ChatCompletionAllowedToolsChoice():
            allowed = choice.allowed_tools
            names = tuple(tool.function.name for tool in allowed.tools)
            return ToolChoice(mode=_MODES[allowed.mode], allowed=names)
