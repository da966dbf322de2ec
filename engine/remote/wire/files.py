"""The files of a prompt in a request's body; no torch."""

from collections.abc import Sequence
from typing import Final

from engine.port.request import Prompt
from engine.port.token_form import file_parts

FILES: Final = "content_parts"  # the field of vLLM's token API


def with_files(body: bytes, prompt: Prompt) -> Sequence[bytes]:
    """Return a JSON object with the prompt's files as its last field, in parts, which are not joined.

    A request with many sequences sends its files once for each, and joined they would be in memory as often.
    """
    if not (files := file_parts(prompt)):
        return (body,)
    parts = [body[:-1], b',"%b":[' % FILES.encode()]
    for place, (kind, source) in enumerate(files):
        parts += [b'%b{"type":"%b","url":"' % (b"," if place else b"", kind.encode()), source, b'"}']
    return (*parts, b"]}")
