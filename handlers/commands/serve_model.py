"""The program that serves one of several models, as `verbatim serve` does one."""

import pickle
import sys
from collections.abc import Callable

from handlers.process.end_by_signal import run_in_silence


def main(descriptor: int) -> int:
    """Serve until stopped, and return the exit status.

    descriptor: an open file with the pickled settings, which may hold keys. No path leads to it.
    """

    def load() -> Callable[[], int]:
        from handlers.commands.ending import exit_status
        from handlers.commands.serve import serve_as_given
        from handlers.settings.settings import Settings

        with open(descriptor, "rb") as file:
            settings = pickle.load(file)
        assert isinstance(settings, Settings)
        return lambda: exit_status(lambda: serve_as_given({}, lambda given: settings))

    return run_in_silence(load)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
