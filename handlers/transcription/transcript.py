"""The neutral request and answer of a transcription, before any contract gives them a form."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from handlers.active_requests.active_request import ActiveRequest
from handlers.transcription.chunks import PauseRules


@dataclass(frozen=True, kw_only=True)
class TranscriptionRequest:
    """One sound to write down.

    audio: the file as it came, encoded. language: its code, such as "en", or its English name, in any case;
    None: it is detected in the first window.
    prompt: a text that the sound follows, in whose spelling and style the transcript goes on.
    temperature: 0: each window is decoded greedily, and again at higher temperatures while the result is
        repetitive or unlikely; any other is the only one. seed: of the draws; None draws one.
    pauses: how the sound is divided in pauses of speech; None: only by the model's windows.
    words: whether the times of words are wanted. segments: whether those of segments are; long audio has
        segments anyway, since each window begins where the last segment of the one before ends.
    logprobs: whether the log-probabilities of the text's tokens are.
    translate: whether the text is to be English, whatever is spoken.
    """

    audio: bytes
    language: str | None = None
    prompt: str | None = None
    temperature: float = 0.0
    seed: int | None = None
    pauses: PauseRules | None = None
    words: bool = False
    segments: bool = False
    logprobs: bool = False
    translate: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its times in seconds. text: without blanks around it."""

    text: str
    start: float
    end: float


class ScoredToken(NamedTuple):
    """A token of a text. bytes: those that it adds, in UTF-8. logprob: its log-probability after the model's
    own rules, before the temperature.
    """

    bytes: bytes
    logprob: float


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a transcript that the model ended by a time.

    id: its index. start, end: seconds. text: as the tokens have it, usually with a blank before it.
    token_ids: those of the text and of the times around it.
    temperature, avg_logprob, compression_ratio, no_speech_prob: of the window that the segment is in. The
        second is the mean log-probability of its tokens, the third the length of its text in UTF-8 over that
        by zlib, the fourth the probability that nobody speaks.
    """

    id: int
    start: float
    end: float
    text: str
    token_ids: tuple[int, ...]
    temperature: float
    avg_logprob: float
    compression_ratio: float
    no_speech_prob: float


@dataclass(frozen=True, slots=True)
class TranscriptUsage:
    """The cost of a transcript.

    seconds: of sound. num_prompt_tokens, num_output_tokens: of all windows, repeated ones included.
    """

    seconds: float
    num_prompt_tokens: int
    num_output_tokens: int


@dataclass(frozen=True, slots=True)
class Transcript:
    """The text that was said.

    text: without blanks around it. language: its code, such as "en"; of a model of one language, that one's.
    duration: of the sound in seconds. segments, words, tokens: () unless they were asked for; the joined
    bytes of the tokens are the text, with blanks around it.
    """

    text: str
    language: str
    duration: float
    segments: tuple[Segment, ...]
    words: tuple[Word, ...]
    usage: TranscriptUsage
    tokens: tuple[ScoredToken, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next part of a transcript's text; all of them joined are `Transcript.text`.

    tokens: its part of `Transcript.tokens`.
    """

    text: str
    tokens: tuple[ScoredToken, ...] = ()


TranscriptEvent: TypeAlias = TextDelta | Transcript


class Transcribes(Protocol):
    """The interface of `handlers/transcription/transcriber.py`, over an engine whose model transcribes.

    Both methods raise, before anything is answered, `Refused`, which names the request's field (`language`,
    `prompt`, `words`, `translate`), `InvalidMedia` for a file that is no sound or too long a one, and
    Overloaded; then and later what `ActiveRequest.run` raises.
    """

    async def transcribe(self, active: ActiveRequest, request: TranscriptionRequest) -> Transcript:
        """Return the whole transcript. Cancelling the task ends it in the engine."""
        ...

    def stream(
        self, active: ActiveRequest, request: TranscriptionRequest
    ) -> AsyncGenerator[TranscriptEvent, None]:
        """Yield the text as segments are certain, then the transcript. Closing it ends it in the engine."""
        ...
