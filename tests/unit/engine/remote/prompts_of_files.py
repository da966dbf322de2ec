"""The tokens that a model's processor makes of files; no torch."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from transformers import AutoConfig

from engine.config import MediaLimits
from engine.media.loading import load_processor
from engine.media.process.client import SHARED
from engine.media.process.messages import Outcome, Task, encode_message
from engine.media.processor import PromptMediaProcessor
from engine.port.errors import InvalidMedia
from engine.port.media_item import MediaItem
from engine.port.request import MediaKind
from engine.port.text.tokenizer import Tokenizer
from tests.support.samples.sounds import encoded, sound_bytes, tone
from tests.support.samples.videos import video_bytes

_LIMITS: Final = MediaLimits()
# Sounds of part of a frame, a window and more than one, and videos of other lengths, rates and sizes.
FILES: Final[Mapping[MediaKind, tuple[bytes, ...]]] = {
    MediaKind.AUDIO: (
        *(sound_bytes(seconds) for seconds in (0.06, 0.3, 0.9999, 1.0, 1.7031, 2.0, 2.01, 4.3, 31.7)),
        encoded(tone(1.1, rate=44_100), rate=44_100, codec="flac", format="flac"),
        b"hello",
    ),
    MediaKind.VIDEO: (
        *(video_bytes(num_frames, 32, 32) for num_frames in (1, 2, 3, 5, 8)),
        video_bytes(40, 48, 30, rate=25),
        video_bytes(9, 30, 64, rate=1, codec="mjpeg", format="matroska"),
        b"hello",
    ),
}


def processor_of(directory: Path, *, keeps_arrays: bool) -> tuple[PromptMediaProcessor, Tokenizer]:
    config: Any = AutoConfig.from_pretrained(directory)
    tokenizer = Tokenizer.from_directory(
        directory,
        vocab_size=config.get_text_config().vocab_size,
        end_token_ids=(),
        trust_remote_code=False,
        as_written=False,
    )
    lines: list[str] = []
    processor = load_processor(
        directory,
        config,
        tokenizer,
        max_cached_bytes=0,
        limits=_LIMITS,
        on_progress=lines.append,
        keeps_arrays=keeps_arrays,
    )
    assert processor is not None and unexpected(lines) == [], lines
    return processor, tokenizer


def unexpected(lines: list[str]) -> list[str]:
    """Return what a start should not say of tiny models; Gemma 4's that hears has no token of videos."""
    known = (
        "media are decoded in",
        "note: videos cannot be read: the tokenizer has no token <|video|>",
    )
    return [line for line in lines if not line.startswith(known)]


@contextmanager
def decoded_once() -> Iterator[None]:
    """Keep what the decoders make of a file, which families ask for alike, within the block."""
    known = dict[tuple[bytes, bytes, int], tuple[bytes, Outcome]]()
    decode = SHARED._run

    def run(task: Task, data: bytes, max_result: int) -> tuple[bytearray, Outcome]:
        key = encode_message(task), data, max_result
        if key not in known:
            parts, outcome = decode(task, data, max_result)
            known[key] = bytes(parts), outcome
        parts_again, outcome = known[key]
        return bytearray(parts_again), outcome

    SHARED._run = run  # type: ignore[method-assign]
    try:
        yield
    finally:
        SHARED._run = decode  # type: ignore[method-assign]


def token_ids_of(directory: Path, *, keeps_arrays: bool = False) -> list[list[int] | str]:
    """Return the tokens of a prompt for each file, or why it is refused."""
    processor, tokenizer = processor_of(directory, keeps_arrays=keeps_arrays)
    found: list[list[int] | str] = []
    for kind in (kind for kind in FILES if kind in processor.kinds):
        ids = tokenizer.encode(f"of {processor.placeholder(kind)} what?")
        for data in FILES[kind]:
            try:
                found.append(list(processor.expand(ids, [MediaItem(kind, data)]).token_ids))
            except InvalidMedia as error:
                found.append(error.reason)
    return found
