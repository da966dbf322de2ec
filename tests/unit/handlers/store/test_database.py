"""The database: its bounds, its owners, and what it keeps when a process is killed or the disk is full."""

import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from handlers.store.database import Bounds, Database
from handlers.store.record import CannotOpenStore, Change, Extension, Record, StoreError
from handlers.store.schema import VERSIONS
from handlers.store.store import Store

WIDE = Bounds(max_bytes=10**9, max_records=10**6, max_age_s=10**6)
SIZE = 10_000

# Stores records, each with what it goes on from, and says the number of each when it is stored.
WRITER = """
import itertools, sys
from pathlib import Path
from handlers.store.database import Bounds, Database
from handlers.store.record import Record
database = Database(Path(sys.argv[1]), Bounds(10**9, 10**6, 10**6))
for at in itertools.count():
    parent = f"{sys.argv[2]}-{at - 1}" if at else None
    content, parts = b"x" * int(sys.argv[3]), (f"part-{sys.argv[2]}-{at}",)
    database.put(Record(f"{sys.argv[2]}-{at}", "ada", content, parent, parts))
    print(at, flush=True)
"""


class Clock:
    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        self.now += 1
        return self.now


def record(id: str, parent: str | None = None, *, owner: str = "ada", size: int = 1) -> Record:
    return Record(id, owner, b"x" * size, parent, (f"part of {id}",))


def database(**bounds: Any) -> Database:
    return Database(None, WIDE._replace(**bounds), Clock())


def ids(found: Database, id: str, owner: str = "ada") -> list[str]:
    return [each.id for each in found.line(id, owner)]


def test_records_are_found_by_their_ids_and_parts_and_with_what_they_go_on_from() -> None:
    found = database()
    for id, parent in (("a", None), ("b", "a"), ("c", "b"), ("other", "a")):
        found.put(record(id, parent))
    assert ids(found, "c") == ["a", "b", "c"]
    assert ids(found, "a") == ["a"]
    assert ids(found, "d") == []
    assert found.get("b", "ada") == Record("b", "ada", b"x", "a")
    holding = found.holding(["part of b", "part of d", "part of a"], "ada")
    assert {part: each.id for part, each in holding.items()} == {"part of a": "a", "part of b": "b"}
    assert found.holding(["part of d"], "ada") == {}


def test_an_owner_sees_and_deletes_only_its_own() -> None:
    found = database()
    found.put(record("a"))
    assert found.get("a", "bob") is None and ids(found, "a", "bob") == []
    assert found.holding(["part of a"], "bob") == {}
    assert not found.delete("a", "bob")
    found.put(record("b", "a", owner="bob"))
    assert ids(found, "b", "bob") == []
    assert found.delete("a", "ada")
    assert found.get("a", "ada") is None and not found.delete("a", "ada")


def test_what_goes_on_from_a_deleted_record_is_found_by_itself_but_not_with_its_line() -> None:
    found = database()
    for id, parent in (("a", None), ("b", "a"), ("c", "b")):
        found.put(record(id, parent))
    found.delete("b", "ada")
    assert found.get("c", "ada") is not None
    assert ids(found, "c") == []
    assert found.holding(["part of b"], "ada") == {}


@pytest.mark.parametrize("bounds", [{"max_records": 3}, {"max_bytes": 3 * 2000}])
def test_the_least_recently_used_leaves_and_to_be_gone_on_from_is_a_use(bounds: dict[str, int]) -> None:
    found = database(**bounds)
    for id, parent in (("a", None), ("b", None), ("c", None), ("d", "a"), ("e", None)):
        found.put(record(id, parent, size=1400))
    kept = [id for id in "abcde" if found.get(id, "ada") is not None]
    assert kept == ["a", "d", "e"]


def test_a_record_larger_than_all_room_is_refused_and_nothing_leaves_for_it() -> None:
    found = database(max_bytes=5000)
    found.put(record("a"))
    with pytest.raises(StoreError, match="room for 5000"):
        found.put(record("b", size=6000))
    assert found.get("a", "ada") is not None


def test_records_are_forgotten_so_long_after_their_last_use() -> None:
    clock = Clock()
    found = Database(None, WIDE._replace(max_age_s=100), clock)
    found.put(record("a"))
    clock.now += 90
    found.put(record("b", "a"))
    clock.now += 90
    assert ids(found, "b") == ["a", "b"]
    clock.now += 20
    assert found.get("a", "ada") is None and ids(found, "b") == [] and not found.delete("b", "ada")


