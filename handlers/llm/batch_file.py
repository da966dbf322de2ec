"""A file of requests, which are answered in this process into another file."""

import asyncio
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Final, NamedTuple

import httpx
import orjson
from tqdm import tqdm

from engine.port.errors import EngineStopped
from handlers.batches.kind import Reply
from handlers.batches.line_requests import answered
from handlers.contracts.openai.batches.lines import Line, LineReader, answer_line
from handlers.llm.running_app import running_app
from handlers.settings.settings import Settings

_PIECE_BYTES: Final = 1_000_000


class InvalidBatchFile(ValueError):
    """A file has lines that are no requests, or no answers. The message has a line for each."""


class BatchFile(NamedTuple):
    """A file of requests, and the file that gets the answers.

    num_lines: its requests. done: the names of those that have an answer, by an earlier run.
    """

    source: Path
    target: Path
    max_line_bytes: int
    num_lines: int
    done: frozenset[str]

    @classmethod
    def opened(cls, source: Path, target: Path, max_line_bytes: int) -> "BatchFile":
        """Return the file when all its lines are checked. Raises InvalidBatchFile and OSError."""
        reader = LineReader(None, max_line_bytes, max_lines=None)
        num_lines = sum(1 for _ in _lines(reader, source))
        if reader.errors:
            said = [f"{source}, line {fault['line'] or 1}: {fault['message']}" for fault in reader.errors]
            raise InvalidBatchFile("\n".join(said))
        return cls(source, target, max_line_bytes, num_lines, _done(target))

    async def answer(self, settings: Settings) -> int:
        """Add the answers to the other lines as they come, and return how many of them are errors.

        Raises the errors of the engine's start, and EngineStopped if it ends.
        """
        num_failed = 0
        free = asyncio.Semaphore(settings.max_concurrent_requests)

        async def answer(client: httpx.AsyncClient, line: Line) -> None:
            nonlocal num_failed
            try:
                reply = await answered(partial(_ask, client, line), partial(_check_fit, client))
                num_failed += reply.status >= 300
                _write(output, answer_line(line.task.name, reply))
                bar.update(1)
            finally:
                free.release()

        async with running_app(settings) as client:
            with (
                tqdm(total=self.num_lines, initial=len(self.done), unit="line", file=sys.stderr) as bar,
                self.target.open("ab") as output,
            ):
                try:
                    async with asyncio.TaskGroup() as group:
                        for line in _lines(
                            LineReader(None, self.max_line_bytes, max_lines=None), self.source
                        ):
                            if line.task.name not in self.done:
                                await free.acquire()
                                group.create_task(answer(client, line))
                except* EngineStopped as stopped:
                    raise stopped.exceptions[0] from None
        return num_failed


async def _ask(client: httpx.AsyncClient, line: Line) -> Reply:
    headers = {"content-type": "application/json"}
    response = await client.post(line.url.removeprefix("/v1"), content=line.task.request, headers=headers)
    return Reply(response.status_code, response.headers.get("x-request-id", ""), response.content)


async def _check_fit(client: httpx.AsyncClient) -> bool:
    """Return True. Raises EngineStopped if the engine can answer no more."""
    if not (await client.get("http://localhost/ready")).is_success:
        raise EngineStopped
    return True


def _write(output: IO[bytes], line: bytes) -> None:
    output.write(line)
    output.flush()


def _lines(reader: LineReader, path: Path) -> Iterator[Line]:
    """Yield the requests in a file."""
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            yield from reader.feed(piece)
    yield from reader.end()


def _done(path: Path) -> frozenset[str]:
    """Return the names of the lines that an output has, after a last one that is not whole is cut off."""
    if not path.exists():
        return frozenset()
    names: set[str] = set()
    end = 0
    with path.open("rb+") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break
            names.add(_name(line, path, number))
            end += len(line)
        file.truncate(end)
    return frozenset(names)


def _name(line: bytes, path: Path, number: int) -> str:
    try:
        name = orjson.loads(line)["custom_id"]
    except (ValueError, TypeError, KeyError):
        name = None
    if not isinstance(name, str):
        raise InvalidBatchFile(
            f"{path}, line {number}: it is no answer of a batch; nothing is added to the file"
        )
    return name
