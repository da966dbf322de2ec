"""Requests in neutral terms."""

from secrets import token_hex
from typing import Final, TypeAlias

from pydantic import MISSING

from engine.port.request import SamplingParams
from generated.anthropic import models as m
from handlers.chat.params import ChatParams, ReasoningStyle
from handlers.chat.structured_output.response_format import FIELD, JsonSchema
from handlers.chat.tools import ToolDefinition, faulty_parameters
from handlers.contracts.anthropic.request.conversation import conversation, found_tools
from handlers.contracts.anthropic.request.tools import (
    Choice,
    parallel_tool_use,
    tool_choice,
    tool_definitions,
)
from handlers.operations.missing import given
from handlers.served_model.request_values import bounded_texts
from verbatim_kit.errors import Refused, Violation

Body: TypeAlias = m.MessageCreateParams | m.MessageCountTokensParams

_FORMAT_FIELD: Final = "output_config.format.schema"
_LEAST_TOP_P: Final = 1e-9  # the engine's is above 0; the likeliest token alone makes up as little


def chat_params(body: Body) -> ChatParams:
    """Return the neutral request of a body. Raises Refused and its kinds for what no schema states."""
    output = given(body.output_config)
    form = None if output is None else output.format
    choice = None if body.tool_choice is MISSING else body.tool_choice
    messages = conversation(None if body.system is MISSING else body.system, body.messages)
    is_begun = messages[-1].role == "assistant"
    if is_begun and form is not None:
        raise Refused(
            "the form binds a whole answer, and this one's beginning is given", "output_config.format"
        )
    return ChatParams(
        request_id=token_hex(16),
        messages=messages,
        sampling=_sampling(body),
        max_tokens=max(_max_tokens(body), 1),  # the engine computes a prompt for the sake of a token
        stop=stop_texts(body),
        tools=_tools(body, choice),
        tool_choice=tool_choice(choice),
        parallel_tool_calls=parallel_tool_use(choice),
        response_format=None if form is None else JsonSchema.parse(form.schema_, _FORMAT_FIELD),
        reasoning=ReasoningStyle.SPLIT,
        reasoning_effort=None if output is None else output.effort,
        enable_thinking=_thinks(body),
        thinking_budget=_thinking_budget(body),
        continue_final_message=is_begun,
    )


def _tools(body: Body, choice: Choice) -> tuple[ToolDefinition, ...]:
    return tool_definitions(given(body.tools) or (), choice, found_tools(body.messages))


def grammar_field(body: Body, error: Exception) -> str:
    """Return the field that the grammar comes from, to blame if the engine does not take it."""
    if field := faulty_parameters(error, lambda: _tools(body, None)):
        return field
    output = given(body.output_config)
    return "tools" if output is None or output.format is None else _FORMAT_FIELD


def request_field(field: str) -> str:
    """Return the request's own name for a field of the chat core's."""
    return _FORMAT_FIELD if field == FIELD else field


def hides_reasoning(body: m.MessageCreateParams) -> bool:
    """Return whether thoughts are left out of the answer, and only their blocks are in it."""
    match body.thinking:
        case m.ThinkingConfigEnabledParam() | m.ThinkingConfigAdaptiveParam() as thinking:
            return thinking.display == "omitted"
        case _:
            return False


def _thinks(body: Body) -> bool:
    thinking = body.thinking
    if isinstance(thinking, m.ThinkingConfigEnabledParam) and isinstance(body, m.MessageCreateParams):
        _check_budget(thinking.budget_tokens, body.max_tokens)
    return isinstance(thinking, m.ThinkingConfigEnabledParam | m.ThinkingConfigAdaptiveParam)


def _thinking_budget(body: Body) -> int | None:
    thinking = body.thinking
    return thinking.budget_tokens if isinstance(thinking, m.ThinkingConfigEnabledParam) else None


def _check_budget(budget: int, max_tokens: int) -> None:
    if budget >= max_tokens:
        raise Refused(
            f"must be less than `max_tokens`. Given: {budget} and {max_tokens}",
            "thinking.budget_tokens",
            Violation.TOO_LARGE,
        )


def _max_tokens(body: Body) -> int:
    return body.max_tokens if isinstance(body, m.MessageCreateParams) else 1


def _sampling(body: Body) -> SamplingParams:
    if isinstance(body, m.MessageCountTokensParams):
        return SamplingParams()
    top_p = given(body.top_p)
    return SamplingParams(
        temperature=body.temperature,
        top_k=given(body.top_k) or None,
        top_p=1.0 if top_p is None else max(top_p, _LEAST_TOP_P),
        seed=None,
    )


def stop_texts(body: Body) -> tuple[str, ...]:
    """Return the stop strings. Raises Refused for more text than may be looked for."""
    if isinstance(body, m.MessageCountTokensParams):
        return ()
    return bounded_texts(given(body.stop_sequences) or (), "stop_sequences", subject="")
