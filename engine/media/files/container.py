"""Files of sound and moving pictures opened by FFmpeg, as none but the named formats and codecs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Final

import av
from av.audio import AudioStream
from av.codec import CodecContext
from av.container import InputContainer
from av.video import VideoStream

from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.mp4_tables import MAX_SAMPLES, num_samples

# FFmpeg's names of formats, and how their files begin. FFmpeg's own search would also find play lists and
# others that name further files.
SIGNATURES: Final[Mapping[str, re.Pattern[bytes]]] = {
    "wav": re.compile(rb"RIFF....WAVE", re.DOTALL),
    # A tag, or the first frame of MPEG audio; bits of a layer that are 0 are those of another format.
    "mp3": re.compile(rb"ID3|\xff[\xe2-\xe7\xea-\xef\xf2-\xf7\xfa-\xff]"),
    "flac": re.compile(rb"fLaC"),
    "ogg": re.compile(rb"OggS"),
    "mov": re.compile(rb"....ftyp", re.DOTALL),
    "matroska": re.compile(rb"\x1aE\xdf\xa3"),
    "avi": re.compile(rb"RIFF....AVI ", re.DOTALL),
    "asf": re.compile(rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11"),
}

NO_OPTIONS: Final[Mapping[str, str]] = {}


def use_decoder(stream: AudioStream | VideoStream, codecs: Sequence[str], what: str, reads: str) -> None:
    """Let a stream be decoded in this thread. Raises CannotDecode unless one of these codecs does it.

    what: the stream's content, such as "sound".
    """
    # FFmpeg gives a stream that it has no decoder for no context, unlike PyAV's types.
    decoder: CodecContext | None = stream.codec_context
    if decoder is None or decoder.name not in codecs:
        raise CannotDecode(f"the {what} is encoded in a way that is not read; {reads} is")
    decoder.thread_count = 1


@contextmanager
def opened(
    data: bytes,
    formats: Sequence[str],
    codecs: Sequence[str],
    reads: str,
    options: Mapping[str, str] = NO_OPTIONS,
) -> Iterator[InputContainer]:
    """Open a file, and close it at the end. What FFmpeg refuses in between raises CannotDecode.

    formats: keys of SIGNATURES. codecs: FFmpeg's names of the decoders that may run, also while it opens the
    file; a stream may name another, so look before you decode. reads: what the file should be, for clients.
    options: further ones of FFmpeg, of its formats and decoders.
    """
    found = next((name for name in formats if SIGNATURES[name].match(data)), None)
    if found is None:
        raise CannotDecode(f"the file is no {reads}")
    if found == "mov" and num_samples(data) > MAX_SAMPLES:
        raise CannotDecode(f"the file says that it has more than {MAX_SAMPLES:,} samples")
    bounds = {"codec_whitelist": ",".join(codecs), "protocol_whitelist": "none", "format_whitelist": found}
    try:
        file = BytesIO(data)
        with av.open(
            file, "r", format=found, options={**options, **bounds}, metadata_errors="replace"
        ) as container:
            yield container
    except MemoryError as error:  # FFmpeg's own too
        raise CannotDecode("the file takes too much memory to decode") from error
    except (av.FFmpegError, ValueError, OverflowError) as error:
        raise CannotDecode(f"the file is no {reads}, or is broken or cut off") from error
