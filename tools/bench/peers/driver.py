"""The protocol of the drivers: one JSON object per line on standard input and output. Standard library only.

    {"do": "load", "model": DIRECTORY}                            -> {"version": "..."}
    {"do": "generate", "prompts": [[TOKEN_ID]], "num_tokens": N}  -> {"steps": [[SECONDS, TOKENS]]}
    {"do": "server", "model": DIRECTORY, "port": PORT}            -> {"command": [...], "environment": {...}}

A step is the time since the request and the number of new tokens; decoding is greedy, without an end token.
The answer to a failed request is {"error": "..."}.
"""

import json
import os
import sys
import time
from typing import Any, NoReturn, Protocol


class NotServed(Exception):
    """The engine has no server that could be compared."""


class Steps:
    """A recorder of the times of tokens, relative to its creation."""

    def __init__(self) -> None:
        self.measured: list[tuple[float, int]] = []
        self._started = time.perf_counter()

    def add(self, num_tokens: int) -> None:
        if num_tokens:
            self.measured.append((time.perf_counter() - self._started, num_tokens))


class Peer(Protocol):
    """An engine. `load` is called first, and once."""

    def load(self, model: str) -> str:
        """Load a model in bfloat16 from a directory in Hugging Face's layout; return the engine's version."""
        ...

    def generate(self, prompts: list[list[int]], num_tokens: int) -> list[tuple[float, int]]:
        """Run all prompts in parallel; each answer has `num_tokens`."""
        ...

    def server(self, model: str, port: int) -> dict[str, Any]:
        """Return the command that serves the model with OpenAI's chat API, and its environment variables.

        Raises NotServed.
        """
        ...


def run(peer: Peer) -> NoReturn:
    """Answer requests until the input ends. Output of libraries is redirected to standard error."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        print(json.dumps(_answer(peer, json.loads(line))), file=out)
    os._exit(0)  # without the engine's cleanup


def _answer(peer: Peer, asked: dict[str, Any]) -> dict[str, Any]:
    try:
        match asked.pop("do"):
            case "load":
                return {"version": peer.load(**asked)}
            case "generate":
                return {"steps": peer.generate(**asked)}
            case _:
                return peer.server(**asked)
    except Exception as error:  # any exception of an engine; the others are still measured
        return {"error": f"{type(error).__name__}: {error}"}
