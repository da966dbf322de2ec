import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from handlers.access.visits.record_log import CannotWriteAuditLog, RecordLog
from handlers.access.visits.timing import Timing
from handlers.access.visits.visit import Visit
from tests.support.clocks.until import wait_until


def entry(request_id: str = "r") -> Visit:
    """Return a visit of a second, with a prompt of three tokens and four more."""
    timing = Timing(0.5, first_token_s=0.25, queue_s=0.001, num_prompt_tokens=3, num_generated_tokens=4)
    since_1970_ns = int(datetime(2030, 1, 31, tzinfo=UTC).timestamp()) * 10**9
    return Visit(
        *("POST", "/generate", "http", "127.0.0.1", since_1970_ns, 0.0, 1.0),
        request_id=request_id,
        timing=timing,
        status=200,
        is_answered=True,
    )


def lines(path: Path) -> list[dict[str, object]]:
    return [flat(line) for line in path.read_text().splitlines()]


def flat(line: str | bytes | bytearray) -> dict[str, object]:
    """Return the fields of a line."""
    read: dict[str, Any] = json.loads(line)
    fields: dict[str, object] = read.get("fields", read)
    return fields


def test_an_entry_is_one_line_of_json(tmp_path: Path) -> None:
    path = tmp_path / "audit"
    path.write_text('{"before": true}\n')
    log = RecordLog(str(path))
    log.start()
    for number in range(5000):
        log.write(entry(f"r{number}"))
    log.close()
    before, first, *rest = lines(path)
    assert before == {"before": True}
    assert json.loads(path.read_text().splitlines()[1]) == {
        "timestamp": "2030-01-31T00:00:00Z",
        "level": "INFO",
        "fields": first,
        "target": "verbatim.requests",
    }
    assert first == {
        "message": "POST /generate 200",
        "request_id": "r0",
        "client": "127.0.0.1",
        "key": None,
        "contract": None,
        "operation": None,
        "method": "POST",
        "path": "/generate",
        "status": 200,
        "end": "complete",
        "prompt_tokens": 3,
        "generated_tokens": 4,
        "queue_s": 0.001,
        "first_token_s": 0.25,
        "duration_s": 1.0,
    }
    assert [one["request_id"] for one in rest] == [f"r{number}" for number in range(1, 5000)]


def test_standard_output_takes_it_too(capfd: pytest.CaptureFixture[str]) -> None:
    log = RecordLog("-")
    log.start()
    log.write(entry())
    log.close()
    assert flat(capfd.readouterr().out)["request_id"] == "r"


@pytest.mark.skipif(sys.platform != "linux", reason="a pipe of packets shows where writes end")
def test_each_write_has_whole_lines_so_that_other_processes_lines_come_between() -> None:
    reading, writing = os.pipe2(os.O_DIRECT)
    with ThreadPoolExecutor(1) as threads, as_standard_output(writing):
        found = threads.submit(lambda: list(iter(lambda: os.read(reading, 65_536), b"")))
        os.close(writing)
        log = RecordLog("-")
        for number in range(1000):
            log.write(entry(f"r{number}"))
        log.start()
        log.close()
    packets = found.result(60)
    os.close(reading)
    assert all(packet.endswith(b"\n") for packet in packets)
    numbers = [flat(line)["request_id"] for line in packets]
    assert numbers == [f"r{number}" for number in range(1000)]


@contextmanager
def as_standard_output(descriptor: int) -> Iterator[None]:
    kept = os.dup(1)
    os.dup2(descriptor, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def test_a_file_that_was_rotated_is_opened_anew(tmp_path: Path) -> None:
    path = tmp_path / "audit"
    log = RecordLog(str(path))
    path.rename(tmp_path / "audit.1")
    log.start()
    log.write(entry())
    log.close()
    assert len(lines(path)) == 1
    assert lines(tmp_path / "audit.1") == []


@contextmanager
def full_pipe() -> Iterator[tuple[str, int]]:
    """Yield the path of a pipe that takes nothing, as a disk that hangs, and its other end."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with suppress(BlockingIOError):
        while os.write(writing, b"\n" * 4096):
            pass
    yield f"/dev/fd/{writing}", reading
    os.close(writing)
    with suppress(OSError):  # the test has closed it
        os.close(reading)


def test_a_disk_that_hangs_holds_up_nobody_and_what_is_lost_is_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with full_pipe() as (path, reading), ThreadPoolExecutor(1) as threads:
        log = RecordLog(path, max_waiting=10)
        log.start()
        for number in range(100):
            log.write(entry(f"r{number}"))  # returns at once, or the test would hang
        written = bytearray()

        def read_to_gap() -> None:
            while b'"lost"' not in written:
                written.extend(os.read(reading, 65_536))

        reader = threads.submit(read_to_gap)
        assert log.close()
        reader.result(60)
    told: list[Any] = [flat(line) for line in written.splitlines() if line]
    kept = [one["request_id"] for one in told if "request_id" in one]
    assert kept == [f"r{number}" for number in range(len(kept))]
    assert sum(one.get("lost", 0) for one in told) == 100 - len(kept) > 0
    warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1, "one warning for many entries"


def on_a_full_disk(path: Path, caplog: pytest.LogCaptureFixture) -> RecordLog:
    """Return a log that has lost an entry."""
    path.symlink_to("/dev/full")
    log = RecordLog(str(path))
    log.start()
    log.write(entry("lost"))
    wait_until(lambda: "No space left on device; 1 entries lost" in caplog.text)
    return log


def test_a_full_disk_is_warned_of_and_the_gap_is_told_when_there_is_room_again(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    path, other = tmp_path / "audit", tmp_path / "other"
    log = on_a_full_disk(path, caplog)
    other.touch()
    other.rename(path)
    log.write(entry("kept"))
    assert log.close()
    assert [(one.get("request_id"), one.get("lost")) for one in lines(path)] == [("kept", None), (None, 1)]


def test_a_disk_that_is_full_to_the_end_is_an_error_with_the_number_of_entries(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    log = on_a_full_disk(tmp_path / "audit", caplog)
    log.write(entry("lost too"))
    assert not log.close()
    assert caplog.messages[-1] == "the audit log lacks 2 entries, which could not be written"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_line_that_a_full_disk_cuts_spoils_no_other(tmp_path: Path) -> None:
    """A limit of the file's size cuts a write as the last bytes of a disk do."""
    program = """
import resource, signal, sys
from handlers.access.visits.record_log import RecordLog
from tests.unit.handlers.access.visits.test_record_log import entry
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
log = RecordLog(sys.argv[1])
log._write_all([entry("cut")])
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
log.start()
log.write(entry("kept"))
assert log.close()
"""
    path = tmp_path / "audit"
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, timeout=100)
    cut, kept, gap = path.read_text().splitlines()
    assert len(cut) == 100
    assert (flat(kept)["request_id"], flat(gap)["lost"]) == ("kept", 1)


def test_a_file_that_cannot_be_opened_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(CannotWriteAuditLog, match="Is a directory"):
        RecordLog(str(tmp_path))


def test_a_thread_that_hangs_does_not_hold_up_the_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("handlers.access.visits.record_log._CLOSE_S", 0.05)
    with full_pipe() as (path, reading):
        log = RecordLog(path)
        log.start()
        log.write(entry())
        assert not log.close()
        assert "the last lines of the audit log could not be written" in caplog.text
        os.close(reading)  # which ends the thread
        assert log._thread.close(60)


def test_a_pipe_that_nobody_reads_stops_the_start(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CannotWriteAuditLog, match="a pipe that nobody reads"):
        RecordLog(str(tmp_path / "pipe"))
