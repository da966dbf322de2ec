"""The random trials and combinations that a run makes: a share of them, or all (`make test-long`).

What is marked `long` is no part of `make test`: `make test-long SHORT=1` runs it, in CI too.
"""

import os
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

IS_WHOLE: Final = os.environ.get("VERBATIM_TESTS") == "whole"


def trials(usual: int, *, whole: int) -> int:
    """Return how many trials to make in this run."""
    return whole if IS_WHOLE else usual


def usually(values: Iterable[Any], kept: Container[Any]) -> list[Any]:
    """Return values of a parameter, of which `make test` tries those that are kept; the others are long."""
    return [value if value in kept else pytest.param(value, marks=pytest.mark.long) for value in values]


def left_out(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the tests marked `by_turns(first, second)`, parameters of theirs, whose combination is left out.

    The first parameter's first value meets all values of the second, and each of its others meets one, by
    turns; with `by_turns(first, second, always=n)`, it also meets the first n values of the second, in tests
    that become `long`. A test that was asked for by its own name alone stays.
    """
    if IS_WHOLE:
        return []
    tests: dict[str, list[tuple[pytest.Item, tuple[int, int]]]] = defaultdict(list)
    always = dict[str, int]()
    known: dict[tuple[str, str], list[Any]] = defaultdict(list)  # values, by test and parameter
    for item in items:
        mark = item.get_closest_marker("by_turns")
        if mark is not None:
            assert isinstance(item, pytest.Function)
            test = item.nodeid.partition("[")[0]
            first, second = (_number(known[test, name], item.callspec.params[name]) for name in mark.args)
            tests[test].append((item, (first, second)))
            always[test] = mark.kwargs.get("always", 0)
    dropped = list[pytest.Item]()
    for test, combinations in tests.items():
        num_second = 1 + max(second for _, (_, second) in combinations)
        for item, (first, second) in combinations:
            if len(combinations) > 1 and not meet(first, second, num_second, always[test]):
                dropped.append(item)
            elif first > 0 and second < always[test]:
                item.add_marker("long")
    return dropped


def take_turns(items: Iterable[pytest.Item]) -> None:
    """Mark those as long of the tests marked `takes_turns(parameter)` whose turn it is not.

    They share the values of the parameter with the others of their file that are so marked: the first value
    meets all of them, and each other value one, by turns.
    """
    known = defaultdict[Path, tuple[list[Any], list[Any]]](lambda: ([], []))  # values and tests, by file
    numbers = list[tuple[pytest.Item, int, int, list[Any]]]()
    for item in items:
        if (mark := item.get_closest_marker("takes_turns")) is not None:
            assert isinstance(item, pytest.Function)
            values, tests = known[item.path]
            value = _number(values, item.callspec.params[mark.args[0]])
            numbers.append((item, value, _number(tests, item.originalname), tests))
    for item, value, test, tests in numbers:
        if not meet(value, test, len(tests)):
            item.add_marker("long")


def _number(known: list[Any], value: Any) -> int:
    """Return the place of a value among those that are known, of which it becomes one."""
    if value not in known:
        known.append(value)
    return known.index(value)


def meet(first: int, second: int, num_second: int, always: int = 0) -> bool:
    """Return whether two values meet, by their numbers. always: the number of those that meet each other."""
    return first == 0 or second < always or second - always == first % max(1, num_second - always)
