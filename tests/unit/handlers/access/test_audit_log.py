import json
import logging
import os
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from handlers.access.audit_log import AuditEntry, AuditLog, CannotWriteAuditLog


def entry(request_id: str = "r") -> AuditEntry:
    return AuditEntry(
        time=datetime(2030, 1, 31, tzinfo=UTC),
        key="ci",
        client="127.0.0.1",
        contract="tgi",
        operation="generate",
        status=200,
        request_id=request_id,
        prompt_tokens=3,
        generated_tokens=4,
        duration_s=0.5,
    )


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_entry_is_one_line_of_json(tmp_path: Path) -> None:
    path = tmp_path / "audit"
    path.write_text('{"before": true}\n')
    log = AuditLog(str(path))
    log.start()
    for number in range(5000):
        log.write(entry(f"r{number}"))
    log.close()
    before, first, *rest = lines(path)
    assert before == {"before": True}
    assert first == {
        "time": "2030-01-31T00:00:00Z",
        "key": "ci",
        "client": "127.0.0.1",
        "contract": "tgi",
        "operation": "generate",
        "status": 200,
        "request_id": "r0",
        "prompt_tokens": 3,
        "generated_tokens": 4,
        "duration_s": 0.5,
    }
    assert [one["request_id"] for one in rest] == [f"r{number}" for number in range(1, 5000)]


def test_standard_output_takes_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    log = AuditLog("-")
    log.start()
    log.write(entry())
    log.close()
    assert json.loads(capsys.readouterr().out)["request_id"] == "r"


@pytest.mark.skipif(sys.platform != "linux", reason="a pipe of packets shows where writes end")
def test_each_write_has_whole_lines_so_that_other_processes_lines_come_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe2(os.O_DIRECT)
    packets: list[bytes] = []

    def read() -> None:
        while packet := os.read(reading, 65_536):
            packets.append(packet)

    with ThreadPoolExecutor(1) as threads, open(writing, "w") as stream:
        found = threads.submit(read)
        monkeypatch.setattr("sys.stdout", stream)
        log = AuditLog("-")
        for number in range(1000):
            log.write(entry(f"r{number}"))
        log.start()
        log.close()
        monkeypatch.undo()
        stream.close()
        found.result(60)
    os.close(reading)
    assert all(packet.endswith(b"\n") for packet in packets)
    numbers = [json.loads(line)["request_id"] for line in b"".join(packets).splitlines()]
    assert numbers == [f"r{number}" for number in range(1000)]


def test_a_file_that_was_rotated_is_opened_anew(tmp_path: Path) -> None:
    path = tmp_path / "audit"
    log = AuditLog(str(path))
    path.rename(tmp_path / "audit.1")
    log.start()
    log.write(entry())
    log.close()
    assert len(lines(path)) == 1
    assert lines(tmp_path / "audit.1") == []


class SlowFile:
    """A stream that writes nothing before it is let, as a disk that hangs."""

    def __init__(self) -> None:
        self.is_asked = threading.Event()
        self.goes_on = threading.Event()
        self.written = ""

    def write(self, text: str) -> None:
        self.is_asked.set()
        assert self.goes_on.wait(60)
        self.written += text

    def flush(self) -> None:
        pass


def test_a_disk_that_hangs_holds_up_nobody_and_what_is_lost_is_counted(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    slow = SlowFile()
    monkeypatch.setattr("sys.stdout", slow)
    log = AuditLog("-", max_waiting=10)
    log.start()
    log.write(entry("first"))
    assert slow.is_asked.wait(60)
    for number in range(100):
        log.write(entry(f"r{number}"))  # returns at once, or the test would hang
    slow.goes_on.set()
    log.close()
    monkeypatch.undo()
    told = [json.loads(line) for line in slow.written.splitlines()]
    assert [one["request_id"] for one in told if "request_id" in one] == [
        "first",
        *(f"r{n}" for n in range(10)),
    ]
    assert sum(one.get("lost", 0) for one in told) == 90
    warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1, "one warning for many entries"


def test_a_full_disk_is_warned_of_and_the_gap_is_told_when_there_is_room_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    log = AuditLog(str(tmp_path / "audit"))
    wrote = threading.Event()
    append = log._append

    def full_at_first(lines: Sequence[bytes]) -> None:
        if not wrote.is_set():
            wrote.set()
            raise OSError(28, "No space left on device")
        append(lines)

    monkeypatch.setattr(log, "_append", full_at_first)
    log.start()
    log.write(entry("lost"))
    assert wrote.wait(60)
    log.write(entry("kept"))
    log.close()
    assert [(one.get("request_id"), one.get("lost")) for one in lines(tmp_path / "audit")] == [
        ("kept", None),
        (None, 1),
    ]
    assert "No space left on device" in caplog.text


def test_a_file_that_cannot_be_opened_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(CannotWriteAuditLog, match="Is a directory"):
        AuditLog(str(tmp_path))


def test_a_thread_that_hangs_does_not_hold_up_the_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("handlers.access.audit_log._CLOSE_S", 0.05)
    slow = SlowFile()
    monkeypatch.setattr("sys.stdout", slow)
    log = AuditLog("-")
    log.start()
    log.write(entry())
    assert slow.is_asked.wait(60)
    log.close()
    monkeypatch.undo()
    slow.goes_on.set()
    assert "the last lines of the audit log could not be written" in caplog.text
