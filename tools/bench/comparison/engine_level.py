"""Measurements of engines without a server: the speed of decode and prefill."""

import argparse
from collections.abc import Mapping
from itertools import pairwise
from random import Random
from statistics import median
from typing import Final, NamedTuple

from tools.bench.comparison.contender import Contender
from tools.bench.comparison.rounds import by_turns, compare
from tools.bench.machine import busy_share
from tools.bench.table import Row, print_tables

NUM_TOKENS: Final = 34
DECODE_PROMPT: Final = 128


class Case(NamedTuple):
    """A number of concurrent requests with the same number of prompt tokens."""

    num_requests: int
    num_prompt_tokens: int
    num_tokens: int


def cases(arguments: argparse.Namespace) -> list[Case]:
    """Return the cases: decoding at each concurrency, and prompts with a single output token."""
    decoding = [Case(num, DECODE_PROMPT, NUM_TOKENS) for num in arguments.requests]
    return decoding + [Case(1, num, 1) for num in arguments.prompts]


def measure(contender: Contender, case: Case, number: int, vocab_size: int) -> tuple[float, float]:
    """Return decoded tokens/s and seconds to the first token, for new prompts."""
    steps = contender.generate(_prompts(Random(number), case, vocab_size), case.num_tokens)
    return decode_speed(steps, case.num_requests), steps[0][0]


def _prompts(random: Random, case: Case, vocab_size: int) -> list[list[int]]:
    return [
        [random.randrange(vocab_size) for _ in range(case.num_prompt_tokens)]
        for _ in range(case.num_requests)
    ]


def decode_speed(steps: list[tuple[float, int]], num_requests: int) -> float:
    """Return the tokens/s of the median step that gave each request a token, like the step before.

    0 if there is no such step. Steps that also compute a prompt are excluded.
    """
    times = [
        later - earlier
        for (earlier, count), (later, next_count) in pairwise(steps)
        if count == next_count == num_requests
    ]
    return num_requests / median(times) if times else 0.0


def rows(case: Case, results: dict[str, list[tuple[float, float]]], beside: Mapping[str, str]) -> list[Row]:
    """Return a row for each contender.

    beside: the name of ours that a contender is compared with. ratio: our speed over the contender's.
    """
    speeds = {name: _speeds(case, rounds) for name, rounds in results.items()}
    ratios = {name: compare(speeds.get(beside[name], []), own) for name, own in speeds.items()}
    return [
        {
            "what": "prefill" if case.num_tokens == 1 else "decode",
            "requests": case.num_requests,
            "prompt": case.num_prompt_tokens,
            "contender": name,
            "tokens_per_s": median(own),
            "first_token_ms": 1e3 * median(first for _, first in results[name]),
            "ratio": ratios[name].median,
            "lowest": ratios[name].lowest,
            "highest": ratios[name].highest,
        }
        for name, own in speeds.items()
    ]


def _speeds(case: Case, rounds: list[tuple[float, float]]) -> list[float]:
    """Return the tokens/s of each round: of prefill if one output token is requested, otherwise of decode."""
    if case.num_tokens == 1:
        return [case.num_prompt_tokens / first for _, first in rounds]
    return [speed for speed, _ in rounds]


def run(
    contenders: list[Contender], arguments: argparse.Namespace, vocab_size: int
) -> tuple[list[Row], float]:
    """Print the rows case by case; return them, and the maximum load by other programs before and after."""
    busy = busy_share()
    results = by_turns(
        contenders,
        cases(arguments),
        arguments.rounds,
        lambda contender, case, number: measure(contender, case, number, vocab_size),
        warm_up=cases(arguments),
    )
    beside = {contender.name: contender.kind.beside for contender in contenders}
    lines = print_tables([rows(case, measured, beside) for case, measured in results.items()])
    return lines, max(busy, busy_share())
