"""The last resort against a process that does not end."""

import faulthandler
import subprocess
import sys
from typing import Any

import pytest

from handlers.process.exit_status import ExitStatus
from handlers.process.watchdog import Watchdog

_HANGING = """
import time
from handlers.process.watchdog import Watchdog
Watchdog().arm(0.1)
time.sleep(1000)
"""


class Dumps:
    """Deadlines that were set."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, timeout: float, **options: Any) -> None:
        assert options == {"exit": True, "file": 2}
        self.seconds.append(timeout)


def test_a_second_signal_does_not_put_the_end_off_and_a_shorter_deadline_counts() -> None:
    dumps, now_s = Dumps(), 0.0
    watchdog = Watchdog(dumps, clock=lambda: now_s)
    watchdog.arm(10.0)
    now_s = 5.0
    watchdog.arm(10.0)
    watchdog.arm(2.0)
    assert dumps.seconds == [10.0, 2.0]


def test_a_watchdog_that_was_not_armed_cancels_nobody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled: list[bool] = []
    monkeypatch.setattr(faulthandler, "cancel_dump_traceback_later", lambda: cancelled.append(True))
    watchdog = Watchdog(Dumps())
    watchdog.disarm()
    assert not cancelled
    watchdog.arm(1.0)
    watchdog.disarm()
    assert cancelled


def test_a_process_that_hangs_is_ended_and_says_where_it_was() -> None:
    ended = subprocess.run([sys.executable, "-c", _HANGING], capture_output=True, text=True, timeout=60)
    assert ended.returncode == ExitStatus.FAILED
    assert "Timeout" in ended.stderr and "line 5" in ended.stderr
