"""The protocol of every driver: a JSON object per line, on standard input and output. Standard library only.

    {"do": "load", "model": DIRECTORY}                            -> {"version": "..."}
    {"do": "generate", "prompts": [[TOKEN_ID]], "num_tokens": N}  -> {"steps": [[SECONDS, TOKENS]]}
    {"do": "server", "model": DIRECTORY, "port": PORT}            -> {"command": [...], "environment": {...}}

A step is a time since the request and how many tokens were new then, greedy and without an end token.
What fails is answered {"error": "..."}.
"""

import json
import os
import sys
import time
from typing import Any, NoReturn, Protocol


class NotServed(Exception):
    """The engine has no server, or this one has nothing to do with it."""


class Steps:
    """Notes when tokens came, from now on."""

    def __init__(self) -> None:
        self.measured: list[tuple[float, int]] = []
        self._started = time.perf_counter()

    def add(self, num_tokens: int) -> None:
        if num_tokens:
            self.measured.append((time.perf_counter() - self._started, num_tokens))


class Peer(Protocol):
    """An engine. `load` comes first, and once."""

    def load(self, model: str) -> str:
        """Reads a model from a directory in Hugging Face's layout, in bfloat16. Returns the version."""
        ...

    def generate(self, prompts: list[list[int]], num_tokens: int) -> list[tuple[float, int]]:
        """Runs all prompts at once; each answer has that many tokens."""
        ...

    def server(self, model: str, port: int) -> dict[str, Any]:
        """The command that serves the model under OpenAI's chat contract, and what its environment needs.

        Raises NotServed.
        """
        ...


def run(peer: Peer) -> NoReturn:
    """Answers until the input ends. What libraries print goes to standard error."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        print(json.dumps(_answer(peer, json.loads(line))), file=out)
    os._exit(0)  # what an engine still has to tidy up is nobody's concern


def _answer(peer: Peer, asked: dict[str, Any]) -> dict[str, Any]:
    try:
        match asked.pop("do"):
            case "load":
                return {"version": peer.load(**asked)}
            case "generate":
                return {"steps": peer.generate(**asked)}
            case _:
                return peer.server(**asked)
    except Exception as error:  # whatever an engine raises: the others are measured all the same
        return {"error": f"{type(error).__name__}: {error}"}
