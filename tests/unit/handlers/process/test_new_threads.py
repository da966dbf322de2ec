"""Threads that do not end, at the end of the process."""

import subprocess
import sys
import threading

from handlers.process.exit_status import ExitStatus
from handlers.process.new_threads import NewThreads

_LEAVES_A_THREAD = """
import sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from handlers.process.new_threads import NewThreads
threads = NewThreads()
ThreadPoolExecutor(1, thread_name_prefix="prompt").submit(time.sleep, 1000)
print("written")
sys.exit(threads.leave(0))
"""


def test_threads_that_were_there_before_are_nobodys_concern() -> None:
    may_end = threading.Event()
    old = threading.Thread(target=may_end.wait, daemon=True)
    old.start()
    threads = NewThreads()
    new = threading.Thread(target=may_end.wait, daemon=True, name="new")
    new.start()
    assert threads.left(0.01) == ["new"]
    may_end.set()
    new.join()
    assert threads.left(0.0) == []
    assert threads.leave(3) == 3


def test_a_process_ends_without_the_thread_of_an_executor() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _LEAVES_A_THREAD], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == ExitStatus.FAILED
    assert ended.stdout == "written\n"
    assert "still running: prompt_0" in ended.stderr
