"""Requests for responses in neutral terms."""

from secrets import token_hex
from typing import Final

from engine.port.request import SamplingParams
from generated.openai import models as m
from handlers.chat.params import ChatParams, ReasoningStyle
from handlers.chat.structured_output.response_format import AnyJsonObject, JsonSchema, ResponseFormat
from handlers.chat.structured_output.strict_schema import require_strict
from handlers.contracts.openai.responses.request.conversation import Conversation
from handlers.contracts.openai.responses.request.tools import Toolbox
from handlers.contracts.openai.sampling import check_stream_options, seed_bits, stop_texts
from handlers.operations.missing import given_or
from verbatim_kit.errors import Refused

_LOGPROBS: Final = "message.output_text.logprobs"
# What the chat core calls by other names.
_FIELDS: Final = {"response_format": "text.format", "template_kwargs": "chat_template_kwargs"}


def check_rules(body: m.CreateResponseRequest) -> None:
    """Check the rules that no schema states. Raises Refused."""
    if body.background and body.store is False:
        raise Refused("A response in the background is stored: 'store' must not be false.", "background")
    check_stream_options(body)
    if body.top_logprobs and not includes_logprobs(body):
        message = f"'top_logprobs' is only allowed when 'include' has '{_LOGPROBS}'."
        raise Refused(message, "top_logprobs")


def includes_logprobs(body: m.CreateResponseRequest) -> bool:
    """Return whether the answer has the log-probabilities of its tokens."""
    return body.include is not None and _LOGPROBS in body.include


def chat_params(body: m.CreateResponseRequest, conversation: Conversation, tools: Toolbox) -> ChatParams:
    """Return the neutral request of a body.

    Raises Refused for a choice of tools that cannot be honoured, and InvalidResponseFormat for a format that
    is no JSON Schema.
    """
    return ChatParams(
        request_id=token_hex(16),
        messages=conversation.messages,
        sampling=_sampling(body),
        max_tokens=body.max_output_tokens,
        stop=stop_texts(body),
        include_stop=body.include_stop_str_in_output is True,
        ignore_eos=body.ignore_eos is True,
        skip_special_tokens=body.skip_special_tokens is not False,
        tools=tools.definitions,
        tool_choice=tools.choice(body.tool_choice),
        # What a choice allows changes from turn to turn; the prompt, and what is cached of it, need not.
        lists_all_tools=isinstance(body.tool_choice, m.ResponseAllowedTools),
        parallel_tool_calls=body.parallel_tool_calls is not False,
        response_format=_response_format(body),
        reasoning=ReasoningStyle.SPLIT,
        reasoning_effort=None if body.reasoning is None else body.reasoning.effort,
        thinking_budget=None if body.reasoning is None else body.reasoning.max_tokens,
        template_kwargs=_template_kwargs(body),
    )


def request_field(field: str, conversation: Conversation) -> str:
    """Return the request's own name for a field of the chat core's."""
    for neutral, own in _FIELDS.items():
        if field.startswith(neutral):
            return own + field.removeprefix(neutral)
    return conversation.field(field)


def grammar_field(body: m.CreateResponseRequest) -> str:
    """Return the field that the answer's grammar comes from, if it has one."""
    chosen = None if body.text is None else body.text.format
    return "tools" if chosen is None or isinstance(chosen, m.ResponseFormatText) else "text.format"


def _sampling(body: m.CreateResponseRequest) -> SamplingParams:
    return SamplingParams(
        temperature=given_or(body.temperature, 1.0),
        top_k=body.top_k if body.top_k is not None and body.top_k > 0 else None,
        top_p=given_or(body.top_p, 1.0),
        min_p=given_or(body.min_p, 0.0),
        repetition_penalty=given_or(body.repetition_penalty, 1.0),
        presence_penalty=given_or(body.presence_penalty, 0.0),
        frequency_penalty=given_or(body.frequency_penalty, 0.0),
        seed=seed_bits(body.seed),
        logit_bias={int(token): float(bias) for token, bias in (body.logit_bias or {}).items()},
        num_logprobs=(body.top_logprobs or 0) if includes_logprobs(body) else None,
    )


def _template_kwargs(body: m.CreateResponseRequest) -> dict[str, object]:
    kwargs = dict(body.chat_template_kwargs or {})
    verbosity = None if body.text is None else body.text.verbosity
    return kwargs if verbosity is None else {"verbosity": verbosity, **kwargs}


def _response_format(body: m.CreateResponseRequest) -> ResponseFormat | None:
    match None if body.text is None else body.text.format:
        case m.TextResponseFormatJsonSchema(schema_=schema, strict=strict):
            if strict:
                require_strict(schema, "text.format.schema")
            return JsonSchema.parse(schema)
        case m.TextResponseFormatJsonObject():
            return AnyJsonObject()
        case _:
            return None
