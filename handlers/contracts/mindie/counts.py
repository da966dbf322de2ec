"""The numbers of answers, beams and log-probabilities that a request asks for. Null counts as absent."""

from engine.port.request import BeamParams
from generated.mindie import models as m
from handlers.concurrency.limit import Beams


def asked_n(body: m.ChatRequest) -> int:
    return body.n or 1


def asked_best_of(body: m.ChatRequest) -> int | None:
    """Return `best_of`; None if the request leaves it out, so that `n` counts."""
    return body.best_of if "best_of" in body.model_fields_set else None


def asked_top_logprobs(body: m.ChatRequest) -> int | None:
    """Return `top_logprobs`; None if it has no effect."""
    is_counted = body.logprobs or "logprobs" not in body.model_fields_set
    return body.top_logprobs if is_counted and "top_logprobs" in body.model_fields_set else None


def num_logprobs(body: m.ChatRequest) -> int | None:
    """Return `num_logprobs` of `engine.port.request.SamplingParams`."""
    top_logprobs = asked_top_logprobs(body)
    return 0 if top_logprobs is None and body.logprobs else top_logprobs


def num_answers(body: m.ChatRequest) -> int:
    """Return how many answers there are: all `best_of`, or `n` of a beam search."""
    return asked_n(body) if body.use_beam_search else (asked_best_of(body) or asked_n(body))


def counting_field(body: m.ChatRequest) -> str:
    """The one that `num_answers` comes from."""
    return "n" if body.use_beam_search or asked_best_of(body) is None else "best_of"


def beams(body: m.ChatRequest) -> Beams | None:
    """The width of the search, if there is one."""
    if (params := beam_params(body)) is None:
        return None
    return Beams("n" if params.num_beams == asked_n(body) else "best_of", params.num_beams)


def num_sequences(body: m.ChatRequest) -> int:
    """Sequences that run for the request: beams, where they are searched."""
    params = beam_params(body)
    return num_answers(body) if params is None else params.num_beams


def beam_params(body: m.ChatRequest) -> BeamParams | None:
    """Return a search of `best_of` beams, or of `n` without that; one beam is greedy decoding."""
    num_beams = max(asked_n(body), asked_best_of(body) or 1) if body.use_beam_search else 1
    return BeamParams(num_beams=num_beams) if num_beams > 1 else None
