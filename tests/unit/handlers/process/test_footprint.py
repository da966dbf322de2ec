"""A process knows what its start has taken."""

import subprocess
import sys
import time

import pytest

from handlers.process.footprint import Footprint, footprint

# It takes a quarter of a second of processor time and 64 MB; the memory is written to, so that it is there.
PROGRAM = """
import time
from handlers.process.footprint import footprint

before = footprint()
kept = b"1" * 64_000_000
while time.process_time() < before.processor_s + 0.25:
    pass
after = footprint()
print(*before, *after)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_time_and_memory_are_those_of_the_process_since_its_start() -> None:
    begun = time.monotonic()
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    whole_s = time.monotonic() - begun
    numbers = list(map(float, ran.stdout.split()))
    before, after = Footprint(*map(float, numbers[:3])), Footprint(*map(float, numbers[3:]))  # type: ignore[arg-type]  # bytes are read as a float too
    tick_s = 0.02
    assert before.total_s >= 0 and after.total_s <= whole_s + tick_s
    assert after.total_s - before.total_s >= 0.25 - tick_s
    assert 0.25 <= after.processor_s - before.processor_s < 1
    assert after.processor_s <= after.total_s + tick_s
    assert 60e6 <= after.resident_bytes - before.resident_bytes < 80e6


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_this_process_is_measured_too() -> None:
    found = footprint()
    assert found is not None and found.resident_bytes > 10e6


def test_nothing_is_said_where_the_system_counts_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    assert footprint() is None


def test_it_is_said_in_words() -> None:
    shown = "ready after 1.9 s (1.6 s of CPU time), with 1,130 MB of resident memory"
    assert Footprint(1.92, 1.58, 1_130_200_000).in_words() == shown
