"""The share of combinations that `make test` runs misses no value."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.selection.effort import meet, usually
from tests.unit.docs.pages import ROOT


@pytest.mark.parametrize(
    ("num_first", "num_second", "always"),
    [(1, 1, 0), (1, 5, 0), (5, 2, 0), (3, 4, 0), (14, 7, 0), (5, 3, 1), (4, 1, 1), (2, 4, 2)],
)
def test_every_value_of_two_parameters_is_in_some_combination(
    num_first: int, num_second: int, always: int
) -> None:
    kept = [
        (first, second)
        for first in range(num_first)
        for second in range(num_second)
        if meet(first, second, num_second, always)
    ]
    assert {first for first, _ in kept} == set(range(num_first))
    assert {second for _, second in kept} == set(range(num_second))
    for second in range(always):
        assert {first for first, other in kept if other == second} == set(range(num_first))
    num_by_turns = num_second - always
    assert len(kept) == num_first * always + (num_first + num_by_turns - 1 if num_by_turns else 0)


def test_values_that_are_not_kept_are_long() -> None:
    kept, other = usually(["often", "rarely"], ("often",))
    assert kept == "often"
    assert other.values == ("rarely",) and [mark.name for mark in other.marks] == ["long"]


_TESTS = """
import pytest

pytestmark = pytest.mark.parametrize("case", "abc")

@pytest.mark.takes_turns("case")
def test_one(case): ...

@pytest.mark.takes_turns("case")
def test_other(case): ...

@pytest.mark.by_turns("case", "shape", always=1)
@pytest.mark.parametrize("shape", "xyz")
def test_shapes(case, shape): ...
"""
_HOOK = """
from tests.support.selection.effort import left_out, take_turns

def pytest_collection_modifyitems(items):
    dropped = left_out(items)
    items[:] = [item for item in items if item not in dropped]
    take_turns(items)
"""


@pytest.mark.parametrize(
    ("chosen", "collected"),
    [
        (
            "not long",
            "one[a] one[c] other[a] other[b] shapes[x-a] shapes[y-a] shapes[y-c] shapes[z-a] shapes[z-b]",
        ),
        ("long", "one[b] other[c] shapes[x-b] shapes[x-c]"),
    ],
)
def test_the_first_value_meets_all_tests_and_the_others_take_turns(
    tmp_path: Path, chosen: str, collected: str
) -> None:
    (tmp_path / "conftest.py").write_text(_HOOK)
    (tmp_path / "test_turns.py").write_text(_TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = long\n    takes_turns\n    by_turns\n")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", chosen, str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, env={"PATH": ""}, capture_output=True, text=True, check=True)
    found = [line.partition("::test_")[2] for line in ran.stdout.splitlines() if "::" in line]
    assert sorted(found) == collected.split()
