"""Files of the server's own disk that requests may name."""

import os
from typing import Final
from urllib.parse import unquote, urlsplit

from engine.whole_file import open_regular
from handlers.media.budget import Budget, CannotRead

SCHEME: Final = "file:"
# A link that replaces the file after its path was resolved is not followed.
_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


class LocalFiles:
    """The files below one directory. What is not there and what is not below it are refused alike."""

    def __init__(self, root: str | None) -> None:
        """Resolve the root. root: the folder whose files may be read; None allows no file."""
        self._root = None if root is None else os.path.realpath(root)

    def read(self, source: str, budget: Budget) -> bytes:
        """Return the content of the file that a URL names. It blocks. Raises CannotRead."""
        if self._root is None:
            raise CannotRead("this server reads no files of its own; send the content as a data URL")
        try:
            descriptor = open_regular(self._path(source, self._root), _FLAGS)
        except (OSError, ValueError) as error:
            raise _not_there() from error
        with open(descriptor, "rb") as file:
            num_bytes = os.fstat(descriptor).st_size
            budget.take(num_bytes)
            return file.read(num_bytes)

    def _path(self, source: str, root: str) -> str:
        """Return the real path. Raises CannotRead unless it is below the root, ValueError for no path."""
        url = urlsplit(source)
        if url.netloc not in ("", "localhost") or not url.path.startswith("/"):
            raise CannotRead("a file's URL is file:// and an absolute path")
        path = os.path.realpath(unquote(url.path, errors="strict"))
        if not path.startswith(os.path.join(root, "")):
            raise _not_there()
        return path


def _not_there() -> CannotRead:
    return CannotRead("there is no such file below this server's media root")
