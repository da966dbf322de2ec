"""The limits of the process that works on one task."""

import msgspec


class ProcessLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one child. A busy machine lengthens the wait for a result, but not its processor time.

    max_bytes: the memory that it may add to its own.
    processor_s: the processor time that it may take, for each of its threads.
    timeout_s: the wall-clock time after which it is ended.
    opens_files: whether it may open files and sockets, in addition to the channel that it has.
    """

    max_bytes: int
    processor_s: float
    timeout_s: float
    opens_files: bool = True
