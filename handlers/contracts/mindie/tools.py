"""Tools and the choice among them, in neutral terms."""

from collections.abc import Sequence
from typing import Final

from generated.mindie import models as m
from handlers.chat.tools import ToolChoice, ToolDefinition, ToolMode
from handlers.operations.missing import given

_MODES: Final = {"none": ToolMode.NONE, "auto": ToolMode.AUTO, "required": ToolMode.REQUIRED}


def tool_definitions(tools: Sequence[m.Tool]) -> tuple[ToolDefinition, ...]:
    return tuple(_definition(tool.function, f"tools[{place}].function") for place, tool in enumerate(tools))


def _definition(function: m.FunctionDefinition, field: str) -> ToolDefinition:
    parameters = given(function.parameters)
    return ToolDefinition(
        name=function.name,
        description=given(function.description),
        # As the client wrote them: that no further arguments may come is how an absent word is read anyway.
        parameters=None if parameters is None else parameters.model_dump(by_alias=True, exclude_unset=True),
        strict=function.strict,
        parameters_field=f"{field}.parameters",
    )


def tool_choice(choice: m.NamedToolChoice | str | None) -> ToolChoice:
    if isinstance(choice, m.NamedToolChoice):
        return ToolChoice.named(choice.function.name)
    return ToolChoice(mode=_MODES[choice or "auto"])
