"""The random trials and combinations that a run makes: a share of them, or all (`make test-long`)."""

import os
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

import pytest

IS_WHOLE: Final = os.environ.get("VERBATIM_TESTS") == "whole"


def trials(usual: int, *, whole: int) -> int:
    """Return how many trials to make in this run."""
    return whole if IS_WHOLE else usual


def left_out(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the tests marked `by_turns(first, second)`, parameters of theirs, whose combination is left out.

    The first parameter's first value meets all values of the second, and each of its others meets one, by
    turns; with `by_turns(first, second, always=n)`, it also meets the first n values of the second. A test
    that was asked for by its own name alone stays.
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
    return [
        item
        for test, combinations in tests.items()
        for item, (first, second) in combinations
        if len(combinations) > 1
        and not meet(first, second, 1 + max(each[1] for _, each in combinations), always[test])
    ]


def _number(known: list[Any], value: Any) -> int:
    """Return the place of a value among those that are known, of which it becomes one."""
    if value not in known:
        known.append(value)
    return known.index(value)


def meet(first: int, second: int, num_second: int, always: int = 0) -> bool:
    """Return whether two values meet, by their numbers. always: the number of those that meet each other."""
    return first == 0 or second < always or second - always == first % max(1, num_second - always)
