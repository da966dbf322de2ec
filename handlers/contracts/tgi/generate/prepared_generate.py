"""Requests of `/generate` for the engine."""

from dataclasses import dataclass
from secrets import token_hex

from engine.port.request import GenerationRequest, MediaKind, Prompt, StopConditions
from engine.port.text.tokenizer import Tokenizer
from handlers.chat.media import PartContents, PromptMedia
from handlers.contracts.tgi.generate.markdown_images import PromptWithImages, with_placeholders
from handlers.contracts.tgi.generate.params import GenerateParams
from handlers.contracts.tgi.request_limits import RequestLimits
from handlers.served_model.request_values import draw_seed
from verbatim_kit.errors import Refused, Violation


@dataclass(frozen=True)
class PreparedGenerate:
    """One request of `/generate`, valid.

    seed: None where nothing is drawn at random, or no answer reports it.
    """

    params: GenerateParams
    request: GenerationRequest
    seed: int | None

    @property
    def prefix(self) -> str:
        """The text in front of the generated text in the answer."""
        return self.params.inputs if self.params.return_full_text else ""

    def seed_of(self, index: int) -> int | None:
        """The seed that gives one of the sequences when it is asked for alone."""
        return None if self.seed is None else self.seed + index


def prepared_generate(
    params: GenerateParams,
    contents: PartContents,
    limits: RequestLimits,
    tokenizer: Tokenizer,
    media: PromptMedia,
    *,
    num_sequences: int,
    is_stream: bool,
) -> PreparedGenerate:
    """Tokenize, which takes its time for a long prompt.

    contents: of the prompt's images, as far as they have been read. Raise Refused, PromptTooLong or
    InvalidResponseFormat; MediaWanted where nothing else is wrong and some images have not been read.
    """
    _check(params, limits)
    seed = draw_seed() if params.seed is None and params.reports_seed else params.seed
    prompt = _prompt(params, contents, limits, tokenizer, media)
    # They cost a pass over the vocabulary for each token, so they are asked for where somebody reads them.
    with_logprobs = is_stream or params.wants_details or num_sequences > 1
    request = GenerationRequest(
        request_id=token_hex(16),
        prompt=prompt,
        sampling=params.complete_sampling(seed, limits.watermark, with_logprobs=with_logprobs),
        stopping=StopConditions(
            max_tokens=limits.new_tokens(len(prompt.token_ids), params.max_new_tokens),
            stop=params.stop,
            include_stop=True,
            length_first=True,
        ),
        num_sequences=num_sequences,
        adapter=params.adapter,
    )
    return PreparedGenerate(params, request, seed if params.is_sampled else None)


def _check(params: GenerateParams, limits: RequestLimits) -> None:
    """Raise Refused for the first rule that is broken, in the released servers' order."""
    limits.check_stop(params.stop)
    if (params.best_of or 1) > 1 and params.seed is not None:
        raise Refused("`seed` must not be set when `best_of` > 1")
    limits.check_top_n("top_n_tokens", params.top_n_tokens)
    if params.truncate is not None and params.truncate > limits.max_input_tokens:
        raise Refused(
            f"`truncate` must be strictly positive and at most {limits.max_input_tokens}. "
            f"Given: {params.truncate}"
        )
    if params.grammar is not None:
        limits.check_grammar()


def _prompt(
    params: GenerateParams,
    contents: PartContents,
    limits: RequestLimits,
    tokenizer: Tokenizer,
    media: PromptMedia,
) -> Prompt:
    placeholder = media.placeholders.get(
        MediaKind.IMAGE
    )  # a model that reads only text reads Markdown as text
    text, images = (
        PromptWithImages(params.inputs)
        if placeholder is None
        else with_placeholders(params.inputs, placeholder)
    )
    media.check(images, contents)
    if images or params.truncate is None:
        tokenizer.check_length(text, limits.max_total_tokens, params.max_new_tokens or 1)
    if not images:
        return Prompt(encode_prompt(tokenizer, text, params.truncate))
    token_ids = encode_prompt(tokenizer, text)
    limits.new_tokens(len(token_ids), params.max_new_tokens)  # nothing is read for a prompt that is too long
    prompt = media.expand(token_ids, images, images, contents)
    if params.truncate is not None and len(prompt.token_ids) > params.truncate:
        reason = "`truncate` cannot shorten a prompt that has images"
        raise Refused(reason, "truncate", Violation.UNSUPPORTED_VALUE)
    return prompt


def encode_prompt(tokenizer: Tokenizer, text: str, truncate: int | None = None) -> tuple[int, ...]:
    """Token ids with the special ones that the tokenizer adds.

    truncate: tokens to keep at most, the right end and what the tokenizer put before the text.
    """
    return tuple(tokenizer.encode(text) if truncate is None else tokenizer.encode_end(text, truncate))
