"""Requests of the wire in neutral terms."""

from collections.abc import Mapping
from secrets import token_hex
from typing import Final

from engine.port.request import (
    GenerationRequest,
    Grammar,
    GrammarKind,
    MediaKind,
    Prompt,
    SamplingParams,
    StopConditions,
    ThinkingBudget,
    Watermark,
)
from generated.tokens import models as m
from handlers.chat.messages import MediaPart
from handlers.chat.structured_output.response_format import (
    AnyJsonObject,
    Choice,
    JsonSchema,
    response_grammar,
)
from handlers.contracts.tokens.errors import STRUCTURED_OUTPUTS
from handlers.served_model.request_values import bounded_texts, check_bias_ids, check_token_ids
from verbatim_kit.errors import Refused

PARAMS: Final = "sampling_params"

_FORMATS: Final = ("json_", "json_object", "regex", "choice", "grammar", "structural_tag")
# Forms whose text is the engine's own.
_SOURCES: Final[Mapping[str, GrammarKind]] = {
    "json_": GrammarKind.JSON_SCHEMA,
    "regex": GrammarKind.REGEX,
    "grammar": GrammarKind.EBNF,
    "structural_tag": GrammarKind.STRUCTURAL_TAG,
}
_KINDS: Final[Mapping[str, MediaKind]] = {f"{kind.value}_url": kind for kind in MediaKind}
_NO_SEED: Final = -1  # as in vLLM


def check_request(body: m.GenerateRequest, vocab_size: int, *, takes_structured_output: bool) -> None:
    """Raise Refused for what no schema can state. takes_structured_output: whether grammars are taken."""
    if not body.content_parts:  # the placeholder of a file may be no token that the model knows
        check_token_ids(body.token_ids, "token_ids", vocab_size)
    params = body.sampling_params
    for name in ("stop_token_ids", "allowed_token_ids", "banned_token_ids", "logprob_token_ids"):
        check_token_ids(getattr(params, name) or (), f"{PARAMS}.{name}", vocab_size)
    check_bias_ids(params.logit_bias, f"{PARAMS}.logit_bias", vocab_size)
    if params.logprob_token_ids and params.logprobs is None:
        field = f"{PARAMS}.logprob_token_ids"
        raise Refused(f"{field} is only allowed with logprobs", field)
    if params.max_tokens is not None and params.min_tokens > params.max_tokens:
        field = f"{PARAMS}.min_tokens"
        raise Refused(
            f"{field} is {params.min_tokens}, above max_tokens, which is {params.max_tokens}", field
        )
    if params.structured_outputs is not None:
        if not takes_structured_output:
            raise Refused("this server takes no grammars", STRUCTURED_OUTPUTS)
        _format(params.structured_outputs)


def file_parts(body: m.GenerateRequest) -> list[MediaPart]:
    """Return the files of the prompt, unread."""
    return [
        MediaPart(_KINDS[part.type], part.url, f"content_parts[{place}].url")
        for place, part in enumerate(body.content_parts or ())
    ]


def generation_request(
    body: m.GenerateRequest,
    prompt: Prompt,
    max_total_tokens: int,
    adapter: str | None,
    budget: ThinkingBudget | None,
) -> GenerationRequest:
    """Return the neutral request.

    prompt: the body's, with its files in their places. max_total_tokens: of prompt and output together.
    budget: the body's bound of thoughts, if it has an effect.
    Raises Refused, and InvalidResponseFormat for what is no schema.
    """
    params = body.sampling_params
    grammar = None if params.structured_outputs is None else _grammar(params.structured_outputs)
    room = max(max_total_tokens - len(prompt.token_ids), 1)
    return GenerationRequest(
        request_id=token_hex(16),
        prompt=prompt,
        sampling=_sampling(params, grammar, budget),
        stopping=StopConditions(
            max_tokens=room if params.max_tokens is None else params.max_tokens,
            min_tokens=params.min_tokens,
            stop=bounded_texts(params.stop or (), f"{PARAMS}.stop"),
            stop_token_ids=tuple(params.stop_token_ids or ()),
            include_stop=params.include_stop_str_in_output,
            ignore_eos=params.ignore_eos,
        ),
        num_sequences=params.n,
        skip_special_tokens=params.skip_special_tokens,
        adapter=adapter,
        priority=body.priority,
        cache_salt=body.cache_salt,
    )


def _sampling(
    params: m.SamplingParams, grammar: Grammar | None, budget: ThinkingBudget | None
) -> SamplingParams:
    allowed, watermark = params.allowed_token_ids, params.watermark
    return SamplingParams(
        temperature=params.temperature,
        top_k=params.top_k if params.top_k > 0 else None,
        top_p=params.top_p,
        typical_p=params.typical_p,
        min_p=params.min_p,
        repetition_penalty=params.repetition_penalty,
        presence_penalty=params.presence_penalty,
        frequency_penalty=params.frequency_penalty,
        seed=None if params.seed in (None, _NO_SEED) else params.seed % 2**64,
        logit_bias={int(token): bias for token, bias in (params.logit_bias or {}).items()},
        allowed_token_ids=None if allowed is None else tuple(allowed),
        banned_token_ids=tuple(params.banned_token_ids or ()),
        bad_words=bounded_texts(params.bad_words or (), f"{PARAMS}.bad_words"),
        watermark=None if watermark is None else Watermark(watermark.gamma, watermark.delta),
        grammar=grammar,
        thinking_budget=budget,
        num_logprobs=params.logprobs,
        logprob_token_ids=tuple(dict.fromkeys(params.logprob_token_ids or ())),
        num_prompt_logprobs=params.prompt_logprobs,
    )


def _grammar(outputs: m.StructuredOutputs) -> Grammar:
    name = _format(outputs)
    value = getattr(outputs, name)
    match name:
        case "json_object":
            return response_grammar(AnyJsonObject())
        case "choice":
            return response_grammar(Choice(tuple(value)))
        case "json_" if not isinstance(value, str):
            return response_grammar(JsonSchema.parse(value, STRUCTURED_OUTPUTS))
        case _:
            return Grammar(_SOURCES[name], value)


def _format(outputs: m.StructuredOutputs) -> str:
    """Return the name of the one form that is given. Raises Refused if there is not just one."""
    found = [name for name in _FORMATS if getattr(outputs, name) not in (None, False)]
    if len(found) != 1:
        raise Refused(f"{STRUCTURED_OUTPUTS} has {len(found)} formats, and must have one", STRUCTURED_OUTPUTS)
    return found[0]
