"""The command `text-generation-launcher`, which takes exactly TGI's arguments and serves TGI's contract."""

import sys
from collections.abc import Callable, Sequence

from handlers.process.end_by_signal import run_in_silence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""

    def load() -> Callable[[], int]:  # which takes half a second
        from handlers.commands.launcher import run

        return lambda: run(arguments)

    return run_in_silence(load)


if __name__ == "__main__":
    sys.exit(main())
