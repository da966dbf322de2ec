"""The tokens in the answers of a token API, as requests bring them, checked against the model."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.port.events import TokenLogprob
from engine.port.text.sampled import Sampled
from engine.port.text.tokenizer import Tokenizer
from generated.openai import models as m
from handlers.chat.usage import ChatUsage
from handlers.operations.generated_tokens import Ending
from handlers.served_model.request_values import check_token_ids
from verbatim_kit.errors import Refused, Violation


class WireSequence(NamedTuple):
    """A sequence with all its tokens so far. ending: None for one that goes on."""

    tokens: list[Sampled]
    ending: Ending | None


class SequenceReader:
    """Reads the sequences of one model. A request's values, and so its tokens, are bounded before."""

    def __init__(self, tokenizer: Tokenizer, vocab_size: int, max_total_tokens: int) -> None:
        self._tokenizer = tokenizer
        self._vocab_size = vocab_size
        self._max_total_tokens = max_total_tokens

    def choices(
        self, response: m.GeneratedResponse, num_logprobs: int | None, field: str
    ) -> list[WireSequence]:
        """Return the sequences of a whole answer by their index.

        num_logprobs: how many of the likeliest tokens each has; None for no log-probabilities.
        Raises Refused.
        """
        by_index = {choice.index: at for at, choice in enumerate(response.choices)}
        num = len(response.choices)
        if set(by_index) != set(range(num)):
            raise Refused(f"The indexes of {num} choices are 0 to {num - 1}.", f"{field}.choices")
        return [
            self._whole(response.choices[at], num_logprobs, f"{field}.choices[{at}]")
            for _, at in sorted(by_index.items())
        ]

    def so_far(
        self, state: m.DerenderState | None, choice: m.GeneratedChoice, num_logprobs: int | None
    ) -> WireSequence:
        """Return a sequence of a stream up to its newest event. Raises Refused."""
        field = "generate_chunk.choices[0]"
        before = [] if state is None else self._before(state)
        tokens = before + self._tokens(choice, num_logprobs, field, len(before))
        ending = _ending(choice)
        if ending is not None and len(tokens) == len(before):
            reason = "A sequence ends with its last token."
            raise Refused(reason, f"{field}.token_ids", Violation.TOO_SHORT)
        return WireSequence(tokens, ending)

    def check_prompt(self, token_ids: Sequence[int], field: str) -> tuple[int, ...]:
        """Return the tokens of a prompt. Raises Refused for one that is not in the vocabulary."""
        check_token_ids(token_ids, field, self._vocab_size)
        return tuple(token_ids)

    def _whole(self, choice: m.GeneratedChoice, num_logprobs: int | None, field: str) -> WireSequence:
        if not choice.token_ids:
            raise Refused("A sequence has at least one token.", f"{field}.token_ids", Violation.TOO_SHORT)
        ending = _ending(choice)
        if ending is None:
            reason = "A whole answer says why each sequence has ended."
            raise Refused(reason, f"{field}.finish_reason", Violation.MISSING)
        return WireSequence(self._tokens(choice, num_logprobs, field), ending)

    def _tokens(
        self, choice: m.GeneratedChoice, num_logprobs: int | None, field: str, num_before: int = 0
    ) -> list[Sampled]:
        token_ids = choice.token_ids or []
        if num_before + len(token_ids) > self._max_total_tokens:
            reason = f"A sequence has at most {self._max_total_tokens} tokens."
            raise Refused(reason, f"{field}.token_ids", Violation.TOO_LONG)
        check_token_ids(token_ids, f"{field}.token_ids", self._vocab_size)
        if num_logprobs is None:
            return [Sampled(token_id) for token_id in token_ids]
        content = (None if choice.logprobs is None else choice.logprobs.content) or []
        if token_ids and not content:
            reason = "Log-probabilities are asked for, and these tokens have none."
            raise Refused(reason, f"{field}.logprobs", Violation.MISSING)
        if [entry.token_id for entry in content] != token_ids:
            raise Refused("These are not the tokens of `token_ids`.", f"{field}.logprobs.content")
        return self._scored(content, num_logprobs, f"{field}.logprobs.content")

    def _before(self, state: m.DerenderState) -> list[Sampled]:
        """Return the tokens of earlier events. Those that no chunk has had have log-probabilities."""
        held, field = state.held_logprobs, "stream_state.held_logprobs"
        check_token_ids(state.output_token_ids, "stream_state.output_token_ids", self._vocab_size)
        num_shown = len(state.output_token_ids) - len(held)
        if [entry.token_id for entry in held] != state.output_token_ids[max(num_shown, 0) :]:
            raise Refused("These are not the last tokens of `output_token_ids`.", field)
        shown = [Sampled(token_id) for token_id in state.output_token_ids[:num_shown]]
        return shown + self._scored(held, None, field)

    def _scored(
        self, content: Sequence[m.GeneratedToken], num_ranked: int | None, field: str
    ) -> list[Sampled]:
        """Return the tokens with their log-probabilities. num_ranked: of the likeliest; None for all."""
        tokens = []
        for at, entry in enumerate(content):
            ranked = sorted(entry.top_logprobs, key=lambda top: (-top.logprob, top.token_id))[:num_ranked]
            check_token_ids([top.token_id for top in ranked], f"{field}[{at}].top_logprobs", self._vocab_size)
            top_logprobs = tuple(self._logprob(top.token_id, top.logprob) for top in ranked)
            tokens.append(Sampled(entry.token_id, entry.logprob, top_logprobs))
        return tokens

    def _logprob(self, token_id: int, logprob: float) -> TokenLogprob:
        text = self._tokenizer.token_text(token_id)
        return TokenLogprob(token_id, text, logprob, self._tokenizer.is_special(token_id))


def wire_state(tokens: Sequence[Sampled], num_held: int, call_ids: Sequence[str] = ()) -> m.DerenderState:
    """Return what the next event needs. num_held: of the last tokens, which no chunk has had yet."""
    held = tokens[len(tokens) - num_held :]
    return m.DerenderState(
        output_token_ids=[token.token_id for token in tokens],
        held_logprobs=[_wire_token(token, token.logprob) for token in held if token.logprob is not None],
        last_tool_call_ids=list(call_ids),
    )


def wire_counts(
    counts: m.GeneratedCounts | None, num_prompt_tokens: int | None, num_completion_tokens: int
) -> ChatUsage:
    """Return token counts. num_prompt_tokens: those that the request names; None for those of the answer."""
    counts = counts or m.GeneratedCounts()
    details = counts.prompt_tokens_details
    return ChatUsage(
        num_prompt_tokens=counts.prompt_tokens if num_prompt_tokens is None else num_prompt_tokens,
        num_cached_tokens=0 if details is None else details.cached_tokens or 0,
        num_completion_tokens=num_completion_tokens,
    )


def _ending(choice: m.GeneratedChoice) -> Ending | None:
    if choice.finish_reason is None:
        return None
    stop = choice.stop_reason
    return Ending(choice.finish_reason == "length", stop if isinstance(stop, int) else None)


def _wire_token(token: Sampled, logprob: float) -> m.GeneratedToken:
    return m.GeneratedToken(
        token_id=token.token_id,
        logprob=logprob,
        top_logprobs=[
            m.GeneratedAlternative(token_id=top.token_id, logprob=top.logprob) for top in token.top_logprobs
        ],
    )
