"""Completion answers, whole and in chunks."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import orjson

from engine.port.events import FinishReason, TokenEvent
from engine.port.text.tokenizer import Tokenizer
from generated.openai import models as m
from handlers.chat.usage import ChatUsage
from handlers.contracts.openai.answers.token_details import prompt_logprobs
from handlers.contracts.openai.answers.usage import usage
from handlers.contracts.openai.chat.response import stop_reason
from handlers.contracts.openai.completions.request import CompletionPlan
from handlers.contracts.openai.completions.text import LogprobWriter
from handlers.operations.chunk_template import ChunkTemplate
from handlers.operations.sequences import GeneratedRequest, GeneratedSequence
from verbatim_kit.runtime.operation import EncodedEvent

_FINISH_REASONS: Final[dict[FinishReason, Literal["stop", "length"]]] = {
    FinishReason.END_TOKEN: "stop",
    FinishReason.STOP: "stop",
    FinishReason.LENGTH: "length",
}


class PromptText(NamedTuple):
    """A prompt as text, and the tokens that the model reads."""

    text: str
    token_ids: Sequence[int]


_TEXT_CHOICE: Final = b'{"index":%d,"text":%b,"logprobs":null,"finish_reason":null}'


def completion_choices(
    plan: CompletionPlan,
    prompts: Sequence[PromptText],
    generated: Sequence[GeneratedRequest],
    tokenizer: Tokenizer,
) -> list[m.CompletionChoice]:
    """The best `n` texts of the first prompt, then those of the second, and so on."""
    choices: list[m.CompletionChoice] = []
    for prompt, request in zip(prompts, generated, strict=True):
        sequences = request.sequences
        if plan.best_of > plan.n:
            sequences = sorted(sequences, key=lambda one: one.mean_logprob, reverse=True)[: plan.n]
        for sequence in sequences:
            choices.append(_choice(len(choices), plan, prompt, request, sequence, tokenizer))
    return choices


def _choice(
    index: int,
    plan: CompletionPlan,
    prompt: PromptText,
    request: GeneratedRequest,
    sequence: GeneratedSequence,
    tokenizer: Tokenizer,
) -> m.CompletionChoice:
    events = sequence.events if plan.max_tokens else []
    text = sequence.text if plan.max_tokens else ""
    logprobs = None
    if plan.num_logprobs is not None:
        writer = LogprobWriter(
            tokenizer, offset=0 if plan.echoes else len(prompt.text), names_ids=plan.names_ids
        )
        logprobs = writer.write([*(request.prompt if plan.echoes else ()), *events])
    choice = m.CompletionChoice(
        index=index,
        text=prompt.text + text if plan.echoes else text,
        logprobs=logprobs,
        finish_reason=_FINISH_REASONS[sequence.finish] if plan.max_tokens else "length",
        stop_reason=stop_reason(sequence.events[-1], plan.stop_token_ids) if plan.max_tokens else None,
    )
    if plan.shows_ids:
        choice.prompt_token_ids = list(prompt.token_ids)
        choice.token_ids = [event.token_id for event in events]
    if plan.num_prompt_logprobs is not None:
        choice.prompt_logprobs = prompt_logprobs(request.prompt, tokenizer)
    return choice


class CompletionEvents:
    """Writes the chunks of one streamed answer, one a token.

    A chunk that ends nothing goes into a prebuilt envelope; a test holds it to the model's own serialisation.
    empty: a chunk without choices, as each of the others has it around its own.
    """

    def __init__(
        self,
        plan: CompletionPlan,
        prompts: Sequence[PromptText],
        empty: m.CreateCompletionStreamResponse,
        tokenizer: Tokenizer,
        *,
        is_plain: bool = True,
    ) -> None:
        """Begin a stream. is_plain: whether chunks may go into the prebuilt envelope."""
        self._may_be_plain = is_plain and plan.num_logprobs is None and not plan.shows_ids
        self._plan = plan
        self._prompts = prompts
        self._empty = empty
        self._tokenizer = tokenizer
        self._writers: dict[int, LogprobWriter] = {}
        self._echoed_events: dict[int, TokenEvent] = {}
        self._plain = ChunkTemplate(empty, _TEXT_CHOICE)

    def encode(self, prompt: int, event: TokenEvent) -> EncodedEvent | m.CreateCompletionStreamResponse:
        """Return the chunk of an event. prompt: the number of the prompt that the event belongs to."""
        index = prompt * self._plan.n + event.index
        begins = event.position == 0 and self._plan.echoes
        is_plain = event.finish is None and self._may_be_plain and not begins
        if is_plain:
            return self._plain.fill(index, orjson.dumps(event.text))
        return self._empty.model_copy(update={"choices": [self.choice(prompt, event)]})

    def choice(self, prompt: int, event: TokenEvent) -> m.CompletionStreamChoice:
        """Return what an event adds to its text. prompt: as for `encode`."""
        index = prompt * self._plan.n + event.index
        begins = event.position == 0 and self._plan.echoes
        text = event.text if self._plan.max_tokens else ""
        choice = m.CompletionStreamChoice(
            index=index,
            text=self._prompts[prompt].text + text if begins else text,
            logprobs=self._logprobs(prompt, index, event),
            finish_reason=self._finish_reason(event),
        )
        if event.finish is not None:
            choice.stop_reason = self._stop_reason(event)
        if self._plan.shows_ids:
            choice.token_ids = [event.token_id] if self._plan.max_tokens else []
            if event.position == 0:
                choice.prompt_token_ids = list(self._prompts[prompt].token_ids)
        return choice

    def empty(self) -> m.CreateCompletionStreamResponse:
        """Return a chunk without choices."""
        return self._empty.model_copy()

    def usage(self, counts: ChatUsage) -> m.CreateCompletionStreamResponse:
        """The chunk that follows the last choice, where the client asked for it."""
        return self._empty.model_copy(update={"usage": usage(counts)})

    def _finish_reason(self, event: TokenEvent) -> Literal["stop", "length"] | None:
        if event.finish is None:
            return None
        return _FINISH_REASONS[event.finish] if self._plan.max_tokens else "length"

    def _stop_reason(self, event: TokenEvent) -> str | int | None:
        return stop_reason(event, self._plan.stop_token_ids) if self._plan.max_tokens else None

    def _logprobs(self, prompt: int, index: int, event: TokenEvent) -> m.CompletionLogprobs | None:
        """Return the log-probabilities of an event's token, and with the first token those of the prompt."""
        if self._plan.num_logprobs is None:
            return None
        if event.prompt is not None:
            self._echoed_events[prompt] = event
        echoed = self._echoed_events.get(prompt) if event.position == 0 and self._plan.echoes else None
        offset = 0 if self._plan.echoes else len(self._prompts[prompt].text)
        writer = self._writers.setdefault(
            index, LogprobWriter(self._tokenizer, offset=offset, names_ids=self._plan.names_ids)
        )
        prompt_tokens = (echoed.prompt or ()) if echoed else ()
        return writer.write([*prompt_tokens, *([event] if self._plan.max_tokens else ())])
