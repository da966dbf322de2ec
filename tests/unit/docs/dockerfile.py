"""The instructions of a Dockerfile, as far as ours use them."""

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple


class Instruction(NamedTuple):
    """A line such as `RUN pip install x`: its name, and the rest."""

    name: str
    text: str


def instructions(path: Path) -> list[Instruction]:
    """Return a file's instructions, each of which must be one line."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    assert not any(line.endswith("\\") for line in lines)
    return [Instruction(*line.split(maxsplit=1)) for line in lines]


def copied(found: Iterable[Instruction]) -> Iterator[tuple[str, str]]:
    """Yield what COPY instructions take from the context, and where each goes."""
    for each in found:
        if each.name == "COPY":
            *sources, target = shlex.split(each.text)
            yield from ((source, target) for source in sources)
