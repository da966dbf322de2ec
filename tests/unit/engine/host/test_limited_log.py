"""Errors that come with every step, as few lines in the log."""

import logging

import pytest

from engine.host.limited_log import LimitedLog


class Clock:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_the_first_error_of_each_interval_is_written_and_the_others_are_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = Clock()
    log = LimitedLog(logging.getLogger("limited"), interval_s=10.0, clock=clock)
    for now_s in (100.0, 100.1, 109.9, 110.0, 119.0, 130.0, 141.0):
        clock.now_s = now_s
        log.error("request %d failed", now_s)
    assert caplog.messages == [
        "request 100 failed",
        "request 110 failed (and 2 more such errors before it)",
        "request 130 failed (and 1 more such errors before it)",
        "request 141 failed",
    ]


def test_a_traceback_goes_with_the_line(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise ZeroDivisionError
    except ZeroDivisionError:
        LimitedLog(logging.getLogger("limited")).error("a step failed", exc_info=True)
    (record,) = caplog.records
    assert record.exc_info is not None and record.exc_info[0] is ZeroDivisionError
