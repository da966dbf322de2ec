"""The exit status of the server's process, for the program that started it."""

from enum import IntEnum


class ExitStatus(IntEnum):
    """The exit statuses.

    STOPPED: as requested, within the grace period.

    FAILED: it could not start; or it did not end in time, and was ended by force.
    USAGE: a wrong option or setting, argparse's own status.
    ENGINE_DIED: nothing can be generated any more; another process should take over (EX_SOFTWARE of
        sysexits.h).
    INTERRUPTED: by SIGINT while it started, or by a second one while it stopped; shells report this status.
    """

    STOPPED = 0
    FAILED = 1
    USAGE = 2
    ENGINE_DIED = 70
    INTERRUPTED = 130
