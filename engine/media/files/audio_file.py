"""Sound decoded from files that strangers send, within bounds."""

from collections.abc import Iterator
from typing import Final

import av
import numpy as np
from av.audio import AudioStream
from av.container import InputContainer
from numpy.typing import NDArray

from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.container import opened, use_decoder

FORMATS: Final = ("wav", "mp3", "flac", "ogg", "mov", "matroska")
CODECS: Final = (
    *("pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_alaw", "pcm_mulaw"),
    *("mp3float", "flac", "vorbis", "opus", "aac", "alac"),
)
READS: Final = "sound of WAV, MP3, FLAC, Ogg, M4A or WebM"
MAX_CHANNELS: Final = 8
# Samples of a second. Below, no word could be understood; above, decoding costs more than the sound tells.
MIN_RATE: Final = 4_000
MAX_RATE: Final = 192_000

# Full scale is 1. Some files hold 16-bit numbers as floats; of far larger ones no spectrum can be computed.
MAX_AMPLITUDE: Final = 2.0**20

_Samples = NDArray[np.float32]


def audio_parts(data: bytes, sampling_rate: int, max_seconds: float) -> Iterator[_Samples]:
    """Yield the sound in a file in parts of float32 [num_samples], the mean of its channels.

    sampling_rate: samples of a second of the result. max_seconds: where a longer sound is refused; what the
    file says of its own length is not believed. Where the format allows it, a file that ends early gives what
    it holds, since programs that stream sound write a length before they know it. Raises CannotDecode.
    """
    max_samples = int(max_seconds * sampling_rate)
    num_samples = 0
    with opened(data, FORMATS, CODECS, READS) as container:
        for part in _resampled(container, _audio(container), sampling_rate):
            num_samples += len(part)
            if num_samples > max_samples:
                raise CannotDecode(f"the sound takes more than {max_seconds:g} seconds")
            yield part
    if num_samples == 0:
        raise CannotDecode(f"the file holds no {READS}")


def _audio(container: InputContainer) -> AudioStream:
    """Return the first stream of sound, whose decoder runs in this thread."""
    if not container.streams.audio:
        raise CannotDecode(f"the file holds no {READS}")
    stream = container.streams.audio[0]
    use_decoder(stream, CODECS, "sound", READS)
    return stream


def _resampled(container: InputContainer, stream: AudioStream, sampling_rate: int) -> Iterator[_Samples]:
    """Yield the samples of a stream at another rate, some at a time.

    The channels are joined after it, since FFmpeg would add those of stereo up to more than 1.
    """
    resampler = av.AudioResampler(format="fltp", rate=sampling_rate)
    for frame in container.decode(stream):
        if not MIN_RATE <= frame.sample_rate <= MAX_RATE:
            raise CannotDecode(
                f"the sound has {frame.sample_rate} samples a second; {MIN_RATE} to {MAX_RATE} can be read"
            )
        if frame.layout.nb_channels > MAX_CHANNELS:
            raise CannotDecode(
                f"the sound has {frame.layout.nb_channels} channels; {MAX_CHANNELS} are the most"
            )
        yield from map(_joined, resampler.resample(frame))
    yield from map(_joined, resampler.resample(None))


def _joined(part: av.AudioFrame) -> _Samples:
    """Return the mean of the channels."""
    channels = part.to_ndarray()
    if not (np.abs(channels) <= MAX_AMPLITUDE).all():  # NaN is neither larger nor smaller
        raise CannotDecode(
            f"the sound has samples that are not numbers, or are larger than {MAX_AMPLITUDE:,.0f}"
        )
    mean: _Samples = channels.mean(axis=0, dtype=np.float32)
    return mean
