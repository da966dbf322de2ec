"""Whole answers of one text, as most are: a contract's model is written once, and its text filled in."""

from collections.abc import Callable, Mapping
from typing import Final, Generic, TypeVar

import orjson
from pydantic import BaseModel

from engine.port.events import TokenEvent
from handlers.chat.delta import ChatFinish
from handlers.chat.reading.result import ChatChoice, ChatResult
from handlers.chat.usage import ChatUsage
from handlers.served_model.envelope import Envelope
from verbatim_kit.runtime.operation import Answer, EncodedAnswer


class JsonForm:
    """A model's own text around a few values: to build and to write the model takes several times as long."""

    def __init__(self, sample: BaseModel, blanks: Mapping[bytes, str | int]) -> None:
        """Build the form.

        sample: an object like all others, but for the values of the blanks, which stand nowhere else in it.
        blanks: the values of the blanks by name; the sample may lack some.
        """
        text = sample.model_dump_json(by_alias=True).encode().replace(b"%", b"%%")
        for name, value in blanks.items():
            text = text.replace(orjson.dumps(value), b"%%(%b)b" % name)
        self._text = text

    def fill(self, values: Mapping[bytes, str | int]) -> bytes:
        """The text with these in the place of the blanks, by name."""
        return self._text % {name: orjson.dumps(value) for name, value in values.items()}


AnswerT = TypeVar("AnswerT", bound=BaseModel)

_SAMPLE_ENVELOPE: Final = Envelope(model="<model>", id="<id>", created=2_000_000_011)
_SAMPLE_USAGE: Final = ChatUsage(
    num_prompt_tokens=1_000_000_007,
    num_cached_tokens=1_000_000_009,
    num_completion_tokens=1_000_000_021,
    num_reasoning_tokens=1_000_000_033,
)


class PlainAnswers(Generic[AnswerT]):
    """Answers of a contract to requests that differ in nothing that an answer shows.

    write: makes the contract's model of any such answer.
    """

    def __init__(self, write: Callable[[Envelope, ChatResult], AnswerT]) -> None:
        self._write = write
        self._forms = {finish: self._form(finish) for finish in (ChatFinish.STOP, ChatFinish.LENGTH)}

    def __call__(self, envelope: Envelope, result: ChatResult) -> Answer[AnswerT]:
        """The answer, as text where it is one text and no more."""
        if not _is_plain(result):
            return self._write(envelope, result)
        return EncodedAnswer(self._forms[result.choices[0].finish].fill(_values(envelope, result)))

    def _form(self, finish: ChatFinish) -> JsonForm:
        sample = _sample(finish)
        return JsonForm(self._write(_SAMPLE_ENVELOPE, sample), _values(_SAMPLE_ENVELOPE, sample))


def _is_plain(result: ChatResult) -> bool:
    first, *others = result.choices
    has_audio = bool(result.usage.num_audio_tokens)  # which some contracts count apart
    return not (others or first.tool_calls or first.reasoning or first.stop_match or has_audio)


def _values(envelope: Envelope, result: ChatResult) -> Mapping[bytes, str | int]:
    """Return the values in which plain answers differ."""
    counts = result.usage
    return {
        b"model": envelope.model,
        b"id": envelope.id,
        b"created": envelope.created,
        b"content": result.choices[0].content,
        b"prompt": counts.num_prompt_tokens,
        b"cached": counts.num_cached_tokens,
        b"completion": counts.num_completion_tokens,
        b"reasoning": counts.num_reasoning_tokens,
        b"total": counts.num_prompt_tokens + counts.num_completion_tokens,
    }


def _sample(finish: ChatFinish) -> ChatResult:
    """Return a result with values that no other part of an answer has."""
    event = TokenEvent(
        request_id="",
        index=0,
        position=0,
        token_id=0,
        token_text="",
        is_special=False,
        text="",
        num_prompt_tokens=0,
    )
    choice = ChatChoice(
        index=0,
        content="<content>",
        reasoning="",
        tool_calls=(),
        finish=finish,
        events=(event,),
        answer_events=(event,),
    )
    return ChatResult(choices=(choice,), usage=_SAMPLE_USAGE)
