"""What a native request asks for, in neutral terms."""

from collections.abc import Callable

import msgspec

from engine.request import SamplingParams, Watermark
from handlers.chat.form.response_format import ResponseFormat, response_grammar


class NativeParams(msgspec.Struct, frozen=True, kw_only=True):
    """One native request, valid against its contract; None for what it leaves to the server.

    inputs: the prompt. max_new_tokens: None fills the context. seed: None draws one.
    truncate: prompt tokens to keep at most. stop: it stays in the output.
    temperature, top_k, top_p, typical_p, repetition_penalty, frequency_penalty: as in
        `engine.request.SamplingParams`; those that only a draw can honour imply do_sample.
    grammar: reads the form that the text must have, which may take its time; may raise from
        `handlers.chat.errors`.
    best_of: sequences to generate for the one that is answered; 0 counts as 1.
    top_n_tokens: likeliest tokens to tell at each position.
    details, decoder_input_details: whether a whole answer tells of the output's tokens, of the prompt's.
    """

    inputs: str
    max_new_tokens: int | None = None
    do_sample: bool = False
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    typical_p: float | None = None
    repetition_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    watermark: bool = False
    grammar: Callable[[], ResponseFormat] | None = None
    best_of: int | None = None
    truncate: int | None = None
    top_n_tokens: int | None = None
    return_full_text: bool = False
    details: bool = False
    decoder_input_details: bool = False
    adapter: str | None = None

    @property
    def wants_details(self) -> bool:
        """Whether a whole answer tells how the text came about."""
        return self.details or self.decoder_input_details

    @property
    def is_sampled(self) -> bool:
        """Whether tokens are drawn at random: if asked, or if an option is set that only a draw can honour.

        A temperature of exactly 1 is no such option, nor is a top_p or typical_p of 1.
        """
        return (
            self.do_sample
            or self.temperature not in (None, 1.0)
            or self.top_k is not None
            or self.top_p not in (None, 1.0)
            or self.typical_p not in (None, 1.0)
        )

    def sampling(self, seed: int, watermark: Watermark, *, with_logprobs: bool) -> SamplingParams:
        """Greedy unless `is_sampled`; penalties, watermark and grammar apply to both."""
        return SamplingParams(
            temperature=value_or(self.temperature, 1.0) if self.is_sampled else 0.0,
            top_k=self.top_k,
            top_p=value_or(self.top_p, 1.0),
            typical_p=value_or(self.typical_p, 1.0),
            repetition_penalty=value_or(self.repetition_penalty, 1.0),
            frequency_penalty=value_or(self.frequency_penalty, 0.0),
            seed=seed,
            watermark=watermark if self.watermark else None,
            grammar=None if self.grammar is None else response_grammar(self.grammar()),
            num_logprobs=(self.top_n_tokens or 0) if with_logprobs else None,
            num_prompt_logprobs=0 if self.decoder_input_details else None,
        )


def value_or(value: float | None, neutral: float) -> float:
    """What an option that is not set amounts to."""
    return neutral if value is None else value
