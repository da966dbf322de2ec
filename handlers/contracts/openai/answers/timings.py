"""The times of a request's tokens in the form of llama.cpp's answers."""

from collections.abc import Iterable
from typing import Final

from engine.port.events import TokenEvent
from generated.openai import models as m

_LEAST_S: Final = 1e-6


class RequestTimings:
    """Adds up the tokens of a request, of all its prompts and texts, and the times that they took.

    What runs at the same time counts once: the times are those of the prompt and of the text that took
    longest.
    """

    def __init__(self, *, generates: bool = True) -> None:
        """Begin without events. generates: whether the tokens of the events belong to the answer."""
        self._generates = generates
        self._counts: dict[int, tuple[int, int]] = {}  # of the tokens of each prompt, and of cached ones
        self._num_generated = 0
        self._prompt_s: dict[int, float] = {}
        self._text_s: dict[tuple[int, int], float] = {}

    def add(self, events: Iterable[TokenEvent], prompt: int = 0) -> None:
        """Count the events of texts that continue a prompt. prompt: the number of the request's prompt."""
        for event in events:
            if prompt not in self._prompt_s:
                self._prompt_s[prompt] = event.step_s
            self._counts[prompt] = event.num_prompt_tokens, event.num_cached_tokens
            if self._generates:
                text = prompt, event.index
                self._text_s[text] = self._text_s.get(text, 0.0) + (event.step_s if event.position else 0.0)
                self._num_generated += 1

    def write(self) -> m.GenerationTimings:
        """Return the times of the events so far."""
        num_cached = sum(cached for _, cached in self._counts.values())
        num_computed = sum(whole for whole, _ in self._counts.values()) - num_cached
        prompt_s = max((_LEAST_S, *self._prompt_s.values()))
        text_s = max((_LEAST_S, *self._text_s.values()))
        return m.GenerationTimings(
            cache_n=num_cached,
            prompt_n=num_computed,
            prompt_ms=prompt_s * 1e3,
            prompt_per_token_ms=_per_token_ms(prompt_s, num_computed),
            prompt_per_second=num_computed / prompt_s,
            predicted_n=self._num_generated,
            predicted_ms=text_s * 1e3,
            predicted_per_token_ms=_per_token_ms(text_s, self._num_generated),
            predicted_per_second=self._num_generated / text_s,
        )


def _per_token_ms(seconds: float, num_tokens: int) -> float:
    return seconds * 1e3 / num_tokens if num_tokens else 0.0
