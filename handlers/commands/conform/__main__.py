"""Run `python -m handlers.commands.conform`, an alias of `verbatim conform`."""

import sys
from collections.abc import Callable

from handlers.process.end_by_signal import run_in_silence
from handlers.process.exit_status import ExitStatus


def load() -> Callable[[], int]:
    from handlers.commands.conform.cli import main

    def run() -> int:
        try:
            return main()
        except KeyboardInterrupt:
            return ExitStatus.INTERRUPTED

    return run


if __name__ == "__main__":
    sys.exit(run_in_silence(load))
