"""The tools of a request for a response, as the functions that the model is offered.

A custom tool is a function with one text, `input`. The function of a tool in a namespace has both names.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from generated.openai import models as m
from handlers.chat.tools import ToolChoice, ToolDefinition, ToolMode, check_callers
from handlers.contracts.openai.custom_tool import CustomFunctions, InputGrammar
from handlers.contracts.openai.responses.request.items import NONE_EARLIER, Earlier, item_field
from handlers.operations.missing import given
from verbatim_kit.errors import Refused, Violation

Callable: TypeAlias = m.ResponseFunctionTool | m.ResponseCustomTool
Tool: TypeAlias = Callable | m.ResponseNamespaceTool | m.ResponseHostedTool
Choice: TypeAlias = m.ResponseFunctionChoice | m.ResponseAllowedTools | m.ResponseHostedChoice | str | None


class OfferedTool(NamedTuple):
    """A tool, and the function that the model knows it as.

    name, namespace: the names that the request has. field: the tool's place in the request.
    """

    definition: ToolDefinition
    name: str
    namespace: str | None
    is_custom: bool
    field: str


class Toolbox:
    """The tools that the model is offered, in the order of the request."""

    def __init__(self, *lists: tuple[str, Sequence[Tool]]) -> None:
        """Read the tools. lists: the fields of the request that have tools, and the tools of each.

        Raises Refused for a name that comes twice, and for a tool that the model may not call.
        """
        self._offered: dict[str, OfferedTool] = {}
        custom = CustomFunctions()
        for tool in chain.from_iterable(_offered(field, tools, custom) for field, tools in lists):
            if tool.definition.name in self._offered:
                raise Refused(f"An earlier tool has the name '{tool.name}' too.", f"{tool.field}.name")
            self._offered[tool.definition.name] = tool

    @property
    def definitions(self) -> tuple[ToolDefinition, ...]:
        return tuple(tool.definition for tool in self._offered.values())

    def find(self, function: str) -> OfferedTool | None:
        """Return the tool that the model knows by this name."""
        return self._offered.get(function)

    def choice(self, choice: Choice) -> ToolChoice:
        """Return the neutral choice. Raises Refused for a choice of a tool that is not offered."""
        match choice:
            case m.ResponseFunctionChoice():
                return ToolChoice.named(self._function(choice.name))
            case m.ResponseHostedChoice():
                raise _not_run(choice.type, "tool_choice.type")
            case m.ResponseAllowedTools():
                return ToolChoice(mode=ToolMode(choice.mode), allowed=self._allowed(choice))
            case None:
                return ToolChoice()
            case mode:
                return ToolChoice(mode=ToolMode(mode))

    def _allowed(self, choice: m.ResponseAllowedTools) -> tuple[str, ...]:
        named = [tool for tool in choice.tools if isinstance(tool, m.ResponseFunctionChoice)]
        if not named and choice.mode == "required":
            raise _not_run(choice.tools[0].type, "tool_choice.tools[0].type")
        return tuple(self._function(tool.name) for tool in named)

    def _function(self, name: str) -> str:
        """Return the function of a tool; the chat core refuses a name that is not offered."""
        if name in self._offered:
            return name
        found = [function for function, tool in self._offered.items() if tool.name == name]
        if len(found) > 1:
            raise Refused(f"Several namespaces have a tool '{name}'.", "tool_choice")
        return found[0] if found else name


def function_name(name: str, namespace: str | None) -> str:
    """Return the name of the function that the model knows a tool as."""
    return name if namespace is None else f"{namespace.rstrip('_')}__{name}"


def tool_lists(
    body: m.CreateResponseRequest, earlier: Earlier = NONE_EARLIER
) -> Iterator[tuple[str, Sequence[Tool]]]:
    """Yield the fields that offer tools, and the tools of each; see `item_field`."""
    yield "tools", body.tools or ()
    if not isinstance(body.input, str):
        for at, item in enumerate(body.input):
            if isinstance(item, m.ResponseAdditionalTools):
                yield f"{item_field(at, earlier)}.tools", item.tools


def _offered(field: str, tools: Sequence[Tool], custom: CustomFunctions) -> Iterator[OfferedTool]:
    for at, tool in enumerate(tools):
        match tool:
            case m.ResponseNamespaceTool():
                for inner, member in enumerate(tool.tools):
                    preface = tool.description if inner == 0 else None
                    yield _offer(member, custom, f"{field}[{at}].tools[{inner}]", tool.name, preface)
            case m.ResponseHostedTool():
                continue  # nothing here runs it
            case _:
                yield _offer(tool, custom, f"{field}[{at}]")


def _offer(
    tool: Callable,
    custom: CustomFunctions,
    field: str,
    namespace: str | None = None,
    preface: str | None = None,
) -> OfferedTool:
    """Return a tool and its function. preface: a text before the tool's own description."""
    check_callers(given(tool.allowed_callers), f"{field}.allowed_callers")
    is_custom = isinstance(tool, m.ResponseCustomTool)
    name = function_name(tool.name, namespace)
    description = "\n\n".join(filter(None, (preface, tool.description))) or None
    if isinstance(tool, m.ResponseCustomTool):
        definition = custom.function(name, description, _grammar(tool), f"{field}.format.definition")
    else:
        definition = ToolDefinition(
            name=name,
            description=description,
            parameters=tool.parameters,
            strict=tool.strict is not False,
            may_be_loosened=tool.strict is None,
            parameters_field=f"{field}.parameters",
        )
    return OfferedTool(definition, tool.name, namespace, is_custom, field)


def _grammar(tool: m.ResponseCustomTool) -> InputGrammar | None:
    grammar = given(tool.format)
    if isinstance(grammar, m.ResponseCustomToolGrammar):
        return InputGrammar(grammar.syntax, grammar.definition)
    return None


def _not_run(kind: str, field: str) -> Refused:
    reason = f"No tool of type '{kind}' runs on this server; choose a function or a custom tool."
    return Refused(reason, field, Violation.UNSUPPORTED_VALUE)
