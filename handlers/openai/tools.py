"""Tools and the choice among them, in neutral terms."""

from generated.openai import models as m
from handlers.chat.strict_schema import require_strict
from handlers.chat.tools import ToolChoice, ToolDefinition, ToolMode

_Choice = m.ChatCompletionAllowedToolsChoice | m.ChatCompletionNamedToolChoice | str | None

_MODES = {"none": ToolMode.NONE, "auto": ToolMode.AUTO, "required": ToolMode.REQUIRED}


def tool_definitions(tools: list[m.ChatCompletionTool] | None) -> tuple[ToolDefinition, ...]:
    """Raises NotStrict for parameters that say that they are strict and are not."""
    for place, tool in enumerate(tools or ()):
        if tool.function.strict:
            parameters = tool.function.parameters or {"type": "object", "additionalProperties": False}
            require_strict(parameters, f"tools[{place}].function.parameters")
    return tuple(
        ToolDefinition(
            name=tool.function.name,
            description=tool.function.description,
            parameters=tool.function.parameters,
            strict=tool.function.strict is True,
        )
        for tool in tools or ()
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
