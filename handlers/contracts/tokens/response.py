"""Answers on the wire, whole and in events."""

from collections.abc import Container, Iterator, Sequence
from typing import Final, Literal, TypeAlias

from engine.port.events import FinishReason, PromptToken, TokenEvent, TokenLogprob
from engine.port.request import MediaKind, Prompt
from engine.port.text.tokenizer import Tokenizer
from generated.tokens import models as m
from handlers.chat.reading.logprobs import bounded
from handlers.operations.chunk_template import ChunkTemplate
from handlers.operations.sequences import GeneratedRequest, GeneratedSequence
from verbatim_kit.runtime.operation import EncodedEvent

Event = m.GenerateStreamResponse | EncodedEvent

_FINISH_REASONS: Final[dict[FinishReason, Literal["stop", "length"]]] = {
    FinishReason.END_TOKEN: "stop",
    FinishReason.STOP: "stop",
    FinishReason.LENGTH: "length",
}
_Kind: TypeAlias = Literal["image", "audio", "video"]
_KINDS: Final[dict[MediaKind, _Kind]] = {
    MediaKind.IMAGE: "image",
    MediaKind.AUDIO: "audio",
    MediaKind.VIDEO: "video",
}
_PLAIN_CHOICE: Final = b'{"index":%d,"token_ids":[%d],"finish_reason":null}'


class Responses:
    """Writes the answer to one request, whole or in events.

    An event that neither begins nor ends a sequence goes into a prebuilt envelope; a test holds it to the
    model's own serialisation.
    """

    def __init__(
        self, request_id: str, body: m.GenerateRequest, prompt: Prompt, tokenizer: Tokenizer
    ) -> None:
        """Begin an answer. prompt: the body's prompt, with its files in their places."""
        params, options = body.sampling_params, body.stream_options
        self._request_id = request_id
        self._stop_token_ids = frozenset(params.stop_token_ids or ())
        self._has_logprobs = params.logprobs is not None
        self._has_prompt = params.prompt_logprobs is not None
        self._counts_at_end = options is not None and options.include_usage is True
        self._counts_always = (
            self._counts_at_end and options is not None and options.continuous_usage_stats is True
        )
        self._tokenizer = tokenizer
        self._untold = prompt if body.return_token_ids else None
        self._num_tokens = self._num_prompt_tokens = self._num_cached_tokens = 0
        self._plain = ChunkTemplate(self._event(), _PLAIN_CHOICE)

    def whole(self, generated: GeneratedRequest) -> m.GenerateResponse:
        answer = m.GenerateResponse(
            request_id=self._request_id,
            choices=[self._choice(sequence) for sequence in generated.sequences],
            usage=_usage(
                generated.num_prompt_tokens,
                sum(len(sequence.events) for sequence in generated.sequences),
                generated.num_cached_tokens,
            ),
            prompt_logprobs=self._prompt(generated.prompt) if self._has_prompt else None,
        )
        self._tell_prompt(answer)
        return answer

    def event(self, token: TokenEvent) -> Event:
        """Return the event of a token."""
        self._num_tokens += 1
        self._num_prompt_tokens = token.num_prompt_tokens
        self._num_cached_tokens = token.num_cached_tokens
        if token.position and token.finish is None and not (self._has_logprobs or self._counts_always):
            return self._plain.fill(token.index, token.token_id)
        choice = m.GenerateStreamChoice(
            index=token.index,
            token_ids=[token.token_id],
            finish_reason=None if token.finish is None else _FINISH_REASONS[token.finish],
        )
        if token.position == 0:
            choice.start = m.SequenceStart(queue_s=token.queue_s, cached_tokens=token.num_cached_tokens)
        if token.finish is not None:
            choice.stop_reason = stop_reason(token, self._stop_token_ids)
        if self._has_logprobs:
            choice.logprobs = _logprobs([token])
        event = self._event(choice)
        if token.prompt is not None and self._has_prompt:
            event.prompt_logprobs = self._prompt(token.prompt)
        if self._counts_always:
            event.usage = self._usage_so_far()
        self._tell_prompt(event)
        return event

    def end(self) -> Iterator[Event]:
        """Yield what follows the last token."""
        if self._counts_at_end:
            event = self._event()
            event.usage = self._usage_so_far()
            yield event

    def _tell_prompt(self, answer: m.GenerateResponse | m.GenerateStreamResponse) -> None:
        """Give the answer the prompt's tokens, if the request asks for them and none has had them yet."""
        prompt, self._untold = self._untold, None
        if prompt is not None:
            answer.prompt_token_ids = list(prompt.token_ids)
            answer.mm_placeholders = _placeholders(prompt)

    def _event(self, *choices: m.GenerateStreamChoice) -> m.GenerateStreamResponse:
        return m.GenerateStreamResponse(request_id=self._request_id, choices=list(choices))

    def _usage_so_far(self) -> m.Usage:
        return _usage(self._num_prompt_tokens, self._num_tokens, self._num_cached_tokens)

    def _choice(self, sequence: GeneratedSequence) -> m.GenerateChoice:
        return m.GenerateChoice(
            index=sequence.index,
            token_ids=[event.token_id for event in sequence.events],
            finish_reason=_FINISH_REASONS[sequence.finish],
            stop_reason=stop_reason(sequence.events[-1], self._stop_token_ids),
            logprobs=_logprobs(sequence.events) if self._has_logprobs else None,
        )

    def _prompt(self, prompt: Sequence[PromptToken]) -> list[dict[str, m.PromptLogprob] | None]:
        """Return an entry a token, by token id; None for the first, which nothing precedes."""
        return [_prompt_place(token, self._tokenizer) for token in prompt]


