"""Requests to the engine as requests to a server's token API (`POST /inference/v1/generate`)."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import orjson

from engine.port.errors import PromptTooLong
from engine.port.media_item import unexpanded
from engine.port.request import GenerationRequest, Grammar, GrammarKind
from handlers.served_model.served_model import ServedModel

_FORMS: Final[Mapping[GrammarKind, str]] = {
    GrammarKind.JSON_SCHEMA: "json",
    GrammarKind.REGEX: "regex",
    GrammarKind.EBNF: "grammar",
    GrammarKind.STRUCTURAL_TAG: "structural_tag",
}
_MAX_SEED: Final = 2**63  # exclusive: vLLM takes 64 bits with a sign


class OwnOptions(NamedTuple):
    """The options that a rendered request repeats as its client wrote them.

    model: the model that was asked for. stop: texts that end an answer. stream_options: by their names; None
    for an answer that is no stream.
    """

    model: str
    stop: Sequence[str] = ()
    skip_special_tokens: bool = True
    stream: bool = False
    stream_options: Mapping[str, bool] | None = None


async def render(
    shared: ServedModel, requests: Sequence[GenerationRequest], name: str, own: OwnOptions
) -> list[bytes]:
    """Return the JSON text of each request. Their media are FilePrompts.

    name: the id of the answer; of several requests, each has its number after it.
    Raises PromptTooLong for a prompt without room for its answer.
    """
    total = shared.model_info.max_total_tokens
    if shared.settings.clamp_max_tokens:
        requests = [request.clamped(total) for request in requests]
    for request in requests:
        if len(request.prompt.token_ids) + request.stopping.max_tokens > total:
            raise PromptTooLong(len(request.prompt.token_ids), request.stopping.max_tokens, total)
    names = [name] if len(requests) == 1 else [f"{name}-{place}" for place in range(len(requests))]
    num_tokens = sum(len(request.prompt.token_ids) for request in requests)
    pairs = list(zip(requests, names, strict=True))
    return await shared.workers.write(
        num_tokens, lambda: [orjson.dumps(_written(request, each, own)) for request, each in pairs]
    )


def _written(request: GenerationRequest, name: str, own: OwnOptions) -> dict[str, object]:
    prompt = unexpanded(request.prompt)
    rendered: dict[str, object] = {
        "request_id": name,
        "token_ids": prompt.placeholder_token_ids,
        "sampling_params": _sampling(request, own),
        "model": own.model,
        "stream": own.stream,
        "stream_options": own.stream_options,
        "cache_salt": request.cache_salt,
        "priority": request.priority,
    }
    if prompt.media:
        rendered["content_parts"] = [
            {"type": f"{media.kind.value}_url", "url": source.decode()}
            for media, source in zip(prompt.media, prompt.sources, strict=True)
        ]
    return rendered


def _sampling(request: GenerationRequest, own: OwnOptions) -> dict[str, object]:
    sampling, stopping = request.sampling, request.stopping
    seed, budget = sampling.seed, sampling.thinking_budget
    return {
        "n": request.num_sequences,
        "max_tokens": stopping.max_tokens,
        "min_tokens": stopping.min_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k or 0,
        "min_p": sampling.min_p,
        "presence_penalty": sampling.presence_penalty,
        "frequency_penalty": sampling.frequency_penalty,
        "repetition_penalty": sampling.repetition_penalty,
        "seed": seed if seed is None or seed < _MAX_SEED else seed - 2 * _MAX_SEED,
        "stop": list(own.stop),
        "stop_token_ids": stopping.stop_token_ids,
        "include_stop_str_in_output": stopping.include_stop,
        "ignore_eos": stopping.ignore_eos,
        "skip_special_tokens": own.skip_special_tokens,
        "logprobs": sampling.num_logprobs,
        "prompt_logprobs": sampling.num_prompt_logprobs,
        "logit_bias": {str(token): bias for token, bias in sampling.logit_bias.items()} or None,
        "allowed_token_ids": sampling.allowed_token_ids,
        "bad_words": sampling.bad_words,
        "thinking_token_budget": None if budget is None else budget.max_tokens,
        "structured_outputs": None if sampling.grammar is None else _form(sampling.grammar),
    }


def _form(grammar: Grammar) -> dict[str, object]:
    if grammar.kind is GrammarKind.JSON_OBJECT:
        return {"json_object": True}
    return {_FORMS[grammar.kind]: grammar.source}
