"""The contents of completions, whole or piece by piece."""

from collections.abc import Sequence
from typing import Final, Literal

from engine.port.events import FinishReason, PromptToken, TokenEvent
from engine.port.text.tokenizer import Tokenizer
from generated.aleph_alpha import models as m
from handlers.chat.reading.logprobs import bounded
from handlers.contracts.aleph_alpha.completions.request import CompletionPlan

_FINISH_REASONS: Final[
    dict[FinishReason, Literal["maximum_tokens", "end_of_text", "stop_sequence_reached"]]
] = {
    FinishReason.LENGTH: "maximum_tokens",
    FinishReason.END_TOKEN: "end_of_text",
    FinishReason.STOP: "stop_sequence_reached",
}


class CompletionWriter:
    """Writes of one prompt's completions what the plan says.

    prompt_token_ids: the prompt's. prompt_text: the prompt as text, special tokens kept.
    """

    def __init__(
        self, plan: CompletionPlan, prompt_token_ids: Sequence[int], prompt_text: str, tokenizer: Tokenizer
    ) -> None:
        self._plan = plan
        self._prompt_token_ids = prompt_token_ids
        self._prompt_text = prompt_text
        self._tokenizer = tokenizer

    @property
    def shows_tokens(self) -> bool:
        """True if a token is shown even if it adds no text."""
        return self._plan.num_logprobs is not None or self._plan.shows_tokens or self._plan.shows_raw

    def finish_reason(
        self, finish: FinishReason
    ) -> Literal["maximum_tokens", "end_of_text", "stop_sequence_reached"]:
        return _FINISH_REASONS[finish if self._plan.generates else FinishReason.LENGTH]

    def fill(
        self,
        result: m.CompletionResult | m.StreamChunk,
        events: Sequence[TokenEvent],
        prompt: Sequence[PromptToken] | None,
    ) -> None:
        """Fill in a completion, or a piece of one, from its events.

        prompt: with log-probabilities, if there are any, where the completion begins; else None.
        """
        begins = prompt is not None and self._plan.echoes
        events = events if self._plan.generates else ()
        result.completion = (self._prompt_text if begins else "") + "".join(event.text for event in events)
        if self._plan.shows_raw:
            raw = "".join(event.token_text for event in events)
            result.raw_completion = (self._prompt_text if begins else "") + raw
        if self._plan.shows_tokens:
            echoed = self._prompt_token_ids if begins else ()
            result.completion_tokens = [
                *map(self._text, echoed),
                *(self._text(one.token_id) for one in events),
            ]
        if self._plan.num_logprobs is not None:
            scored: list[PromptToken | TokenEvent] = [*((prompt or ()) if begins else ()), *events]
            result.log_probs = [self._log_probs(one) for one in scored]

    def _log_probs(self, token: PromptToken | TokenEvent) -> dict[str, float | None]:
        """Return log-probabilities by text, the token's own too. Of one text the likeliest counts."""
        if isinstance(token, PromptToken) and token.logprob is None:
            return {}
        ranked: dict[str, float | None] = {}
        for one in token.top_logprobs:
            ranked.setdefault(self._text(one.token_id), bounded(one.logprob))
        ranked.setdefault(self._text(token.token_id), bounded(token.logprob))
        return ranked

    def _text(self, token_id: int) -> str:
        return self._tokenizer.token_bytes(token_id).decode(errors="replace")
