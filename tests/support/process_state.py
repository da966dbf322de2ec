"""The state of this process that tests share, and that one could leave changed for those after it."""

import logging
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, Final, NamedTuple

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
# The root, and those whose levels a command sets when it runs in this process.
_LOGGERS: Final = (None, "engine", "handlers", "transformers", "uvicorn", "uvicorn.access", "uvicorn.error")


class ProcessState(NamedTuple):
    """The state that commands change when they run in this process.

    loggers: level, handlers and whether each is off. torch: the number of threads, the default type and
    whether gradients are kept; None before torch is imported.
    """

    environment: dict[str, str]
    folder: str
    path: list[str]
    loggers: list[tuple[int, list[logging.Handler], bool]]
    signals: list[Any]
    recursion_limit: int
    switch_interval: float
    torch: tuple[int, Any, bool] | None

    @classmethod
    def read(cls) -> "ProcessState":
        """Return the present state."""
        return cls(
            environment=dict(os.environ),
            folder=os.getcwd(),
            path=list(sys.path),
            loggers=[
                (one.level, list(one.handlers), one.disabled) for one in map(logging.getLogger, _LOGGERS)
            ],
            signals=[signal.getsignal(number) for number in _SIGNALS],
            recursion_limit=sys.getrecursionlimit(),
            switch_interval=sys.getswitchinterval(),
            torch=_torch_state(),
        )

    def restore(self) -> None:
        """Set all that has changed since to what it was."""
        now = ProcessState.read()
        for name, before in self._asdict().items():
            if before is not None and before != getattr(now, name):
                _RESTORE[name](before)


def _torch_state() -> tuple[int, Any, bool] | None:
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    return torch.get_num_threads(), torch.get_default_dtype(), torch.is_grad_enabled()


def _restore_environment(before: dict[str, str]) -> None:
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before.items() - os.environ.items())


def _restore_path(before: list[str]) -> None:
    sys.path[:] = before


def _restore_loggers(before: list[tuple[int, list[logging.Handler], bool]]) -> None:
    for logger, (level, handlers, is_off) in zip(map(logging.getLogger, _LOGGERS), before, strict=True):
        logger.setLevel(level)
        logger.handlers[:] = handlers
        logger.disabled = is_off


def _restore_signals(before: list[Any]) -> None:
    for number, handler in zip(_SIGNALS, before, strict=True):
        signal.signal(number, handler)


def _restore_torch(before: tuple[int, Any, bool]) -> None:
    torch = sys.modules["torch"]
    num_threads, dtype, keeps_gradients = before
    torch.set_num_threads(num_threads)
    torch.set_default_dtype(dtype)
    torch.set_grad_enabled(keeps_gradients)


_RESTORE: Final[dict[str, Callable[[Any], object]]] = {
    "environment": _restore_environment,
    "folder": os.chdir,
    "path": _restore_path,
    "loggers": _restore_loggers,
    "signals": _restore_signals,
    "recursion_limit": sys.setrecursionlimit,
    "switch_interval": sys.setswitchinterval,
    "torch": _restore_torch,
}
