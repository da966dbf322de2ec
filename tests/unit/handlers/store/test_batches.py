"""Files and batches in the database: their bounds, upgrades, and what kills leave of them."""

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from handlers.store.batches import Answered, StoredBatch, Task
from handlers.store.database import Bounds, Database
from handlers.store.record import NoRoom, Record
from tests.unit.handlers.store.test_database import WIDE, Clock

NUM_TASKS = 300

# Answers what has no answer, and writes the file of the batch at its end, in small steps.
RUNNER = """
import sys
from pathlib import Path
from handlers.store.batches import Answered
from handlers.store.database import Bounds, Database
database = Database(Path(sys.argv[1]), Bounds(10**9, 10**6, 10**6, 10**9))
(batch,) = database.batches.running()
print("begins", flush=True)
while tasks := database.batches.waiting(batch.id, -1, 10):
    for task in tasks:
        line = b'%d %s\\n' % (task.number, sys.argv[2].encode())
        database.batches.answer(batch.id, [Answered(task.number, line, task.number % 3 == 0)])
database.batches.advance(batch.id, ["in_progress"], "finalizing", {"ends": "completed"})
for field, is_error in (("output_file_id", False), ("error_file_id", True)):
    if database.batches.has_answers(batch.id, is_error):
        file = database.batches.open_file(batch.id, field, field, "batch_output", 100.0)
        while database.batches.move(batch.id, file, is_error):
            pass
database.batches.end(batch.id, ["finalizing"], "completed")
"""


def tasks(num: int, size: int = 10) -> list[Task]:
    return [Task(number, f"task {number}", b"x" * size) for number in range(num)]


def made(database: Database, num: int = 3, owner: str = "ada") -> StoredBatch:
    return database.batches.create("batch", owner, "openai", 100.0, {}, tasks(num))


def held(database: Database) -> int:
    found: int = database._connection.execute("SELECT bytes FROM held").fetchone()[0]
    return found


def content(database: Database, id: str) -> bytes:
    pieces, number = [], 0
    while (piece := database.files.piece(id, number)) is not None:
        pieces.append(piece)
        number += 1
    return b"".join(pieces)


def test_a_task_is_answered_once() -> None:
    database = Database(None, WIDE, Clock())
    batch = made(database)
    database.batches.answer(batch.id, [Answered(1, b"first\n", is_error=False)])
    database.batches.answer(batch.id, [Answered(1, b"again\n", is_error=True)])
    found = database.batches.get(batch.id, "ada", "openai")
    assert found is not None and (found.completed, found.failed) == (1, 0)
    assert [task.number for task in database.batches.waiting(batch.id, -1, 9)] == [0, 2]
    file = database.batches.open_file(batch.id, "output_file_id", "a", "batch_output", 10.0)
    assert database.batches.move(batch.id, file, None)
    database.batches.answer(batch.id, [Answered(1, b"later\n", is_error=True)])
    assert content(database, file) == b"first\n"
    assert not database.batches.move(batch.id, file, None)


def test_what_files_and_batches_hold_is_given_back() -> None:
    database = Database(None, WIDE, Clock())
    batch = made(database, 10)
    file = database.files.begin("ada", "batch", "a", None, 5)
    database.files.append(file.id, b"12345")
    database.files.finish(file.id)
    assert held(database) > 2 * 4096
    for task in database.batches.waiting(batch.id, -1, 100):
        database.batches.answer(batch.id, [Answered(task.number, b"answer\n", is_error=False)])
    output = database.batches.open_file(batch.id, "output_file_id", "a", "batch_output", 10.0)
    while database.batches.move(batch.id, output, None):
        pass
    database.batches.end(batch.id, ["in_progress"], "completed")
    assert content(database, output) == b"answer\n" * 10
    assert held(database) == 3 * 4096 + 5 + 70
    assert database.batches.delete(batch.id, "ada", "openai")
    assert database.files.delete(file.id, "ada")
    assert held(database) == 0


