"""The exit statuses of the server process."""

from enum import IntEnum


class ExitStatus(IntEnum):
    """The exit statuses.

    STOPPED: stopped as requested, within the grace period.

    FAILED: could not start; or did not stop in time, and was ended by force; or stopped and lost something.
    USAGE: invalid option or setting, with argparse's exit status.
    ENGINE_DIED: the engine cannot generate any more, and the process should be restarted (EX_SOFTWARE of
        sysexits.h).
    INTERRUPTED: SIGINT during the start, or during the stop; shells report this status.
    """

    STOPPED = 0
    FAILED = 1
    USAGE = 2
    ENGINE_DIED = 70
    INTERRUPTED = 130
