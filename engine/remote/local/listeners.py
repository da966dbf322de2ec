"""The processes of this machine that listen where a URL points; only on Linux; no torch."""

import socket
from contextlib import suppress
from pathlib import Path
from typing import Final

from yarl import URL

_PROC: Final = Path("/proc")
_LISTENING: Final = "0A"  # the kernel's TCP_LISTEN
_LOCAL_ADDRESS, _STATE, _INODE = 1, 3, 9  # columns of /proc/net/tcp


def listening_processes(url: str) -> list[int]:
    """Return the ids of the processes that listen at a URL's port, if its host is this machine.

    Several do where a server's processes share one socket. A process of another user or another container is
    not seen. Blocks while it resolves the host and looks through the files that processes have open.
    """
    parts = URL(url)
    assert parts.port is not None, "it has a scheme"
    sockets = {f"socket:[{inode}]" for inode in _listening_inodes(parts.port)}
    if not sockets or not _is_own(parts.host):
        return []
    return [int(process.name) for process in _PROC.glob("[0-9]*") if _holds_any(process, sockets)]


def _is_own(host: str | None) -> bool:
    """Return whether one of a host's addresses is this machine's: nobody else's can be bound."""
    with suppress(OSError, UnicodeError):
        for family, _, _, _, address in socket.getaddrinfo(host, 0, type=socket.SOCK_DGRAM):
            with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as trial:
                trial.bind(address)
                return True
    return False


def _listening_inodes(port: int) -> set[str]:
    found = set()
    for table in ("tcp", "tcp6"):
        with suppress(OSError):  # a kernel without IPv6
            for line in (_PROC / "net" / table).read_text().splitlines()[1:]:
                columns = line.split()
                if columns[_STATE] == _LISTENING and columns[_LOCAL_ADDRESS].endswith(f":{port:04X}"):
                    found.add(columns[_INODE])
    return found


def _holds_any(process: Path, sockets: set[str]) -> bool:
    with suppress(OSError):  # it has ended, or is another user's
        for descriptor in (process / "fd").iterdir():
            with suppress(OSError):  # closed meanwhile
                if str(descriptor.readlink()) in sockets:
                    return True
    return False
