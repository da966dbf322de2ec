"""The command `verbatim`."""

from collections.abc import Callable, Sequence

from handlers.process.end_by_signal import run_in_silence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""

    def load() -> Callable[[], int]:  # which takes half a second
        from handlers.commands.verbatim import run

        return lambda: run(arguments)

    return run_in_silence(load)
