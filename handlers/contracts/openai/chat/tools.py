"""Tools and the choice among them, in neutral terms."""

from collections.abc import Sequence
from typing import TypeAlias

from generated.openai import models as m
from handlers.chat.structured_output.strict_schema import require_strict
from handlers.chat.tools import ToolChoice, ToolDefinition, ToolMode
from handlers.contracts.openai.custom_tool import CustomFunctions, InputGrammar
from verbatim_kit.errors import Refused, Violation

AnyTool: TypeAlias = m.ChatCompletionTool | m.ChatCompletionCustomTool
_Named: TypeAlias = m.ChatCompletionNamedToolChoice | m.ChatCompletionNamedCustomToolChoice
_Choice: TypeAlias = m.ChatCompletionAllowedToolsChoice | _Named | str | None

_MODES = {
    "none": ToolMode.NONE,
    "auto": ToolMode.AUTO,
    "required": ToolMode.REQUIRED,
    "any": ToolMode.REQUIRED,
}


def offered_tools(body: m.CreateChatCompletionRequest) -> tuple[tuple[ToolDefinition, ...], ToolChoice]:
    """Return the neutral tools and choice of a request, from its tools or from its older functions.

    Raises the errors of `tool_definitions`, and Refused for old and new fields together.
    """
    if body.functions is None:
        if body.function_call is not None:
            raise Refused("'function_call' is only allowed with 'functions'.", "function_call")
        return tool_definitions(body.tools or ()), tool_choice(body.tool_choice)
    for new, old in (("tools", "functions"), ("tool_choice", "function_call")):
        if getattr(body, new) is not None:
            raise Refused(f"'{new}' replaces '{old}'; send one of them.", new)
    definitions: dict[str, ToolDefinition] = {}
    for place, function in enumerate(body.functions):
        if function.name in definitions:
            raise Refused(
                f"An earlier function has the name '{function.name}' too.", f"functions[{place}].name"
            )
        definitions[function.name] = ToolDefinition(
            name=function.name,
            description=function.description,
            parameters=function.parameters,
            strict=False,
            parameters_field=f"functions[{place}].parameters",
        )
    match body.function_call:
        case m.NamedFunction(name=name) if name not in definitions:
            raise Refused(f"No function has the name '{name}'.", "function_call", Violation.UNSUPPORTED_VALUE)
        case m.NamedFunction(name=name):
            choice = ToolChoice.named(name)
        case mode:
            choice = tool_choice(mode)
    return tuple(definitions.values()), choice


def tool_definitions(tools: Sequence[AnyTool]) -> tuple[ToolDefinition, ...]:
    """Return the neutral tools.

    Raises Refused for a name that comes twice, and NotStrict for parameters that say that they are strict and
    are not.
    """
    definitions: dict[str, ToolDefinition] = {}
    functions = CustomFunctions()
    for place, tool in enumerate(tools):
        if isinstance(tool, m.ChatCompletionCustomTool):
            field = f"tools[{place}].custom"
            definition = _custom(tool.custom, functions, field)
        else:
            field = f"tools[{place}].function"
            definition = _definition(tool.function, field)
        if definition.name in definitions:
            raise Refused(f"An earlier tool has the name '{definition.name}' too.", f"{field}.name")
        definitions[definition.name] = definition
    return tuple(definitions.values())


def custom_names(tools: Sequence[AnyTool] | None) -> frozenset[str]:
    """Return the names of the custom tools."""
    return frozenset(tool.custom.name for tool in tools or () if isinstance(tool, m.ChatCompletionCustomTool))


def _custom(tool: m.CustomToolObject, functions: CustomFunctions, field: str) -> ToolDefinition:
    grammar = None
    if isinstance(tool.format, m.CustomToolGrammarFormat):
        grammar = InputGrammar(tool.format.grammar.syntax, tool.format.grammar.definition)
    return functions.function(tool.name, tool.description, grammar, f"{field}.format.grammar.definition")


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
        case m.ChatCompletionNamedToolChoice() | m.ChatCompletionNamedCustomToolChoice():
            return ToolChoice.named(_name(choice))
        case m.ChatCompletionAllowedToolsChoice():
            allowed = choice.allowed_tools
            return ToolChoice(mode=_MODES[allowed.mode], allowed=tuple(map(_name, allowed.tools)))


def _name(choice: _Named) -> str:
    named = choice.custom if isinstance(choice, m.ChatCompletionNamedCustomToolChoice) else choice.function
    return named.name
