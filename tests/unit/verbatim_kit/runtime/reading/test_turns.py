"""Long bodies, many at once: no turn of the event loop computes for as long as one of them takes to read.

Its thread's processor time is measured, so that other work on the machine does not count.
"""

import asyncio
import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Final

from starlette.types import Message, Scope

from tests.support.clocks.loop_time import timed_loop
from tests.unit.verbatim_kit.runtime.notes import Note, NoteHandlers
from tests.unit.verbatim_kit.runtime.reading.form.recordings import Recording, RecordingHandlers
from verbatim_kit.runtime.reading.request_reader import RequestReader
from verbatim_kit.runtime.runtime_options import RuntimeOptions

_NUM_BODIES: Final = 6
_MAX_BYTES: Final = 30_000_000
_OPTIONS: Final = RuntimeOptions(max_body_bytes=_MAX_BYTES, max_upload_bytes=_MAX_BYTES)
_PIECE_BYTES: Final = 262_144  # as uvloop reads them
_CONTENT: Final = bytes(range(256)) * 60_000  # 15 MB
_MAX_TURN_S: Final = 0.1  # at a load of 12, a loop that reads them itself took 0.23 s, and this one 0.025 s


class _Body:
    """A body that arrives in pieces."""

    def __init__(self, raw: bytes) -> None:
        self._pieces: Iterator[bytes] = (
            raw[start : start + _PIECE_BYTES] for start in range(0, len(raw), _PIECE_BYTES)
        )

    async def receive(self) -> Message:
        """Return the next piece once the loop has had a turn; at the end there is an empty one."""
        await asyncio.sleep(0)
        piece = next(self._pieces, b"")
        return {"type": "http.request", "body": piece, "more_body": bool(piece)}


async def _read_at_once(reader: RequestReader, content_type: bytes, raw: bytes) -> tuple[list[object], float]:
    """Return the bodies, and the longest turn of the loop while they were read."""
    scope: Scope = {"type": "http", "headers": [(b"content-type", content_type)]}
    async with timed_loop() as loop_time:
        found = await asyncio.gather(
            *(reader.read_body(scope, _Body(raw).receive, lambda: None, set()) for _ in range(_NUM_BODIES))
        )
    return [arguments["body"] for arguments in found], loop_time.longest_s


async def test_no_turn_of_the_loop_parses_long_bodies() -> None:
    raw = json.dumps({"text": b64encode(_CONTENT).decode()}).encode()
    reader = RequestReader(NoteHandlers.table[0], _OPTIONS)
    bodies, longest_s = await _read_at_once(reader, b"application/json", raw)
    assert all(isinstance(body, Note) for body in bodies)
    assert longest_s < _MAX_TURN_S


async def test_no_turn_of_the_loop_copies_long_files() -> None:
    head = b'--x\r\ncontent-disposition: form-data; name="sound"; filename="a"\r\n\r\n'
    raw = head + _CONTENT + b"\r\n--x--\r\n"
    reader = RequestReader(RecordingHandlers.table[0], _OPTIONS)
    bodies, longest_s = await _read_at_once(reader, b"multipart/form-data; boundary=x", raw)
    assert all(isinstance(body, Recording) and body.sound.content == _CONTENT for body in bodies)
    assert longest_s < _MAX_TURN_S
