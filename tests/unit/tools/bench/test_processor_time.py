"""Processor time: what a process has computed counts, and what it has waited for does not."""

import os
import subprocess
import sys
import threading
import time

from tools.bench.processor_time import group_s, process_s, threads_s


def test_what_is_computed_counts_and_waiting_does_not() -> None:
    pid = os.getpid()
    began = process_s(pid), threads_s(pid)[pid], time.process_time()
    while time.process_time() - began[2] < 0.2:
        pass
    computed = process_s(pid)
    assert 0.15 < computed - began[0] < 1.0
    assert 0.15 < threads_s(pid)[pid] - began[1] < 1.0
    time.sleep(0.3)
    assert process_s(pid) - computed < 0.2


def test_threads_that_have_ended_count_for_their_process() -> None:
    pid = os.getpid()
    before = process_s(pid)
    may_end = threading.Event()
    thread = threading.Thread(target=lambda: (sum(range(10_000_000)), may_end.wait(30)))
    thread.start()
    assert len(threads_s(pid)) >= 2
    may_end.set()
    thread.join()
    assert process_s(pid) - before > 0.02


def test_all_processes_of_a_group_count() -> None:
    computes = "import time\nwhile time.process_time() < 0.5: pass\nprint('done', flush=True)\ninput()"
    starts = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {computes!r}])"
    with subprocess.Popen(
        [sys.executable, "-c", starts], stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"done\n"
        assert group_s(process.pid) > 0.5 > process_s(process.pid)
        process.communicate(b"\n")
    assert group_s(process.pid) == 0
