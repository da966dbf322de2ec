"""Completion requests in neutral terms: one request of the engine for each prompt."""

from collections.abc import Callable
from secrets import token_hex

import msgspec

from engine.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from engine.text.tokenizer import Tokenizer
from handlers.tgi_family.errors import SuffixRefused
from handlers.tgi_family.request import encode_prompt
from handlers.tgi_family.request_limits import RequestLimits


class CompletionParams(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters that several prompts share, valid against their contract.

    max_tokens: tokens to generate at most; None fills the context. suffix: refused where there is one.
    sampling: called once a prompt: without a seed each draws its own, lest equal prompts be answered alike.
    """

    prompts: tuple[str, ...]
    sampling: Callable[[], SamplingParams]
    max_tokens: int | None
    stop: tuple[str, ...] = ()
    suffix: str | None = None

    @property
    def num_characters(self) -> int:
        return sum(map(len, self.prompts))


def check_params(params: CompletionParams, limits: RequestLimits) -> None:
    """Raise SuffixRefused, BatchTooLarge or Refused; reads no prompt, so that it is quick."""
    if params.suffix is not None:
        raise SuffixRefused
    limits.check_prompts(len(params.prompts))
    limits.check_stop(params.stop)


def completion_requests(
    params: CompletionParams, limits: RequestLimits, tokenizer: Tokenizer
) -> list[GenerationRequest]:
    """Return requests in the order of the prompts. Raise PromptTooLong or Refused."""
    return [
        GenerationRequest(
            request_id=token_hex(16),
            prompt=Prompt(prompt),
            sampling=params.sampling(),
            stopping=StopConditions(
                max_tokens=limits.new_tokens(len(prompt), params.max_tokens),
                stop=params.stop,
                length_first=True,
            ),
        )
        for prompt in (_encode(tokenizer, text, params, limits) for text in params.prompts)
    ]


def _encode(
    tokenizer: Tokenizer, text: str, params: CompletionParams, limits: RequestLimits
) -> tuple[int, ...]:
    tokenizer.check_length(text, limits.max_total_tokens, params.max_tokens or 1)
    return encode_prompt(tokenizer, text)
