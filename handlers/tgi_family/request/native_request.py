"""Native requests for the engine."""

from dataclasses import dataclass
from secrets import token_hex

from engine.request import GenerationRequest, Prompt, StopConditions
from engine.text.tokenizer import Tokenizer
from handlers.service.seed import draw_seed
from handlers.tgi_family.request.params import NativeParams
from handlers.tgi_family.request.request_limits import RequestLimits


@dataclass(frozen=True)
class NativeRequest:
    """One native request, valid. seed: None where nothing is drawn at random."""

    params: NativeParams
    request: GenerationRequest
    seed: int | None

    @property
    def prefix(self) -> str:
        """The text in front of the generated text in the answer."""
        return self.params.inputs if self.params.return_full_text else ""

    def seed_of(self, index: int) -> int | None:
        """The seed that gives one of the sequences when it is asked for alone."""
        return None if self.seed is None else self.seed + index


def native_request(
    params: NativeParams, limits: RequestLimits, tokenizer: Tokenizer, *, num_sequences: int, is_stream: bool
) -> NativeRequest:
    """Tokenize, which takes its time for a long prompt.

    Raise Refused, PromptTooLong or InvalidResponseFormat.
    """
    limits.check_params(params)
    seed = draw_seed() if params.seed is None else params.seed
    if params.truncate is None:
        tokenizer.check_length(params.inputs, limits.max_total_tokens, params.max_new_tokens or 1)
    prompt = encode_prompt(tokenizer, params.inputs, params.truncate)
    # They cost a pass over the vocabulary for each token, so they are asked for where somebody reads them.
    with_logprobs = is_stream or params.wants_details or num_sequences > 1
    request = GenerationRequest(
        request_id=token_hex(16),
        prompt=Prompt(prompt),
        sampling=params.complete_sampling(seed, limits.watermark, with_logprobs=with_logprobs),
        stopping=StopConditions(
            max_tokens=limits.new_tokens(len(prompt), params.max_new_tokens),
            stop=params.stop,
            include_stop=True,
            length_first=True,
        ),
        num_sequences=num_sequences,
        adapter=params.adapter,
    )
    return NativeRequest(params, request, seed if params.is_sampled else None)


def encode_prompt(tokenizer: Tokenizer, text: str, truncate: int | None = None) -> tuple[int, ...]:
    """Token ids with the special ones that the tokenizer adds.

    truncate: tokens to keep at most, the right end and what the tokenizer put before the text.
    """
    return tuple(tokenizer.encode(text) if truncate is None else tokenizer.encode_end(text, truncate))
