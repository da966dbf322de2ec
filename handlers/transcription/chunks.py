"""The chunks into which a sound is divided before it is written down, in the pauses of speech; pure."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:  # a front of texts has no NumPy
    import numpy as np
    from numpy.typing import NDArray

# Decibels above the quietest tenth of a sound from which on a frame counts among those of which the loudest
# level is taken, so that long silences do not lower it.
_LEAST_RISE: Final = 6.0
# Decibels from the quietest level to the loudest, at least, so that a sound without pauses stays whole.
_LEAST_RANGE: Final = 30.0
_QUIETEST, _LOUDEST = 10, 95  # percent of the frames
# Seconds that a chunk lasts at least, where the sound does: a transcript has parts of whole timestamps.
_SHORTEST: Final = 0.1


class PauseRules(NamedTuple):
    """The rules of what is a pause, with OpenAI's defaults for voice activity detection by a server.

    threshold: how loud speech is, from 0, as the quietest parts of the sound, to 1, as the loudest.
    prefix_padding_ms: sound before speech that belongs to it. silence_duration_ms: silence after which it has
    ended; that much of it belongs to it, too.
    """

    threshold: float = 0.5
    prefix_padding_ms: int = 300
    silence_duration_ms: int = 200


class Chunk(NamedTuple):
    """The frames `start` to `end` of a sound."""

    start: int
    end: int


def speech_chunks(
    levels: "NDArray[np.float32]", rules: PauseRules, frames_per_second: int, window_frames: int
) -> list[Chunk]:
    """Return the chunks of a sound, in order, of which none overlaps another.

    levels: the loudness of each frame in decibels, [num_frames], at least one. window_frames: those that a
    model hears at once. Stretches of speech that it hears at once, with the pauses between them, are one
    chunk; a stretch that is longer is one by itself. Where all is about as loud, that is the whole sound.
    """
    chunks: list[Chunk] = []
    for stretch in _stretches(levels, rules, frames_per_second):
        if chunks and stretch.end - chunks[-1].start <= window_frames:
            chunks[-1] = Chunk(chunks[-1].start, stretch.end)
        else:
            chunks.append(stretch)
    return chunks


def _stretches(levels: "NDArray[np.float32]", rules: PauseRules, frames_per_second: int) -> Iterator[Chunk]:
    """Yield the stretches of speech with what belongs to them."""
    import numpy as np

    padding = rules.prefix_padding_ms * frames_per_second // 1000
    silence = rules.silence_duration_ms * frames_per_second // 1000
    shortest = round(_SHORTEST * frames_per_second)
    loud = np.flatnonzero(levels >= _least_level(levels, rules.threshold))
    # Between neighbours that are further apart, there is silence for so many frames.
    breaks = np.flatnonzero(np.diff(loud) > max(silence, 1))
    firsts, lasts = loud[[0, *(breaks + 1)]], loud[[*breaks, -1]]
    end = 0
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        start = max(first - padding, end)
        end = min(max(last + 1 + silence, start + shortest), len(levels))
        if end > start:  # none that the one before has taken in
            yield Chunk(start, end)


def _least_level(levels: "NDArray[np.float32]", threshold: float) -> float:
    """Return the level in decibels from which on a frame is speech; that of the loudest frame at most."""
    import numpy as np

    quietest = float(np.percentile(levels, _QUIETEST))
    rising = levels[levels >= quietest + _LEAST_RISE]
    loudest = float(np.percentile(rising if len(rising) else levels, _LOUDEST))
    quietest = min(quietest, loudest - _LEAST_RANGE)
    return min(quietest + threshold * (loudest - quietest), float(levels.max()))
