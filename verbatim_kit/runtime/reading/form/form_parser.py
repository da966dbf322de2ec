"""The parts of a multipart body, parsed as its bytes arrive, in memory and within bounds."""

import logging
from collections.abc import Container
from typing import Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser

from verbatim_kit.runtime.reading.form.part import MalformedForm, Part

MAX_PARTS: Final = 64
MAX_TEXT_BYTES: Final = 2**20
_MAX_PART_HEADERS: Final = 8
_MAX_HEADER_BYTES: Final = 4096

# It warns of every body that is malformed, which is the client's concern and is answered.
logging.getLogger("python_multipart.multipart").setLevel(logging.ERROR)


class FormParser:
    """A parser of one body. Nothing is kept beyond what is written to it, and no file is made.

    `parts` are those found so far, the last of which may be unfinished.
    """

    def __init__(self, boundary: bytes, files: Container[str]) -> None:
        """Begin a form. files: names of the members that are files, whose parts may be as long as the body.

        Raises MalformedForm for a boundary that is too long.
        """
        self.parts: list[Part] = []
        self._files = files
        self._headers: dict[bytes, bytes] = {}
        self._header_name = bytearray()
        self._header_value = bytearray()
        self._is_in_part = False
        self._has_ended = False
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._begin_part,
                    "on_header_field": self._add_header_name,
                    "on_header_value": self._add_header_value,
                    "on_header_end": self._end_header,
                    "on_headers_finished": self._open_part,
                    "on_part_data": self._add_data,
                    "on_part_end": self._end_part,
                    "on_end": self._end,
                },
                max_header_count=_MAX_PART_HEADERS,
                max_header_size=_MAX_HEADER_BYTES,
            )
        except FormParserError:
            raise MalformedForm("has a boundary that is too long") from None

    def write(self, chunk: bytes) -> None:
        """Parse the next bytes. Raises MalformedForm."""
        try:
            self._parser.write(chunk)
        except FormParserError:
            raise MalformedForm(self._fault()) from None

    def end(self) -> list[Part]:
        """Return all parts, after the last bytes. Raises MalformedForm if the body was cut off."""
        if self._has_ended:
            return self.parts
        if self._is_in_part and self.parts:
            raise MalformedForm("is cut off: the body ends before its closing boundary", self.parts[-1].name)
        raise MalformedForm("ends before its closing boundary")

    def _fault(self) -> str:
        if not self.parts and not self._is_in_part:
            return "does not begin with the boundary that the content type names"
        return "is not divided into parts as multipart/form-data must be"

    def _begin_part(self) -> None:
        if len(self.parts) == MAX_PARTS:
            raise MalformedForm(f"has more than {MAX_PARTS} parts", is_too_long=True)
        self._is_in_part = True
        self._headers = {}

    def _add_header_name(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _add_header_value(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _end_header(self) -> None:
        self._headers[bytes(self._header_name).lower()] = bytes(self._header_value)
        self._header_name.clear()
        self._header_value.clear()

    def _open_part(self) -> None:
        self.parts.append(Part(self._headers))

    def _add_data(self, data: bytes, start: int, end: int) -> None:
        part = self.parts[-1]
        part.content += memoryview(data)[start:end]
        if len(part.content) > MAX_TEXT_BYTES and part.name not in self._files:
            raise MalformedForm(f"must have at most {MAX_TEXT_BYTES} bytes", part.name, is_too_long=True)

    def _end_part(self) -> None:
        self._is_in_part = False

    def _end(self) -> None:
        self._has_ended = True