def _placeholders(prompt: Prompt) -> dict[_Kind, list[m.PlaceholderRange]] | None:
    found: dict[_Kind, list[m.PlaceholderRange]] = {}
    for media in prompt.media:
        place = m.PlaceholderRange(offset=media.position, length=media.num_tokens)
        found.setdefault(_KINDS[media.kind], []).append(place)
    return found or None


def stop_reason(last: TokenEvent, stop_token_ids: Container[int]) -> str | int | None:
    """Return the stop text or token id of the request that ended a sequence; None where another did."""
    if last.stop_match is not None:
        return last.stop_match
    is_stop = last.finish is FinishReason.STOP and last.token_id in stop_token_ids
    return last.token_id if is_stop else None


def _usage(num_prompt_tokens: int, num_tokens: int, num_cached_tokens: int) -> m.Usage:
    return m.Usage(
        prompt_tokens=num_prompt_tokens,
        completion_tokens=num_tokens,
        total_tokens=num_prompt_tokens + num_tokens,
        prompt_tokens_details=m.PromptTokensDetails(cached_tokens=num_cached_tokens),
    )


def _logprobs(events: Sequence[TokenEvent]) -> m.TokenLogprobs:
    return m.TokenLogprobs(content=[_scored(event) for event in events])


def _scored(event: TokenEvent) -> m.ScoredToken:
    """Return the token, followed by the others; they may be named ones, which have no ranks."""
    own = _top(event.token_id, event.logprob, _rank(event.token_id, event.top_logprobs))
    others = [
        _top(top.token_id, top.logprob, rank)
        for rank, top in enumerate(event.top_logprobs, 1)
        if top.token_id != event.token_id
    ]
    return m.ScoredToken(
        token_id=own.token_id, logprob=own.logprob, rank=own.rank, top_logprobs=[own, *others]
    )


def _rank(token_id: int, ranked: Sequence[TokenLogprob]) -> int | None:
    return next((rank for rank, top in enumerate(ranked, 1) if top.token_id == token_id), None)


def _top(token_id: int, logprob: float | None, rank: int | None) -> m.TopLogprob:
    return m.TopLogprob(token_id=token_id, logprob=bounded(logprob), rank=rank)


def _prompt_place(token: PromptToken, tokenizer: Tokenizer) -> dict[str, m.PromptLogprob] | None:
    if token.logprob is None:
        return None
    own = _prompt_logprob(token.token_id, token.logprob, _rank(token.token_id, token.top_logprobs), tokenizer)
    others = {
        str(top.token_id): _prompt_logprob(top.token_id, top.logprob, rank, tokenizer)
        for rank, top in enumerate(token.top_logprobs, 1)
    }
    return {str(token.token_id): own} | others


def _prompt_logprob(token_id: int, logprob: float, rank: int | None, tokenizer: Tokenizer) -> m.PromptLogprob:
    text = tokenizer.token_bytes(token_id).decode(errors="replace")
    return m.PromptLogprob(logprob=bounded(logprob), rank=rank, decoded_token=text)
