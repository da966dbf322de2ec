"""Answers, whole and event by event.

An answer with nothing but its text goes into a prebuilt envelope, because building its model costs more than
the rest of what the server does for a token; a test holds the envelope to the model's own serialisation.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import orjson

from engine.port.events import FinishReason, TokenEvent
from generated.triton import models as m
from handlers.contracts.triton.generate.members import Members
from handlers.operations.sequences import GeneratedRequest
from verbatim_kit.runtime.operation import EncodedEvent

Ending: TypeAlias = Literal["stop", "length", "None"]

_ENDINGS: Final[Mapping[FinishReason | None, Ending]] = {
    FinishReason.END_TOKEN: "stop",
    FinishReason.STOP: "stop",
    FinishReason.LENGTH: "length",
    None: "None",
}
_LEAST: Final = -9999.0  # JSON has no infinities
# Members that ask for something in addition to the text.
_SHOWN: Final = (
    "return_finish_reason",
    "return_cumulative_logprob",
    "return_logprobs",
    "return_log_probs",
    "return_num_input_tokens",
    "return_num_output_tokens",
)


@dataclass(frozen=True)
class Envelope:
    """The members that every response repeats. id: the client's name for the request; may be empty."""

    id: str
    model_name: str
    model_version: str

    def fields(self) -> dict[str, str]:
        named = {"id": self.id} if self.id else {}
        return {**named, "model_name": self.model_name, "model_version": self.model_version}


@dataclass
class _Text:
    """One of the texts while it is written."""

    piece: str = ""
    events: list[TokenEvent] = field(default_factory=list)  # those not written yet
    logprob: float = 0.0
    ending: Ending = "None"

    def add(self, event: TokenEvent) -> None:
        self.piece += event.text
        self.events.append(event)
        self.logprob += _finite(event.logprob or 0.0)
        self.ending = _ENDINGS[event.finish]

    def forget(self) -> None:
        self.piece = ""
        self.events = []


class Responses:
    """Writes the responses of one request, each with the text since the one before.

    prefix: what stands before each text in the first. has_candidates: whether the request asked for the
    likeliest tokens of each place.
    """

    def __init__(
        self,
        envelope: Envelope,
        members: Members,
        num_sequences: int,
        *,
        prefix: str = "",
        has_candidates: bool = False,
    ) -> None:
        self._envelope = envelope
        self._asked = frozenset(name for name in _SHOWN if members.get(name))
        self._has_candidates = has_candidates
        self._num_input_tokens = 0
        self._texts = [_Text(prefix) for _ in range(num_sequences)]
        head = orjson.dumps({**envelope.fields(), "text_output": ""})
        self._head = head.removesuffix(b'""}')

    def whole(self, generated: GeneratedRequest) -> m.GenerateResponse:
        for sequence in generated.sequences:
            for event in sequence.events:
                self._add(event)
        return self._response()

    def event(self, event: TokenEvent) -> m.GenerateResponse | EncodedEvent:
        """Return the response for one token."""
        self._add(event)
        if self._asked or len(self._texts) > 1:
            return self._response()
        text = self._texts[0].piece
        self._texts[0].forget()
        return EncodedEvent(b"%b%b}" % (self._head, orjson.dumps(text)))

    def _add(self, event: TokenEvent) -> None:
        self._num_input_tokens = event.num_prompt_tokens
        self._texts[event.index].add(event)

    def _response(self) -> m.GenerateResponse:
        texts = self._texts
        outputs: dict[str, Any] = {"text_output": _unwrapped([text.piece for text in texts])}
        if "return_finish_reason" in self._asked:
            outputs["finish_reason"] = _unwrapped([text.ending for text in texts])
        outputs |= self._logprobs()
        if "return_num_input_tokens" in self._asked:
            outputs["num_input_tokens"] = self._num_input_tokens
        if "return_num_output_tokens" in self._asked:
            outputs["num_output_tokens"] = _unwrapped([len(text.events) for text in texts])
        for text in texts:
            text.forget()
        return m.GenerateResponse(**self._envelope.fields(), **outputs)

    def _logprobs(self) -> dict[str, Any]:
        texts = self._texts
        sums = _unwrapped([max(text.logprob, _LEAST) for text in texts])
        shown: dict[str, Any] = {}
        if "return_cumulative_logprob" in self._asked:
            shown["cumulative_logprob"] = sums
        if "return_logprobs" in self._asked:
            shown["logprobs"] = _unwrapped(
                [_ranked(text.events) if self._has_candidates else "null" for text in texts]
            )
        if "return_log_probs" in self._asked:
            shown["cum_log_probs"] = sums
            each = [_finite(event.logprob or 0.0) for text in texts for event in text.events]
            shown["output_log_probs"] = _unwrapped(each)
        return shown


def _unwrapped(elements: Sequence[Any]) -> Any:
    """A tensor of one element is sent as a scalar."""
    return elements[0] if len(elements) == 1 else list(elements)


def _finite(logprob: float) -> float:
    return logprob if math.isfinite(logprob) else _LEAST


def _ranked(events: Sequence[TokenEvent]) -> str:
    """vLLM's form: for each token an object by token ids."""
    return orjson.dumps([_candidates(event) for event in events]).decode()


def _candidates(event: TokenEvent) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for rank, top in enumerate(event.top_logprobs, start=1):
        found[str(top.token_id)] = _candidate(top.logprob, rank, top.text)
    if str(event.token_id) not in found:
        found[str(event.token_id)] = _candidate(event.logprob or 0.0, None, event.token_text)
    return found


def _candidate(logprob: float, rank: int | None, text: str) -> dict[str, Any]:
    return {"logprob": _finite(logprob), "rank": rank, "decoded_token": text}
