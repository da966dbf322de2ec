"""Completion requests in neutral terms: one request of the engine for each prompt."""

from secrets import token_hex

import msgspec

from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from engine.port.text.infill import Infill
from engine.port.text.tokenizer import Tokenizer
from generated.tgi import models as m
from handlers.contracts.tgi.errors import SuffixRefused
from handlers.contracts.tgi.generate.prepared_generate import encode_prompt
from handlers.contracts.tgi.openai_form import openai_sampling, stop_texts
from handlers.contracts.tgi.request_limits import RequestLimits
from handlers.served_model.model_names import ModelNames


class CompletionParams(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters that several prompts share, valid against their contract.

    max_tokens: tokens to generate at most; None fills the context. suffix: the text after the gap that
        every answer fills; None and "": there is no gap.
    """

    prompts: tuple[str, ...]
    sampling: SamplingParams
    max_tokens: int | None
    stop: tuple[str, ...] = ()
    suffix: str | None = None
    adapter: str | None = None

    @property
    def num_characters(self) -> int:
        return sum(map(len, self.prompts)) + len(self.suffix or "")


def completion_params(body: m.CompletionRequest, names: ModelNames) -> CompletionParams:
    """Return what the body asks for, in neutral terms."""
    return CompletionParams(
        prompts=(body.prompt,) if isinstance(body.prompt, str) else tuple(body.prompt),
        sampling=openai_sampling(body),
        max_tokens=body.max_tokens,
        stop=stop_texts(body.stop),
        suffix=body.suffix,
        adapter=names.adapter_of(body.model),
    )


def check_params(params: CompletionParams, limits: RequestLimits, *, can_infill: bool) -> None:
    """Raise SuffixRefused, BatchTooLarge or Refused; reads no prompt, so that it is quick.

    can_infill: the model fills the gap before a suffix.
    """
    if params.suffix and not can_infill:
        raise SuffixRefused
    limits.check_prompts(len(params.prompts))
    limits.check_stop(params.stop)


def completion_requests(
    params: CompletionParams, limits: RequestLimits, tokenizer: Tokenizer, infill: Infill | None = None
) -> list[GenerationRequest]:
    """Return requests in the order of the prompts. Raise PromptTooLong or Refused.

    infill: the model's prompts that fill a gap, which a suffix needs.
    """
    if not params.suffix:
        infill = None
    after = () if infill is None else _encode_after(tokenizer, infill, params, limits)
    return [
        GenerationRequest(
            request_id=token_hex(16),
            prompt=Prompt(prompt),
            sampling=params.sampling,
            stopping=StopConditions(
                max_tokens=limits.new_tokens(len(prompt), params.max_tokens),
                stop=params.stop,
                stop_token_ids=() if infill is None else infill.end_token_ids,
                length_first=True,
            ),
            adapter=params.adapter,
        )
        for prompt in (_encode(tokenizer, text, params, limits, infill, after) for text in params.prompts)
    ]


def _encode_after(
    tokenizer: Tokenizer, infill: Infill, params: CompletionParams, limits: RequestLimits
) -> tuple[int, ...]:
    suffix = params.suffix or ""
    tokenizer.check_length(suffix, limits.max_total_tokens, params.max_tokens or 1)
    return infill.encode_after(suffix)


def _encode(
    tokenizer: Tokenizer,
    text: str,
    params: CompletionParams,
    limits: RequestLimits,
    infill: Infill | None,
    after: tuple[int, ...],
) -> tuple[int, ...]:
    tokenizer.check_length(text, limits.max_total_tokens, params.max_tokens or 1)
    if infill is None:
        return encode_prompt(tokenizer, text)
    before = tokenizer.encode(text, add_special_tokens=False)
    return infill.frame(before, after, add_special_tokens=True)
