"""The end of a command: its exit status, and its last words."""

from collections.abc import Callable

from handlers.process.exit_status import ExitStatus
from handlers.process.standard_output import CannotWrite, complain, flush


def exit_status(run: Callable[[], int]) -> int:
    """Return the exit status of a command, also when it is interrupted or its output cannot be written."""
    try:
        try:
            status = run()
        finally:
            flush()  # what commands of others have printed
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except CannotWrite as error:
        return fail(error, ExitStatus.FAILED)
    return status


def fail(error: object, status: int) -> int:
    """Print the error and return the status."""
    complain(str(error))
    return status
