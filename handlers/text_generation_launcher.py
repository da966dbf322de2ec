"""The command `text-generation-launcher`, which takes exactly TGI's arguments and serves TGI's contract."""

import signal
import sys
from collections.abc import Sequence

from handlers.process.end_by_signal import ended_by


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    with ended_by(signal.SIGTERM):
        with ended_by(signal.SIGINT):  # the imports take half a second
            from handlers.commands.launcher import run

        return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
