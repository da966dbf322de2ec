"""The parameters of a request of `/generate` in neutral terms."""

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from engine.port.request import SamplingParams, Watermark
from handlers.chat.structured_output.response_format import ResponseFormat, response_grammar
from handlers.operations.missing import given_or


class GenerateParams(msgspec.Struct, frozen=True, kw_only=True):
    """One request of `/generate`, valid against its contract; None for what it leaves to the server.

    inputs: the prompt. max_new_tokens: None fills the context. seed: None leaves it to whatever draws.
    truncate: prompt tokens to keep at most. stop: it stays in the output.
    sampling: from `generate_sampling`; seed, watermark, grammar and log-probabilities are added to it when
    the request is made. grammar: reads the form that the text must have, which may take its time; may raise
    from `handlers.chat.errors`. best_of: sequences to generate for the one that is answered; 0 counts as 1.
    top_n_tokens: likeliest tokens to report at each position. details, decoder_input_details: whether a whole
    answer lists the output's tokens, the prompt's.
    """

    inputs: str
    max_new_tokens: int | None = None
    sampling: SamplingParams = SamplingParams(temperature=0.0)
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
        """True if a whole answer has details of how the text came about."""
        return self.details or self.decoder_input_details

    @property
    def is_sampled(self) -> bool:
        """True if tokens are drawn at random."""
        return not self.sampling.is_greedy

    @property
    def reports_seed(self) -> bool:
        """True if the answer reports the seed by which tokens were drawn."""
        return self.wants_details and self.is_sampled

    def complete_sampling(
        self, seed: int | None, watermark: Watermark, *, with_logprobs: bool
    ) -> SamplingParams:
        """Return `sampling` with the rest of what the request asks for."""
        return replace(
            self.sampling,
            seed=seed,
            watermark=watermark if self.watermark else None,
            grammar=None if self.grammar is None else response_grammar(self.grammar()),
            num_logprobs=(self.top_n_tokens or 0) if with_logprobs else None,
            num_prompt_logprobs=0 if self.decoder_input_details else None,
        )


def generate_sampling(
    *,
    do_sample: bool,
    temperature: float | None,
    top_k: int | None,
    top_p: float | None,
    typical_p: float | None,
    repetition_penalty: float | None,
    frequency_penalty: float | None = None,
) -> SamplingParams:
    """Return options of the wire as the engine's; None for those that the client leaves out.

    Tokens are drawn if do_sample asks for it, or if an option is set that only a draw can honour. A
    temperature of exactly 1 is no such option, nor is a top_p or typical_p of 1. Penalties apply either way.
    """
    is_drawn = (
        do_sample
        or temperature not in (None, 1.0)
        or top_k is not None
        or top_p not in (None, 1.0)
        or typical_p not in (None, 1.0)
    )
    return SamplingParams(
        temperature=given_or(temperature, 1.0) if is_drawn else 0.0,
        top_k=top_k,
        top_p=given_or(top_p, 1.0),
        typical_p=given_or(typical_p, 1.0),
        repetition_penalty=given_or(repetition_penalty, 1.0),
        frequency_penalty=given_or(frequency_penalty, 0.0),
    )