def test_work_on_a_record_is_told_of_until_it_is_finished() -> None:
    clock = Clock()
    found = Database(None, WIDE, clock)
    found.put(record("a"), [("", b"0")], is_unfinished=True)
    clock.now += 30
    idle_s = found.idle_s("a")
    assert idle_s is not None and idle_s > 30
    assert found.note("a", "ada", [b"1", b"2"])
    idle_s = found.idle_s("a")
    assert idle_s is not None and idle_s < 10
    assert not found.note("a", "bob", [b"3"]) and not found.note("b", "ada")
    assert found.change("a", "bob", lambda _, __: Change(b"never"), finishes=True) is None
    begun = found.change("a", "ada", lambda _, number: Change(b"%d" % number), finishes=False)
    assert begun is not None and begun.content == b"3"

    def end(last: Record, number: int) -> Change:
        return Change(last.content + b"!", ("late part",), (b"%d" % number,))

    assert found.change("a", "ada", end, finishes=True) == found.get("a", "ada")
    assert found.get("a", "ada") == Record("a", "ada", b"3!")
    assert found.holding(["late part", "part of a"], "ada").keys() == {"late part", "part of a"}
    assert found.idle_s("a") is None and not found.note("a", "ada", [b"4"])
    assert found.change("a", "ada", end, finishes=True) is None
    assert [tuple(each) for each in found.entries("a", "ada", -1, 9)] == [
        ("a", n, b"%d" % n, "") for n in range(4)
    ]
    assert [each.number for each in found.entries("a", "ada", 1, 1)] == [2]
    assert found.entries("a", "bob", -1, 9) == []
    found.delete("a", "ada")
    assert found.entries("a", "ada", -1, 9) == []


def numbers(found: Database, **page: Any) -> list[int]:
    return [each.number for each in found.entries("a", "ada", **page)]


def test_entries_are_listed_from_either_end_found_by_their_ids_and_removed() -> None:
    found = database()
    found.put(record("a"), [("one", b"1"), ("two", b"2")])
    assert found.extend("ada", Extension("a", (("three", b"3"), ("", b"4"))))
    assert not found.extend("bob", Extension("a", (("x", b""),)))
    assert numbers(found) == [0, 1, 2, 3] and numbers(found, after=1) == [2, 3]
    assert numbers(found, descends=True, limit=2) == [3, 2]
    assert numbers(found, after=2, descends=True) == [1, 0]
    assert [tuple(each) for each in found.entries_with(["two", "none", ""], "ada")] == [("a", 1, b"2", "two")]
    assert found.entries_with(["two"], "bob") == []
    (two,) = found.entries_with(["two"], "ada")
    found.remove(two)
    found.remove(two)
    assert numbers(found) == [0, 2, 3]
    assert found.rewrite("a", "ada", b"new") and not found.rewrite("a", "bob", b"no")
    assert found.get("a", "ada") == Record("a", "ada", b"new") and numbers(found) == [0, 2, 3]


def test_a_record_extends_another_in_the_same_write() -> None:
    found = database(max_bytes=5000)
    found.put(record("a"))
    found.put(record("b")._replace(extends=Extension("a", (("one", b"1"),))))
    assert [each.id for each in found.entries("a", "ada")] == ["one"]
    with pytest.raises(StoreError):
        found.put(record("c", size=6000)._replace(extends=Extension("a", (("two", b"2"),))))
    found.put(record("d", owner="bob")._replace(extends=Extension("a", (("three", b"3"),))))
    found.put(record("e"), is_unfinished=True)
    change = Change(b"y", extends=Extension("a", (("four", b"4"),)))
    found.change("e", "ada", lambda _, __: change, finishes=True)
    assert [each.id for each in found.entries("a", "ada")] == ["one", "four"]


def test_sizes_add_up_after_all_that_changes_them(tmp_path: Path) -> None:
    path = tmp_path / "store"
    found = Database(path, WIDE, Clock())
    found.put(record("a", size=100), [("one", b"x" * 50)], is_unfinished=True)
    found.note("a", "ada", [b"x" * 70])
    found.change("a", "ada", lambda _, __: Change(b"x" * 30, ("p",), (b"x" * 9,)), finishes=True)
    found.extend("ada", Extension("a", (("two", b"x" * 11),)))
    found.rewrite("a", "ada", b"x" * 5)
    found.remove(found.entries_with(["one"], "ada")[0])
    found.close()
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("SELECT size FROM record").fetchone()
        assert connection.execute("SELECT bytes, records FROM total").fetchone() == (size, 1)
    fresh = Database(tmp_path / "fresh", WIDE, Clock())
    fresh.put(Record("a", "ada", b"x" * 5, None, ("part of a", "p")))
    for id, content in (("", b"x" * 70), ("", b"x" * 9), ("two", b"x" * 11)):
        fresh.extend("ada", Extension("a", ((id, content),)))
    fresh.close()
    with closing(sqlite3.connect(tmp_path / "fresh")) as connection:
        assert connection.execute("SELECT bytes FROM total").fetchone() == (size,)