def test_files_and_batches_do_not_push_out_responses_nor_the_other_way_round() -> None:
    database = Database(None, Bounds(20_000, 100, 10**6, 30_000), Clock())
    file = database.files.begin("ada", "batch", "a", None, 20_000)
    database.files.append(file.id, bytes(20_000))
    database.files.finish(file.id)
    for at in range(20):
        database.put(Record(str(at), "ada", bytes(5000)))
    assert database.files.get(file.id, "ada") is not None
    assert database.get("19", "ada") is not None and database.get("18", "ada") is not None
    with pytest.raises(NoRoom):
        database.files.begin("ada", "batch", "b", None, 10_000)
    with pytest.raises(NoRoom):
        database.batches.create("batch", "ada", "openai", 1.0, {}, tasks(10, 1000))
    assert database.batches.running() == []


def test_one_process_has_the_lease_until_it_gives_it_back_or_dies() -> None:
    clock = Clock()
    database = Database(None, WIDE, clock)
    assert database.batches.take_lease("a", 30.0) and database.batches.take_lease("a", 30.0)
    assert not database.batches.take_lease("b", 30.0)
    clock.now += 40
    assert database.batches.take_lease("b", 30.0) and not database.batches.take_lease("a", 30.0)
    database.batches.give_lease_back("a")
    assert not database.batches.take_lease("a", 30.0)
    database.batches.give_lease_back("b")
    assert database.batches.take_lease("a", 30.0)


def test_what_has_expired_is_not_found_and_leaves() -> None:
    clock = Clock()
    database = Database(None, WIDE._replace(max_age_s=1000), clock)
    file = database.files.begin("ada", "batch", "a", 100.0, 0)
    assert database.files.get(file.id, "ada") is None, "it is not finished"
    database.files.finish(file.id)
    unfinished = database.files.begin("ada", "batch", "b", None, 0)
    running, ended = made(database), made(database)
    database.batches.end(ended.id, ["in_progress"], "completed")
    output = database.batches.open_file(running.id, "output_file_id", "a", "batch_output", 10.0)
    assert database.files.get(file.id, "ada") is not None
    clock.now += 200
    assert database.files.get(file.id, "ada") is None
    assert database.files.page("ada", None, None, 9, is_newest_first=True) == []
    assert database.files.page("ada", None, file.id, 9, is_newest_first=True) is None
    assert not database.files.delete(file.id, "ada")
    clock.now += 4000
    database.tidy()
    left = {id for (id,) in database._connection.execute("SELECT id FROM file")}
    assert left == {output} and unfinished.id not in left
    assert database.batches.get(ended.id, "ada", "openai") is None
    assert database.batches.get(running.id, "ada", "openai") is not None


@pytest.mark.parametrize("num_kills", [8, pytest.param(100, marks=pytest.mark.long)])
def test_kills_leave_every_task_answered_once_and_in_one_file(tmp_path: Path, num_kills: int) -> None:
    draw = random.Random(num_kills)
    path = tmp_path / "store"
    bounds = Bounds(10**9, 10**6, 10**6, 10**9)
    database = Database(path, bounds)
    batch = made(database, NUM_TASKS)
    for kill in range(num_kills):
        command = (sys.executable, "-c", RUNNER, str(path), f"run {kill}")
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            process.stdout.readline()
            try:
                process.wait(draw.uniform(0, 0.06))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
        if not database.batches.running():
            break
    else:
        subprocess.run((sys.executable, "-c", RUNNER, str(path), "last"), check=True, capture_output=True)
    ended = database.batches.get(batch.id, "ada", "openai")
    assert ended is not None and ended.state == "completed"
    assert (ended.total, ended.completed, ended.failed) == (NUM_TASKS, NUM_TASKS * 2 // 3, NUM_TASKS // 3)
    lines = [
        content(database, ended.fields[name]).splitlines() for name in ("output_file_id", "error_file_id")
    ]
    numbers = [[int(line.split()[0]) for line in one] for one in lines]
    assert numbers[0] == [number for number in range(NUM_TASKS) if number % 3]
    assert numbers[1] == list(range(0, NUM_TASKS, 3))
    assert json.dumps(ended.fields)
    database.close()
