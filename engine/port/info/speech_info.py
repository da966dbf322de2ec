"""The facts about a model that transcribes, and the reader of audio for it; no torch."""

from typing import TYPE_CHECKING, Protocol

import msgspec

from engine.port.request import Media

if TYPE_CHECKING:  # which programs without a server need not import
    import numpy as np
    from numpy.typing import NDArray

# Of one timestamp token (Radford et al. 2022, section 2.3).
SECONDS_PER_TIMESTAMP = 0.02
# The language of models that have no tokens for languages.
ENGLISH = "en"
# `model_type` of the configurations of models that transcribe.
SPEECH_MODEL_TYPES = ("whisper",)


class SpeechInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The audio that a model takes, and the tokens by which it is asked and answers.

    sampling_rate: samples a second. frames_per_second: of its features; num_bands: numbers in each.
        window_frames: those that it hears at once. num_positions: most tokens of a prompt and its output.
    end_id: ends a transcript; tokens before it are text. start_id, previous_id: begin a transcript, and the
        text before it. no_speech_id: stands for a window in which nobody speaks. no_timestamps_id: asks for
        none; timestamps have the ids after it.
    languages: the token of each by its code, such as "en"; {} of a model of English only. language_names:
        the codes by English names in lower case, such as "english".
    transcribe_id, translate_id: ask for the text as it is spoken, or in English; None of such a model.
    banned_ids: tokens that never come, first_banned_ids: that do not come first, such as a blank.
    max_initial_timestamp: the most of the first one, in steps; None if it may be any.
    alignment_heads: the layers and heads that attend to what is spoken at the time; () where none are known.
    median_width: frames over which their weights are smoothed.
    """

    sampling_rate: int
    frames_per_second: int
    num_bands: int
    window_frames: int
    num_positions: int
    end_id: int
    start_id: int
    previous_id: int | None
    no_speech_id: int
    no_timestamps_id: int
    languages: dict[str, int]
    language_names: dict[str, str]
    transcribe_id: int | None
    translate_id: int | None
    banned_ids: tuple[int, ...] = ()
    first_banned_ids: tuple[int, ...] = ()
    max_initial_timestamp: int | None = None
    alignment_heads: tuple[tuple[int, int], ...] = ()
    median_width: int = 7

    @property
    def first_timestamp_id(self) -> int:
        """The token of the time 0."""
        return self.no_timestamps_id + 1

    @property
    def frames_per_timestamp(self) -> int:
        """The features between two timestamps."""
        return round(self.frames_per_second * SECONDS_PER_TIMESTAMP)

    @property
    def window_s(self) -> float:
        """The seconds that the model hears at once."""
        return self.window_frames / self.frames_per_second


class Audio(Protocol):
    """The features of a whole sound.

    num_frames: of its features. duration: in seconds.
    """

    @property
    def num_frames(self) -> int: ...

    @property
    def duration(self) -> float: ...

    def window(self, start: int, end: int) -> Media:
        """Return the medium of a prompt that hears the sound between these frames, as much as is heard at
        once."""
        ...

    def levels(self) -> "NDArray[np.float32]":
        """Return the loudness of each frame in decibels, [num_frames], against a level of its own."""
        ...


class SpeechReader(Protocol):
    """Turns files into what a model hears. Its methods compute, so they are called in worker threads."""

    @property
    def info(self) -> SpeechInfo:
        """The facts about the model."""
        ...

    def read(self, data: bytes, max_seconds: float) -> Audio:
        """Return the sound in a file. Raises InvalidMedia for one that cannot be read or that is longer."""
        ...

    def token_times(self, weights: "NDArray[np.float32]") -> tuple[float, ...]:
        """Return when each token begins, in seconds from the start of its window.

        weights: of the alignment heads, [num_heads, num_tokens, num_positions of sound that is there].
        """
        ...