def test_what_is_added_counts_as_size_and_as_use() -> None:
    found = database(max_bytes=4000)
    found.put(record("a"), is_unfinished=True)
    found.put(record("b"))
    for _ in range(2):
        assert found.note("a", "ada", [b"x" * 1000])
    assert found.get("b", "ada") is not None
    assert found.note("a", "ada", [b"x" * 1000])
    assert found.get("b", "ada") is None and found.get("a", "ada") is not None
    assert found.note("a", "ada", [b"x" * 1000])
    assert found.get("a", "ada") is None, "it is larger than all that may be stored"
    assert not found.note("a", "ada")
    for at in range(6):
        found.put(record(str(at)))
    assert [str(at) for at in range(6) if found.get(str(at), "ada") is None] == []


@pytest.mark.parametrize("version", range(1, len(VERSIONS)))
def test_a_file_of_each_version_before_is_upgraded_with_what_is_in_it(tmp_path: Path, version: int) -> None:
    path = tmp_path / "store"
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in chain(*VERSIONS[:version]):
            connection.execute(statement)
        connection.execute("INSERT INTO record VALUES ('a', 'ada', NULL, 1e9, 600, x'78')")
        connection.execute("INSERT INTO part VALUES ('ada', 'part of a', 'a')")
        connection.execute(f"PRAGMA user_version = {version}")
    found = Database(path, WIDE, Clock())
    assert found.get("a", "ada") == Record("a", "ada", b"x")
    assert found.holding(["part of a"], "ada").keys() == {"part of a"}
    found.put(record("b", "a"), [("", b"0")], is_unfinished=True)
    assert ids(found, "b") == ["a", "b"] and found.note("b", "ada", [b"1"])
    assert found.batches.running() == []
    found.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(VERSIONS),)
        sizes = connection.execute("SELECT sum(size), count(*) FROM record").fetchone()
        assert connection.execute("SELECT bytes, records FROM total").fetchone() == sizes


def test_processes_share_a_file(tmp_path: Path) -> None:
    one, other = (Database(tmp_path / "store", WIDE) for _ in range(2))
    one.put(record("a"))
    other.put(record("b", "a"))
    assert ids(one, "b") == ["a", "b"]
    one.close()
    other.close()
    again = Database(tmp_path / "store", WIDE)
    assert ids(again, "b") == ["a", "b"]
    again.close()


def test_a_file_of_a_newer_server_or_of_something_else_is_not_touched(tmp_path: Path) -> None:
    newer, others, foreign = tmp_path / "newer", tmp_path / "others", tmp_path / "foreign"
    for path, statement in ((newer, "PRAGMA user_version = 99"), (others, "CREATE TABLE record (id TEXT)")):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
    foreign.write_text("no database, though it is long enough for a header of one" * 9)
    reasons = {
        newer: "its version is 99",
        others: "another program's",
        foreign: "not a database",
        tmp_path: "unable to open",
    }
    for path, reason in reasons.items():
        before = None if path.is_dir() else path.read_bytes()
        with pytest.raises(CannotOpenStore, match=f"{path}: .*{reason}"):
            Store(path, WIDE)
        assert path.is_dir() or path.read_bytes() == before


@pytest.fixture
def small_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that has databases find the disk full after so many pages."""
    connect = sqlite3.connect

    def limit(num_pages: int) -> None:
        def limited(*arguments: Any, **options: Any) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(*arguments, **options)
            connection.execute(f"PRAGMA max_page_count = {num_pages}")
            return connection

        monkeypatch.setattr("handlers.store.database.sqlite3.connect", limited)

    return limit


def test_a_full_disk_refuses_what_is_new_and_keeps_what_was_stored(small_disk: Callable[[int], None]) -> None:
    small_disk(60)
    found = database()
    stored = []
    with pytest.raises(StoreError, match="disk is full"):
        for at in range(1000):
            found.put(record(str(at), size=SIZE))
            stored.append(str(at))
    assert len(stored) > 5
    assert [id for id in stored if found.get(id, "ada") is None] == []
    assert found.get(str(len(stored)), "ada") is None
    assert found.delete(stored[0], "ada") and found.delete(stored[1], "ada")
    found.put(record("new", size=SIZE))


@pytest.mark.parametrize("num_kills", [5, pytest.param(100, marks=pytest.mark.long)])
def test_kills_lose_nothing_that_was_stored_and_leave_nothing_half(tmp_path: Path, num_kills: int) -> None:
    draw = random.Random(num_kills)
    for kill in range(num_kills):
        command = (sys.executable, "-c", WRITER, str(tmp_path / "store"), str(kill), str(SIZE))
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            last_read = draw.randrange(1, 60)
            said = [process.stdout.readline() for _ in range(last_read)]
            process.send_signal(signal.SIGKILL)
            said += process.stdout.readlines()
        found = Database(tmp_path / "store", WIDE)
        last = max(int(line) for line in said if line.endswith("\n"))
        line = found.line(f"{kill}-{last}", "ada")
        assert [each.id for each in line] == [f"{kill}-{at}" for at in range(last + 1)]
        assert {len(each.content) for each in line} == {SIZE}
        part = f"part-{kill}-{last}"
        assert found.holding([part], "ada")[part].id == f"{kill}-{last}"
        found.close()
