"""One part of a multipart body, and the error of a body that is malformed."""

from typing import Final

from python_multipart.multipart import parse_options_header

# Other encodings are deprecated (RFC 7578, section 4.7), and to take one for the bytes would misread it.
_PLAIN_ENCODINGS: Final = (b"", b"7bit", b"8bit", b"binary")


class MalformedForm(Exception):
    """A body is not well-formed, or has more or larger parts than a request may have.

    field: the member at fault, which the message is then a predicate of; empty for the body.
    is_too_long: whether the body is well-formed, and only too large.
    """

    def __init__(self, message: str, field: str = "", *, is_too_long: bool = False) -> None:
        super().__init__(message)
        self.field = field
        self.is_too_long = is_too_long


class Part:
    """One part while its bytes arrive.

    name: the member that it is of. filename: None where the part does not say that it is a file.
    """

    def __init__(self, headers: dict[bytes, bytes]) -> None:
        """Read the head of a part. headers: values by names in lower case. Raises MalformedForm."""
        disposition, parameters = parse_options_header(headers.get(b"content-disposition"))
        if disposition != b"form-data" or not parameters.get(b"name"):
            raise MalformedForm("has a part without a name")
        self.name = _text(parameters[b"name"])
        filename = parameters.get(b"filename")
        self.filename = None if filename is None else _text(filename)
        self.content_type = headers.get(b"content-type", b"").decode("latin-1")
        self.content = bytearray()
        if headers.get(b"content-transfer-encoding", b"").lower() not in _PLAIN_ENCODINGS:
            raise MalformedForm("must not have a content-transfer-encoding", self.name)


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise MalformedForm("has a part whose name is not UTF-8") from None
