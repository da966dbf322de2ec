"""The tools that a request lets the model call, from its tools and its tool choice."""

from collections.abc import Sequence

import msgspec

from handlers.chat.errors import ToolError, UnknownTool
from handlers.chat.tools import ToolChoice, ToolDefinition, ToolMode


class ToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """The tools that the model may call, none under mode NONE, and whether it must."""

    mode: ToolMode = ToolMode.NONE
    tools: tuple[ToolDefinition, ...] = ()

    @property
    def is_demanded(self) -> bool:
        return self.mode in (ToolMode.REQUIRED, ToolMode.NAMED)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(tool.name for tool in self.tools)


def tool_use(tools: Sequence[ToolDefinition], choice: ToolChoice) -> ToolUse:
    """Return the tools that the model may call.

    Raises UnknownTool where the choice names a function that is not among the tools, and ToolError where it
    demands a call and there are no tools, or where a tool's parameters are no object.
    """
    for at, tool in enumerate(tools):
        if (tool.parameters or {}).get("type", "object") != "object":
            field = tool.parameters_field or f"tools[{at}].parameters"
            raise ToolError(f"the parameters of {tool.name} are no object", field)
    allowed = tuple(tool for tool in tools if choice.allowed is None or tool.name in choice.allowed)
    for name in choice.allowed or ():
        if name not in {tool.name for tool in allowed}:
            raise UnknownTool(name)
    if choice.mode is ToolMode.NONE:
        return ToolUse()
    use = ToolUse(mode=choice.mode, tools=allowed)
    if use.is_demanded and not allowed:
        raise ToolError("a call is demanded, and there are no tools", "tool_choice")
    return use if allowed else ToolUse()
