import pytest

from handlers.chat.errors import ToolError, UnknownTool
from handlers.chat.tool_calls.use import ToolUse, tool_use
from handlers.chat.tools import ToolChoice, ToolDefinition, ToolMode

TOOLS = (ToolDefinition(name="a"), ToolDefinition(name="b"))


def test_without_tools_or_under_none_nothing_can_be_called() -> None:
    assert tool_use((), ToolChoice()) == tool_use(TOOLS, ToolChoice(mode=ToolMode.NONE)) == ToolUse()


def test_a_choice_narrows_the_tools() -> None:
    assert tool_use(TOOLS, ToolChoice()).names == ("a", "b")
    assert tool_use(TOOLS, ToolChoice.named("b")).names == ("b",)
    assert tool_use(TOOLS, ToolChoice(mode=ToolMode.REQUIRED, allowed=("a",))).names == ("a",)


def test_only_required_and_named_demand_a_call() -> None:
    demanded = {mode for mode in ToolMode if tool_use(TOOLS, ToolChoice(mode=mode)).is_demanded}
    assert demanded == {ToolMode.REQUIRED, ToolMode.NAMED}


@pytest.mark.parametrize("mode", ToolMode)
def test_a_choice_of_an_unknown_function_is_refused_under_every_mode(mode: ToolMode) -> None:
    with pytest.raises(UnknownTool, match="'c'") as caught:
        tool_use(TOOLS, ToolChoice(mode=mode, allowed=("a", "c")))
    assert (caught.value.name, caught.value.field) == ("c", "tool_choice")


def test_a_call_cannot_be_demanded_without_tools() -> None:
    with pytest.raises(ToolError) as caught:
        tool_use((), ToolChoice(mode=ToolMode.REQUIRED))
    assert caught.value.field == "tool_choice"


def test_parameters_that_are_no_object_are_refused() -> None:
    with pytest.raises(ToolError) as caught:
        tool_use((*TOOLS, ToolDefinition(name="c", parameters={"type": "string"})), ToolChoice())
    assert caught.value.field == "tools[2].parameters"
