"""The command `verbatim`."""

import signal
from collections.abc import Sequence

from handlers.process.end_by_signal import ended_by


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    with ended_by(signal.SIGTERM):
        with ended_by(signal.SIGINT):  # the imports take half a second
            from handlers.commands.verbatim import run

        return run(arguments)
