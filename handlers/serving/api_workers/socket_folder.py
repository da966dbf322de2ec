"""The private folder of the engine's Unix socket, which is removed when the server ends or is restarted."""

import os
import shutil
import socket
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from handlers.serving.listener import BACKLOG, CannotListen

if sys.platform != "win32":
    import fcntl

_PREFIX: Final = "verbatim-engine-"
_NAME: Final = "engine.sock"


def check_socket_folder() -> None:
    """Raise CannotListen if the socket cannot be created, before a model is loaded.

    Also removes the folders of servers that were killed.
    """
    _remove_stale()
    with engine_socket():
        pass


@contextmanager
def engine_socket() -> Iterator[socket.socket]:
    """Yield a listening socket in a new folder, and remove both afterwards. Raises CannotListen."""
    folder, descriptor = _new_folder()
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            path = os.path.join(folder, _NAME)
            try:
                listener.bind(path)
            except OSError as error:  # for example, a path above Linux's limit of 107 bytes
                reason = error.strerror or str(error)
                raise CannotListen(
                    f"cannot listen on {path}: {reason}; set TMPDIR to use another folder"
                ) from error
            listener.listen(BACKLOG)
            yield listener
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def _new_folder() -> tuple[str, int]:
    """Return a new folder and a file descriptor that locks it until the process ends for any reason."""
    while True:
        try:
            folder = tempfile.mkdtemp(prefix=_PREFIX)
        except OSError as error:
            raise CannotListen(f"cannot create a folder for the engine's socket: {error.strerror}") from error
        if (descriptor := _locked(folder)) is not None:
            return folder, descriptor


def _remove_stale() -> None:
    """Remove the folders of this user's servers that have been killed."""
    with suppress(OSError):
        for entry in os.scandir(tempfile.gettempdir()):
            if entry.name.startswith(_PREFIX) and (descriptor := _locked(entry.path)) is not None:
                shutil.rmtree(entry.path, ignore_errors=True)
                os.close(descriptor)


def _locked(folder: str) -> int | None:
    """Lock a folder of this user and return the file descriptor; None if a process has locked or removed it.

    Process ids could not replace the lock: another container that shares the folder has its own process ids.
    """
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            found, there = os.fstat(descriptor), os.lstat(folder)
            if found.st_uid == os.getuid() and stat.S_ISDIR(there.st_mode) and found.st_ino == there.st_ino:
                return descriptor
        except OSError:
            os.close(descriptor)
            return None
        os.close(descriptor)
    return None
