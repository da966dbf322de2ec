"""The isolation of requests whose part of a step raises, so that the others of the step go on."""

import logging
from collections.abc import Callable
from typing import TypeVar

from engine.host.limited_log import LimitedLog
from engine.port.errors import GenerationFailed

_failures = LimitedLog(logging.getLogger(__name__))

T = TypeVar("T")


def launch_apart(launch: Callable[[slice], T], num_rows: int) -> list[T | GenerationFailed]:
    """Return the result for all rows as the only item; if it raises, one for each row, or the row's error.

    launch: computes some rows, and changes nothing but its result.
    """
    results: list[T | GenerationFailed] = []
    try:
        return [launch(slice(0, num_rows))]
    except Exception as error:  # whatever torch raises for options that no contract lets through
        if num_rows == 1:
            return [failure(error)]
    for row in range(num_rows):
        try:
            results.append(launch(slice(row, row + 1)))
        except Exception as error:
            results.append(failure(error))
    return results


def failure(error: Exception) -> GenerationFailed:
    """Return the error of a request for an exception that its part of a step raised.

    It says nothing of a library's exception, which may name paths; the log has it. Call it while that is
    handled.
    """
    if isinstance(error, GenerationFailed):
        return error
    _failures.error("one request of a step failed", exc_info=True)
    return GenerationFailed("the request failed while its tokens were chosen")
