"""The output of one sequence: its token ids become events. Every engine makes its events here; no torch."""

from collections.abc import Collection
from copy import copy

from engine.port.events import FinishReason, PromptToken, TokenEvent
from engine.port.request import GenerationRequest
from engine.port.text.output_text import OutputText
from engine.port.text.sampled import Sampled
from engine.port.text.stop import StopPatterns
from engine.port.text.token_times import TokenTimes
from engine.port.text.tokenizer import Tokenizer


class SequenceOutput:
    """The text of one sequence, and the rule by which the sequence ends.

    text: the text so far. Beam searches, whose events come at their end, append to it alone.
    """

    def __init__(
        self,
        request: GenerationRequest,
        tokenizer: Tokenizer,
        *,
        index: int = 0,
        stop_patterns: StopPatterns | None = None,
        stop_token_ids: Collection[int] | None = None,
    ) -> None:
        """Begin without tokens.

        stop_patterns, stop_token_ids: tables made of the request's stop conditions, if they exist already.
        Raises InvalidRequest for an empty stop string, or an empty first marker of `stop_free`.
        """
        stopping = request.stopping
        self._request = request
        self._stopping = stopping
        self._tokenizer = tokenizer
        self._index = index
        self._stop_token_ids = (
            frozenset(stopping.stop_token_ids) if stop_token_ids is None else stop_token_ids
        )
        self._num_prompt_tokens = len(request.prompt.token_ids)
        self._num_tokens = 0
        self.text = OutputText(
            tokenizer,
            request.prompt.token_ids,
            stopping,
            skip_special_tokens=request.skip_special_tokens,
            stop_patterns=stop_patterns,
        )

    def fork(self) -> "SequenceOutput":
        """Return a copy for a sequence that continues on its own from here."""
        child = copy(self)
        child.text = self.text.fork()
        return child

    def append(
        self,
        token: Sampled,
        times: TokenTimes,
        *,
        is_complete: bool = False,
        is_at_limit: bool = False,
        prompt: tuple[PromptToken, ...] | None = None,
        num_cached_tokens: int = 0,
        num_preemptions: int = 0,
        batch_size: int = 1,
    ) -> TokenEvent:
        """Append the next token and return its event, which has a `finish` if the token is the last.

        is_complete: whether the sequence's grammar allows nothing after this token.
        is_at_limit: whether the model can compute no token after it, though `max_tokens` allows some.
        The other arguments are fields of the event. Nothing may be appended after the last token.
        """
        token_id, position = token.token_id, self._num_tokens
        self._num_tokens += 1
        finish = self._finish_by_token(token_id, is_complete=is_complete)
        if finish is None and is_at_limit:
            finish = FinishReason.LENGTH
        step = self.text.append(token_id, is_last=finish is not None, is_cut=self._is_cut(token_id, finish))
        if step.stop_match is not None:
            finish = FinishReason.STOP
        if finish is not None and self._ends_by_length:
            finish = FinishReason.LENGTH
        return TokenEvent(
            request_id=self._request.request_id,
            index=self._index,
            position=position,
            token_id=token_id,
            token_text=step.token_text,
            is_special=self._tokenizer.is_special(token_id),
            text=step.text,
            logprob=token.logprob,
            top_logprobs=token.top_logprobs,
            prompt=prompt,
            finish=finish,
            stop_match=step.stop_match,
            num_prompt_tokens=self._num_prompt_tokens,
            num_cached_tokens=num_cached_tokens,
            num_preemptions=num_preemptions,
            batch_size=batch_size,
            queue_s=times.queue_s,
            wait_s=times.wait_s if position else times.queue_s,
            step_s=times.step_s,
        )

    @property
    def _ends_by_length(self) -> bool:
        return self._stopping.length_first and self._num_tokens >= self._stopping.max_tokens

    def _is_cut(self, token_id: int, finish: FinishReason | None) -> bool:
        """Return whether the token is a stop token of the request, whose text is left out of the output."""
        is_stop = finish is FinishReason.STOP and token_id in self._stop_token_ids
        return is_stop and not self._stopping.include_stop

    def _finish_by_token(self, token_id: int, *, is_complete: bool) -> FinishReason | None:
        stopping = self._stopping
        if self._num_tokens > stopping.min_tokens:
            if token_id in self._stop_token_ids:
                return FinishReason.STOP
            if token_id in self._tokenizer.end_token_ids and not stopping.ignore_eos:
                return FinishReason.END_TOKEN
        if is_complete:
            return FinishReason.STOP
        return FinishReason.LENGTH if self._num_tokens >= stopping.max_tokens else None
