"""The lookup tables of a request's options, which are made once for all of its sequences."""

from collections.abc import Collection

import torch

from engine.host.transfers import send, upload
from engine.port.errors import InvalidToken
from engine.port.request import GenerationRequest, SamplingParams, StopConditions
from engine.port.text.stop import StopPatterns
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.logits.token_filter import ExcludedTokens
from engine.sampling.thinking import ThinkingTables

# Options of this size take well under a millisecond.
_MAX_SMALL = 1_024


class RequestTables:
    """The tables of one request. They may be made in any thread, so that large ones do not delay a step.

    bias_ids: [m] int64; bias: [m] float32, added to their logits. excluded: None if no token is excluded.
    thinking: None without a thinking budget. stop_token_ids: those of the request. ending_ids: [m] int64, all
    that end a sequence.
    """

    def __init__(
        self, params: SamplingParams, stopping: StopConditions, tokenizer: Tokenizer, device: torch.device
    ) -> None:
        """Make the tables.

        Raises InvalidToken for an id outside the vocabulary, and InvalidRequest for an empty stop string, a
        bad word without tokens, a thinking budget that cannot be kept, or if no token is allowed.
        """
        for token_ids in _named_ids(params, stopping):
            for token_id in token_ids:
                if not 0 <= token_id < tokenizer.vocab_size:
                    raise InvalidToken(
                        f"token id {token_id} is outside the vocabulary of {tokenizer.vocab_size}"
                    )
        bias = torch.tensor(list(params.logit_bias.values()), dtype=torch.float32)
        self.bias_ids = upload(list(params.logit_bias), device, torch.int64)
        self.bias = send(bias, device)
        self.is_bias_finite = bool(bias.isfinite().all())
        self.excluded = ExcludedTokens(params, tokenizer, device) if ExcludedTokens.is_asked(params) else None
        budget = params.thinking_budget
        self.thinking = None if budget is None else ThinkingTables(budget, tokenizer)
        self.stop_patterns = StopPatterns(stopping.stop)
        self.stop_token_ids = frozenset(stopping.stop_token_ids)
        end_token_ids = () if stopping.ignore_eos else tokenizer.end_token_ids
        ending = sorted({*end_token_ids, *self.stop_token_ids})
        self.ending_ids = upload(ending, device, torch.int64)
        self.is_ending = frozenset(ending)


def are_large(request: GenerationRequest) -> bool:
    """Return whether the tables take so long to make that the engine's thread should not make them."""
    params, stopping = request.sampling, request.stopping
    sized = (*_named_ids(params, stopping), *stopping.stop, *params.bad_words)
    return sum(map(len, sized)) > _MAX_SMALL


def _named_ids(params: SamplingParams, stopping: StopConditions) -> tuple[Collection[int], ...]:
    """Return the token ids that each option of a request names."""
    return (
        params.logit_bias,
        params.banned_token_ids,
        params.first_banned_token_ids,
        params.allowed_token_ids or (),
        params.logprob_token_ids,
        params.prompt_logprob_token_ids,
        stopping.stop_token_ids,
    )
