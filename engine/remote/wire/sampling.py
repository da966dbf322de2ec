"""The parts of sampling parameters that every kind of server takes in the same form; no torch."""

import hashlib
from typing import Final

from engine.port.request import GenerationRequest, SamplingParams
from engine.port.text.tokenizer import Tokenizer
from generated.tokens import structs as m

_MAX_SEED: Final = 2**63  # exclusive; -1 would mean no seed
# JSON has no infinity; this is as good, and finite in float32.
_BANNED: Final = -1e30


def seed_of(request: GenerationRequest, index: int) -> int | None:
    """Return the seed of the sequence of that index, each of which is a request of its own.

    vLLM would draw all sequences of one request with the same seed. None where nobody asked for one, or
    nothing is drawn: vLLM draws rows with a seed one by one, and their batch without its fastest sampler. A
    request is sent a second time only before its first token, so nobody sees two draws of it.
    """
    sampling = request.sampling
    return None if sampling.seed is None or sampling.is_greedy else (sampling.seed + index) % _MAX_SEED


def salt_digest(salt: str) -> str:
    """Return what stands for a request's salt, whose length and characters servers bound."""
    return hashlib.sha256(salt.encode()).hexdigest()


def ignores_ends(request: GenerationRequest) -> bool:
    """Return whether a server is to go on after the model's end tokens.

    Where a grammar allows only an end token, vLLM and SGLang bind nothing that follows it: the text would go
    on without the grammar.
    """
    return request.stopping.ignore_eos and request.sampling.grammar is None


def ending_token_ids(request: GenerationRequest, tokenizer: Tokenizer) -> list[int]:
    """Return the tokens that end a sequence: the request's, and the model's unless they are ignored."""
    end_token_ids = () if ignores_ends(request) else tokenizer.end_token_ids
    return sorted({*request.stopping.stop_token_ids, *end_token_ids})


def common_params(sampling: SamplingParams) -> m.SamplingParams:
    """Return temperature, penalties, truncation where tokens are drawn, and bias; SGLang names them alike."""
    params = m.SamplingParams(
        temperature=sampling.temperature,
        repetition_penalty=sampling.repetition_penalty,
        presence_penalty=sampling.presence_penalty,
        frequency_penalty=sampling.frequency_penalty,
        logit_bias=_logit_bias(sampling) or None,
    )
    if not sampling.is_greedy:
        params.top_k, params.top_p, params.min_p = sampling.top_k or -1, sampling.top_p, sampling.min_p
    return params


def _logit_bias(sampling: SamplingParams) -> dict[str, float]:
    bias = {
        str(token_id): max(min(number, -_BANNED), _BANNED) for token_id, number in sampling.logit_bias.items()
    }
    return bias | {str(token_id): _BANNED for token_id in sampling.banned_token_ids}
