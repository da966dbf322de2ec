"""The garbage collector, of a process that serves."""

import gc


def freeze_start_up() -> None:
    """Takes all that there is from the collector; it lives as long as the server.

    Libraries and a model are several hundred thousand objects. To visit them all, as the collector does now
    and then, stops every request and the engine for some tenths of a second.
    """
    gc.collect()
    gc.freeze()
