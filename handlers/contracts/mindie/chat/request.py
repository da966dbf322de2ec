"""Chat requests in neutral terms."""

import re
from secrets import token_hex
from typing import Final

from engine.port.request import SamplingParams
from generated.mindie import models as m
from handlers.chat.params import ChatParams, ReasoningStyle
from handlers.chat.structured_output.response_format import AnyJsonObject, JsonSchema, ResponseFormat
from handlers.contracts.mindie.chat.messages import conversation
from handlers.contracts.mindie.counts import beam_params, num_answers, num_logprobs
from handlers.contracts.mindie.tools import tool_choice, tool_definitions
from handlers.operations.missing import given
from verbatim_kit.errors import Refused, Violation

_MAX_STOP_CHARACTERS: Final = 32768  # of a list of stop texts
_INT32: Final = range(-(2**31), 2**31)


def chat_params(body: m.ChatRequest, vocab_size: int) -> ChatParams:
    """Return the neutral request of a body. Raises Refused and its kinds for what no schema states."""
    kwargs = given(body.chat_template_kwargs)
    return ChatParams(
        request_id=token_hex(16),
        messages=conversation(body.messages),
        sampling=_sampling_params(body),
        max_tokens=given(body.max_tokens),
        stop=_stop_texts(body.stop),
        stop_token_ids=_stop_token_ids(body, vocab_size),
        include_stop=body.include_stop_str_in_output,
        ignore_eos=body.ignore_eos,
        num_sequences=num_answers(body),
        beams=beam_params(body),
        skip_special_tokens=body.skip_special_tokens,
        tools=tool_definitions(given(body.tools) or ()),
        tool_choice=tool_choice(body.tool_choice),
        response_format=_response_format(body),
        reasoning=ReasoningStyle.SPLIT,
        enable_thinking=None if kwargs is None else given(kwargs.enable_thinking),
        template_kwargs={} if kwargs is None else kwargs.model_extra or {},
    )


def request_field(field: str) -> str:
    """Return the request's own name for a field of the chat core's."""
    return re.sub(r"^template_kwargs\.", "chat_template_kwargs.", field)


def _sampling_params(body: m.ChatRequest) -> SamplingParams:
    return SamplingParams(
        temperature=0.0 if body.use_beam_search else body.temperature,  # nothing is drawn in a search
        top_k=given(body.top_k) or None,
        top_p=body.top_p,
        repetition_penalty=body.repetition_penalty,
        presence_penalty=body.presence_penalty,
        frequency_penalty=body.frequency_penalty,
        seed=body.seed,
        num_logprobs=num_logprobs(body),
    )


def _stop_texts(stop: str | list[str] | None) -> tuple[str, ...]:
    texts = (stop,) if isinstance(stop, str) else tuple(stop or ())
    num_characters = sum(map(len, texts))
    if num_characters > _MAX_STOP_CHARACTERS:
        raise Refused(
            f"`stop` must have at most {_MAX_STOP_CHARACTERS} characters. Given: {num_characters}",
            "stop",
            Violation.TOO_LONG,
        )
    return texts


def _stop_token_ids(body: m.ChatRequest, vocab_size: int) -> tuple[int, ...]:
    """Return the given ids that belong to a token, each once; others are ignored, since they never occur."""
    given_ids = (part for part in body.stop_token_ids or () if type(part) is int and part in _INT32)
    return tuple(dict.fromkeys(token_id for token_id in given_ids if 0 <= token_id < vocab_size))


def _response_format(body: m.ChatRequest) -> ResponseFormat | None:
    match body.response_format:
        case m.JsonObjectFormat():
            return AnyJsonObject()
        case m.JsonSchemaFormat() as form:
            return JsonSchema.parse(form.json_schema.schema_, "response_format.json_schema.schema")
        case _:
            return None
