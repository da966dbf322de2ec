"""The program that serves one of several models, as `verbatim serve` does one."""

import pickle
import sys
from collections.abc import Callable
from pathlib import Path

from handlers.process.end_by_signal import run_in_silence


def main(path: str) -> int:
    """Serve until stopped, and return the exit status.

    path: a file with the pickled settings, which may hold keys; it is removed.
    """

    def load() -> Callable[[], int]:
        from handlers.commands.ending import exit_status
        from handlers.commands.serve import serve_as_given
        from handlers.settings.settings import Settings

        file = Path(path)
        settings = pickle.loads(file.read_bytes())
        file.unlink()
        assert isinstance(settings, Settings)
        return lambda: exit_status(lambda: serve_as_given({}, lambda given: settings))

    return run_in_silence(load)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
