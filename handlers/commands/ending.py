"""The end of a command: its exit status and error message."""

from collections.abc import Callable

from handlers.process.exit_status import ExitStatus
from handlers.process.standard_output import CannotWrite, complain, flush


def exit_status(run: Callable[[], int]) -> int:
    """Run a command and return its exit status, also if it is interrupted or cannot write its output."""
    try:
        try:
            status = run()
        finally:
            flush()  # output that libraries printed
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except CannotWrite as error:
        return fail(error, ExitStatus.FAILED)
    return status


def fail(error: object, status: int) -> int:
    """Print the error and return the status."""
    complain(str(error))
    return status
