"""Options of sampling and stopping that chat and completions share, in neutral terms."""

from engine.port.request import BeamParams, Grammar, SamplingParams
from generated.openai import models as m
from handlers.operations.missing import given, given_or
from handlers.served_model.request_values import bounded_texts, check_bias_ids, check_token_ids
from verbatim_kit.errors import Refused

Body = m.CreateChatCompletionRequest | m.CreateCompletionRequest


def sampling_params(
    body: Body,
    *,
    grammar: Grammar | None = None,
    num_logprobs: int | None = None,
    num_prompt_logprobs: int | None = None,
) -> SamplingParams:
    """Return the options that both have; the arguments are those of SamplingParams in which they differ."""
    allowed = body.allowed_token_ids
    return SamplingParams(
        temperature=0.0 if body.use_beam_search else given_or(body.temperature, 1.0),
        top_k=body.top_k if body.top_k is not None and body.top_k > 0 else None,
        top_p=given_or(body.top_p, 1.0),
        typical_p=given_or(body.typical_p, 1.0),
        min_p=given_or(body.min_p, 0.0),
        repetition_penalty=given_or(body.repetition_penalty, 1.0),
        presence_penalty=given_or(body.presence_penalty, 0.0),
        frequency_penalty=given_or(body.frequency_penalty, 0.0),
        seed=seed_bits(body.seed),
        logit_bias={int(token): float(bias) for token, bias in (body.logit_bias or {}).items()},
        allowed_token_ids=None if allowed is None else tuple(allowed),
        bad_words=bounded_texts(body.bad_words or (), "bad_words"),
        grammar=grammar,
        num_logprobs=num_logprobs,
        logprob_token_ids=_logprob_token_ids(body),
        num_prompt_logprobs=num_prompt_logprobs,
    )


def _logprob_token_ids(body: Body) -> tuple[int, ...]:
    """Return the tokens that the log-probabilities are of, each once.

    Raise Refused where there are no log-probabilities of any but the likeliest.
    """
    field = "logprob_token_ids"
    if body.logprob_token_ids is None:
        return ()
    if body.use_beam_search:
        raise Refused(f"'{field}' is not allowed with 'use_beam_search'.", field)
    if body.logprobs is None or body.logprobs is False:
        raise Refused(f"'{field}' is only allowed with 'logprobs'.", field)
    return tuple(dict.fromkeys(body.logprob_token_ids))


def beam_params(body: Body) -> BeamParams | None:
    """Return a search of as many beams as answers; one beam is greedy decoding.

    Raise Refused for options that no search can have.
    """
    if not body.use_beam_search:
        for field in ("length_penalty", "early_stopping"):
            if getattr(body, field) is not None:
                raise Refused(f"'{field}' is of beam search, which 'use_beam_search' asks for.", field)
        return None
    if body.temperature and "temperature" in body.model_fields_set:
        raise Refused("Beam search draws nothing, so 'temperature' must be 0.", "temperature")
    if num_beams(body) == 1:
        return None
    return BeamParams(
        num_beams=num_beams(body),
        length_penalty=given_or(body.length_penalty, 1.0),
        early_stopping=body.early_stopping is True,
    )


def num_beams(body: Body) -> int:
    """Return how many beams are followed at once; 1 without a search."""
    return given_or(body.n, 1) if body.use_beam_search else 1


def check_min_tokens(body: Body, max_tokens: int | None) -> None:
    """Raise Refused if `min_tokens` is above the bound. max_tokens: the bound; None for none."""
    if max_tokens is not None and (body.min_tokens or 0) > max_tokens:
        raise Refused(f"'min_tokens' is above the bound of {max_tokens} tokens.", "min_tokens")


def stop_texts(body: Body | m.CreateResponseRequest) -> tuple[str, ...]:
    """Return the stop strings. Raises Refused for more text than may be looked for."""
    return bounded_texts(given(body.stop) or (), "stop")


def check_stream_options(body: Body | m.CreateResponseRequest) -> None:
    """Raise Refused for `stream_options` without a stream."""
    if body.stream_options is not None and not body.stream:
        message = "The 'stream_options' parameter is only allowed when 'stream' is true."
        raise Refused(message, "stream_options")


def shows_usage_so_far(body: Body) -> bool:
    """Return whether every event with choices has the token counts so far."""
    return body.stream_options is not None and body.stream_options.continuous_usage_stats is True


def check_prompt_logprobs(body: Body) -> None:
    """Raise Refused for log-probabilities of a prompt that no answer has room for."""
    if body.prompt_logprobs is not None and body.stream:
        raise Refused("'prompt_logprobs' is only allowed without 'stream'.", "prompt_logprobs")


def includes_usage(body: Body) -> bool:
    return body.stream_options is not None and body.stream_options.include_usage is True


def seed_bits(seed: int | None) -> int | None:
    """64 bits without a sign; None if the request gives none."""
    return None if seed is None else seed % 2**64


def check_named_ids(body: Body, vocab_size: int) -> None:
    """Raise Refused for the first id in any option that the vocabulary lacks."""
    check_bias_ids(body.logit_bias, "logit_bias", vocab_size)
    for field in ("stop_token_ids", "allowed_token_ids", "logprob_token_ids"):
        check_token_ids(getattr(body, field) or (), field, vocab_size)
