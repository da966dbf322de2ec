"""Files in messages, which become text."""

from typing import Protocol

from handlers.chat.messages import FilePart
from handlers.media.data_url import data_url, is_data_url
from verbatim_kit.errors import Refused, Violation


class SentFile(Protocol):
    """A file of the wire: its id, or its content in base64, with a data URL's head or without."""

    @property
    def file_id(self) -> str | None: ...

    @property
    def file_data(self) -> str | None: ...

    @property
    def filename(self) -> str | None: ...


def file_part(file: SentFile, url: str | None, field: str) -> FilePart:
    """Return the file's part. url: the URL of a file that has to be fetched.

    Raises Refused for a file that is only named by its id, or not at all.
    """
    if file.file_data is not None:
        is_url = is_data_url(file.file_data)
        return FilePart(file.file_data if is_url else data_url(file.file_data), file.filename)
    if url is not None:
        return FilePart(url, file.filename)
    if file.file_id is not None:
        reason = "A message cannot refer to a stored file; send its content in 'file_data'."
        raise Refused(reason, f"{field}.file_id", Violation.UNSUPPORTED_VALUE)
    raise Refused("A file needs its content in 'file_data'.", f"{field}.file_data", Violation.MISSING)
