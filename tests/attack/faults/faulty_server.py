"""`verbatim serve` with a fault in it: `python -m tests.attack.faults.faulty_server FAULT [option ...]`.

Faults are put into the served process from here, so that the server itself has no door for tests. With
`factory` before the fault it is uvicorn that serves, as in `uvicorn handlers.app:create_app --factory`.
"""

import ctypes
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final
from unittest.mock import patch

import torch
import uvicorn

from engine.attention.batch import Batch
from engine.engine_thread.engine_thread import EngineThread
from engine.grammar.compiler import GrammarCompiler
from engine.model.runner import ModelRunner
from engine.port.text.tokenizer import Tokenizer
from handlers.cli import main

HAS_BEGUN: Final = "the fault has begun"  # the line of output of a fault that no signal begins
_LONG_TEXT: Final = 2000  # characters; a text as long is encoded in a thread
_FOREVER_S: Final = 10_000
_STEP_S: Final = (
    0.05  # that a step takes at least before its fault, so that no stream ends until all have begun
)
_is_time = threading.Event()  # for the faults of steps; others begin at once


def step_without_end() -> None:
    """A step that ends neither in Python nor in the kernel; it does not hold the interpreter's lock."""
    _spoil_steps(lambda _: time.sleep(_FOREVER_S))


def step_holding_the_lock() -> None:
    """A step in C that holds the interpreter's lock after three seconds: no Python runs from then on."""

    def hold(_: torch.Tensor) -> None:
        time.sleep(3.0)
        ctypes.PyDLL(None).sleep(_FOREVER_S)

    _spoil_steps(hold)


def death() -> None:
    """An exception that ends the thread, as a panic of a library in Rust is one."""
    step = EngineThread._read_inbox

    def read(self: EngineThread) -> bool:
        is_going = step(self)
        if _is_time.is_set():
            raise SystemExit("panic in /srv/secret at 0x7f00deadbeef")
        return is_going

    patch.object(EngineThread, "_read_inbox", read).start()
    _spoil_steps(lambda _: None)


def nan() -> None:
    """Logits of NaN."""
    _spoil_steps(lambda logits: logits.fill_(torch.nan))


def failing_step() -> None:
    """An exception of the model's code that names a path and an address."""

    def fail(_: torch.Tensor) -> None:
        raise RuntimeError("CUDA error in /srv/secret/kernel.cu at 0x7f00deadbeef")

    _spoil_steps(fail)


def compile_without_end() -> None:
    """A grammar that compiles for ever."""

    def hang(*_: object) -> None:
        _say_begun()
        time.sleep(_FOREVER_S)

    patch.object(GrammarCompiler, "compile", hang).start()


def tokenizer_without_end() -> None:
    """A long text that is encoded for ever, in a thread of C code."""
    encode = Tokenizer.encode

    def hang(self: Tokenizer, text: str, **options: Any) -> list[int]:
        if len(text) > _LONG_TEXT:
            _say_begun()
            ctypes.CDLL(None).sleep(_FOREVER_S)
        return encode(self, text, **options)

    patch.object(Tokenizer, "encode", hang).start()


def healthy() -> None:
    """No fault."""


FAULTS: Final[dict[str, Callable[[], None]]] = {
    fault.__name__: fault
    for fault in (
        step_without_end,
        step_holding_the_lock,
        death,
        nan,
        failing_step,
        compile_without_end,
        tokenizer_without_end,
        healthy,
    )
}


def _say_begun() -> None:
    print(HAS_BEGUN, flush=True)


def _spoil_steps(spoil: Callable[[torch.Tensor], object]) -> None:
    """Do this to the logits of each step, once it is time; until then, slow the steps down."""
    run_model = ModelRunner.run

    @torch.inference_mode()
    def spoiled(self: ModelRunner, batch: Batch, rows: list[int]) -> torch.Tensor:
        logits = run_model(self, batch, rows)
        if _is_time.wait(_STEP_S):
            spoil(logits)
        return logits

    patch.object(ModelRunner, "run", spoiled).start()


def run(arguments: Sequence[str]) -> int:
    """The exit status of the faulty server. Faults of its steps begin with SIGUSR1."""
    signal.signal(signal.SIGUSR1, lambda *_: _is_time.set())
    if arguments[0] == "factory":
        FAULTS[arguments[1]]()
        uvicorn.main([*arguments[2:], "--factory", "handlers.app:create_app"])
    FAULTS[arguments[0]]()
    return main(["serve", *arguments[1:]])


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
