"""A token that was drawn, by this engine's sampler or by a server; no torch."""

import msgspec

from engine.port.events import TokenLogprob


class Sampled(msgspec.Struct, frozen=True):
    """The next token of a sequence; log-probabilities as in `TokenEvent`."""

    token_id: int
    logprob: float | None = None
    top_logprobs: tuple[TokenLogprob, ...] = ()
