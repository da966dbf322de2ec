"""Completion requests in neutral terms."""

from dataclasses import dataclass
from secrets import token_hex
from typing import Final

from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from engine.port.text.tokenizer import Tokenizer
from generated.aleph_alpha import models as m
from handlers.contracts.aleph_alpha.nice import priority
from handlers.contracts.aleph_alpha.prompts import encode_prompt
from handlers.served_model.request_values import bounded_texts
from verbatim_kit.errors import Refused, Violation

# Penalties are taken off over the completion, and texts are forbidden wherever they begin.
_ONLY: Final = {
    "repetition_penalties_include_prompt": False,
    "repetition_penalties_include_completion": True,
    "use_multiplicative_presence_penalty": False,
    "use_multiplicative_frequency_penalty": False,
    "use_multiplicative_sequence_penalty": False,
    "completion_bias_inclusion_first_token_only": False,
    "completion_bias_exclusion_first_token_only": False,
}


@dataclass(frozen=True)
class CompletionPlan:
    """The contents that a request asks for.

    n: completions to answer with. best_of: completions to generate. num_logprobs: as in
    `engine.port.request.SamplingParams`. generates: whether the answer has anything beyond the prompt.
    """

    n: int
    best_of: int
    num_logprobs: int | None
    generates: bool
    echoes: bool
    shows_tokens: bool
    shows_raw: bool

    @property
    def sequences_field(self) -> str:
        """The field that asks for the sequences."""
        return "best_of" if self.best_of > self.n else "n"


def completion_plan(body: m.CompletionRequest) -> CompletionPlan:
    """Reads no prompt, so that it is quick. Raises Refused."""
    for field, only in _ONLY.items():
        if getattr(body, field) not in (only, None):
            raise Refused(f"only {str(only).lower()} is supported", field, Violation.UNSUPPORTED_VALUE)
    _check_penalties(body)
    n = 1 if body.n is None else body.n
    return CompletionPlan(
        n=n,
        best_of=_best_of(body, n),
        num_logprobs=body.log_probs,
        generates=body.maximum_tokens != 0,
        echoes=body.echo is True,
        shows_tokens=body.tokens is True,
        shows_raw=body.raw_completion is True,
    )


def completion_request(
    body: m.CompletionRequest,
    plan: CompletionPlan,
    tokenizer: Tokenizer,
    max_total_tokens: int,
    *,
    nice: bool,
    adapter: str | None = None,
) -> GenerationRequest:
    """Return the engine's request for a completion. Raises Refused and PromptTooLong.

    max_total_tokens: the context that prompt and completion share.
    """
    prompt_token_ids = encode_prompt(body.prompt, tokenizer, max_total_tokens)
    return GenerationRequest(
        request_id=token_hex(16),
        prompt=Prompt(prompt_token_ids),
        sampling=_sampling(body, plan),
        stopping=_stopping(body, max(max_total_tokens - len(prompt_token_ids), 1)),
        num_sequences=plan.best_of,
        adapter=adapter,
        priority=priority(nice=nice),
    )


def _best_of(body: m.CompletionRequest, n: int) -> int:
    if body.best_of is None:
        return n
    if body.best_of <= n:
        raise Refused("must be above `n`", "best_of")
    if body.stream:
        raise Refused("a stream cannot wait for the best of several", "best_of")
    return body.best_of


def _check_penalties(body: m.CompletionRequest) -> None:
    """Stop sequences are penalised as all texts are, which the default promises not to do."""
    has_penalty = body.presence_penalty or body.frequency_penalty
    if has_penalty and body.stop_sequences and body.penalty_exceptions_include_stop_sequences is not False:
        raise Refused(
            "only false is supported where there are penalties and stop sequences",
            "penalty_exceptions_include_stop_sequences",
            Violation.UNSUPPORTED_VALUE,
        )


def _sampling(body: m.CompletionRequest, plan: CompletionPlan) -> SamplingParams:
    num_ranked = plan.num_logprobs
    if plan.best_of > plan.n and num_ranked is None:
        num_ranked = 0  # the likeliest are chosen
    return SamplingParams(
        temperature=body.temperature or 0.0,
        top_k=body.top_k or None,
        top_p=body.top_p or 1.0,
        presence_penalty=body.presence_penalty or 0.0,
        frequency_penalty=body.frequency_penalty or 0.0,
        seed=None,
        logit_bias={int(token): float(bias) for token, bias in (body.logit_bias or {}).items()},
        bad_words=bounded_texts(
            body.completion_bias_exclusion or (), "completion_bias_exclusion", subject=""
        ),
        num_logprobs=num_ranked,
        num_prompt_logprobs=plan.num_logprobs if plan.echoes else None,
    )


def _stopping(body: m.CompletionRequest, room: int) -> StopConditions:
    """Return the conditions of the end. room: the number of tokens that the context has left.

    The engine refuses a prompt without room.
    """
    max_tokens = room if body.maximum_tokens is None else body.maximum_tokens
    min_tokens = body.minimum_tokens or 0
    if body.maximum_tokens is not None and min_tokens > max_tokens:
        raise Refused(f"is above the bound of {max_tokens} tokens", "minimum_tokens")
    return StopConditions(
        max_tokens=max(max_tokens, 1),  # the engine reports a prompt with its first token
        min_tokens=min_tokens,
        stop=bounded_texts(body.stop_sequences or (), "stop_sequences", subject=""),
    )
