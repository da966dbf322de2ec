"""Chat requests in neutral terms."""

import re
from secrets import token_hex

from generated.openai import models as m
from handlers.chat.params import ChatParams, ReasoningStyle
from handlers.contracts.openai.chat.messages import continues, conversation
from handlers.contracts.openai.chat.tools import offered_tools
from handlers.contracts.openai.response_format import response_format
from handlers.contracts.openai.sampling import (
    beam_params,
    check_min_tokens,
    check_prompt_logprobs,
    check_stream_options,
    sampling_params,
    stop_texts,
)
from handlers.operations.missing import given, given_or
from verbatim_kit.errors import Refused


def chat_params(body: m.CreateChatCompletionRequest) -> ChatParams:
    """Return the neutral request of a body. Raises Refused and its kinds for what no schema states."""
    check_stream_options(body)
    max_tokens = _max_tokens(body)
    check_min_tokens(body, max_tokens)
    check_prompt_logprobs(body)
    tools, choice = offered_tools(body)
    goes_on = body.continue_final_message is True or (
        body.continue_final_message is None and continues(body.messages)
    )
    return ChatParams(
        request_id=token_hex(16),
        messages=conversation(body.messages),
        sampling=sampling_params(
            body, num_logprobs=_num_logprobs(body), num_prompt_logprobs=body.prompt_logprobs
        ),
        max_tokens=max_tokens,
        min_tokens=body.min_tokens or 0,
        stop=stop_texts(body),
        stop_token_ids=tuple(body.stop_token_ids or ()),
        include_stop=body.include_stop_str_in_output is True,
        ignore_eos=body.ignore_eos is True,
        num_sequences=given_or(body.n, 1),
        beams=beam_params(body),
        priority=body.priority or 0,
        cache_salt=body.cache_salt,
        skip_special_tokens=body.skip_special_tokens is not False,
        tools=tools,
        tool_choice=choice,
        parallel_tool_calls=body.parallel_tool_calls is not False and body.functions is None,
        response_format=response_format(body),
        reasoning=ReasoningStyle.INLINE if body.separate_reasoning is False else ReasoningStyle.SPLIT,
        documents=tuple(body.documents or ()),
        enable_thinking=_enable_thinking(body),
        template_kwargs=_template_kwargs(body),
        reasoning_effort=_reasoning_effort(body),
        thinking_budget=_thinking_budget(body),
        add_special_tokens=body.add_special_tokens is True,
        add_generation_prompt=body.add_generation_prompt,
        continue_final_message=goes_on,
    )


def request_field(field: str) -> str:
    """Return the request's own name for a field of the chat core's."""
    return re.sub(r"^template_kwargs\.", "chat_template_kwargs.", field)


def _max_tokens(body: m.CreateChatCompletionRequest) -> int | None:
    new, old = body.max_completion_tokens, body.max_tokens
    if new is not None and old is not None and new != old:
        raise Refused(
            "'max_tokens' is the old name of 'max_completion_tokens'; send one of them.", "max_tokens"
        )
    return old if new is None else new


def _num_logprobs(body: m.CreateChatCompletionRequest) -> int | None:
    if body.logprobs:
        return body.top_logprobs or 0
    if body.top_logprobs is not None:
        raise Refused("'top_logprobs' is only allowed when 'logprobs' is true.", "top_logprobs")
    return None


def hides_reasoning(body: m.CreateChatCompletionRequest) -> bool:
    """Return whether thoughts are left out of the answer."""
    return body.include_reasoning is False or (body.reasoning is not None and body.reasoning.exclude is True)


def thinking_budgets(body: m.CreateChatCompletionRequest) -> dict[str, int]:
    """Return the bounds of thoughts that a body has, by their fields."""
    in_kwargs = (body.chat_template_kwargs or {}).get("thinking_budget")
    found = {
        "thinking_token_budget": body.thinking_token_budget,
        "thinking_budget": body.thinking_budget,
        "reasoning.max_tokens": None if body.reasoning is None else body.reasoning.max_tokens,
        "thinking.budget_tokens": None if body.thinking is None else body.thinking.budget_tokens,
        # Any value is the template's to read; Seed-OSS has -1 for no bound.
        "chat_template_kwargs.thinking_budget": in_kwargs
        if type(in_kwargs) is int and in_kwargs >= 0
        else None,
    }
    return {field: budget for field, budget in found.items() if budget is not None}


def _thinking_budget(body: m.CreateChatCompletionRequest) -> int | None:
    budgets = thinking_budgets(body)
    if len(set(budgets.values())) > 1:
        first, second, *_ = budgets
        raise Refused(f"'{second}' and '{first}' are the same bound; send one of them.", second)
    return next(iter(budgets.values()), None)


def _reasoning_effort(body: m.CreateChatCompletionRequest) -> str | None:
    own, other = given(body.reasoning_effort), None if body.reasoning is None else body.reasoning.effort
    if own is not None and other is not None and own != other:
        field = "reasoning.effort"
        raise Refused(f"'{field}' and 'reasoning_effort' are the same; send one of them.", field)
    return other if own is None else own


def _enable_thinking(body: m.CreateChatCompletionRequest) -> bool | None:
    if body.enable_thinking is not None:
        return body.enable_thinking
    if body.thinking is not None:
        return body.thinking.type == "enabled"
    return None if body.reasoning is None else body.reasoning.enabled


def _template_kwargs(body: m.CreateChatCompletionRequest) -> dict[str, object]:
    kwargs = dict(body.chat_template_kwargs or {})
    return kwargs if body.verbosity is None else {"verbosity": body.verbosity, **kwargs}
