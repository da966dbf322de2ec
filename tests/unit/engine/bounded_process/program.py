"""A program whose children do what a test tells them to."""

import os
import signal
import socket
import time
from pathlib import Path
from typing import Final

from engine.bounded_process.fork_server import serve_children
from engine.bounded_process.messages import receive, send

MODULE: Final = "tests.unit.engine.bounded_process.program"


def serve(channel: socket.socket, knowledge: bytes | None) -> None:
    """Do the deed whose name comes, and send what it returns."""
    name, _, argument = receive(channel).decode().partition(" ")
    match name:
        case "echo":
            result = argument.encode()
        case "know":
            result = bytes(knowledge or b"nothing")
        case "sleep":
            time.sleep(float(argument))
            result = b"awake"
        case "compute":
            while True:
                pass
        case "allocate":
            result = str(len(bytearray(int(argument)))).encode()
        case "abort":
            os.abort()
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
            return
        case "say_nothing":
            return
        case "close":
            channel.shutdown(socket.SHUT_RDWR)
            channel.close()
            time.sleep(600)
            return
        case "linger":
            send(channel, b"here")
            time.sleep(600)
            return
        case "boast":
            channel.sendall(b"\xff\xff\xff\xff")
            time.sleep(600)
            return
        case "descriptors":
            result = " ".join(sorted(os.listdir("/proc/self/fd"))).encode()
        case "status":
            result = Path("/proc/self/status").read_bytes()
        case "read":
            result = _refusal(lambda: Path(argument).read_bytes())
        case "connect":
            result = _refusal(socket.socket)
        case "write":
            result = _refusal(lambda: Path(argument).write_bytes(b"x"))
        case _:
            raise AssertionError(name)
    send(channel, result)


def _refusal(deed: object) -> bytes:
    """Return the name of the error that a deed raises; "done" if none."""
    assert callable(deed)
    try:
        deed()
    except OSError as error:
        return type(error).__name__.encode() + b" " + str(error.errno).encode()
    return b"done"


if __name__ == "__main__":
    serve_children(serve, learn=bytes)
