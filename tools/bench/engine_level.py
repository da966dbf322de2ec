"""Engines without a server: how fast they decode and read prompts."""

import argparse
from itertools import pairwise
from random import Random
from statistics import median
from typing import Final, NamedTuple

from tools.bench.contender import Contender
from tools.bench.machine import busy_share
from tools.bench.table import Row

NUM_TOKENS: Final = 34
DECODE_PROMPT: Final = 128


class Case(NamedTuple):
    """So many requests at once, each of so many prompt tokens."""

    num_requests: int
    num_prompt_tokens: int
    num_tokens: int


def cases(arguments: argparse.Namespace) -> list[Case]:
    """Decoding at each concurrency; prompts alone, whose one token ends them."""
    decoding = [Case(num, DECODE_PROMPT, NUM_TOKENS) for num in arguments.requests]
    return decoding + [Case(1, num, 1) for num in arguments.prompts]


def measure(
    contenders: list[Contender], wanted: list[Case], rounds: int, vocab_size: int
) -> dict[tuple[str, Case], list[tuple[float, float]]]:
    """Of each contender and case: decoded tokens/s and seconds to the first token, round by round.

    They take turns, so that what else the machine does meets them alike. The first round warms up.
    """
    told: dict[tuple[str, Case], list[tuple[float, float]]] = {}
    for number in range(rounds + 1):
        for case in wanted:
            random = Random(number)  # no two rounds have the same prompts
            prompts = [
                [random.randrange(vocab_size) for _ in range(case.num_prompt_tokens)]
                for _ in range(case.num_requests)
            ]
            for contender in contenders:
                if number == 0 and case.num_requests > 1:
                    continue  # a step of one request warms up all that is set up at need
                steps = contender.generate(prompts, case.num_tokens)
                if number > 0:
                    speed = decode_speed(steps, case.num_requests)
                    told.setdefault((contender.name, case), []).append((speed, steps[0][0]))
    return told


def decode_speed(steps: list[tuple[float, int]], num_requests: int) -> float:
    """Tokens/s of the median step that gave each request a token, after one that did so too.

    0 where there are none. A step that computes a prompt beside is no such step.
    """
    times = [
        later - earlier
        for (earlier, count), (later, next_count) in pairwise(steps)
        if count == next_count == num_requests
    ]
    return num_requests / median(times) if times else 0.0


def rows(
    contenders: list[Contender],
    wanted: list[Case],
    told: dict[tuple[str, Case], list[tuple[float, float]]],
) -> list[Row]:
    """A line for each contender and case. ratio: ours to theirs, above 1 where ours is faster."""
    lines: list[Row] = []
    for case in wanted:
        figures = {
            contender.name: _figure(case, told[contender.name, case])
            for contender in contenders
            if (contender.name, case) in told
        }
        ours = figures.get("verbatim")
        for name, figure in figures.items():
            lines.append(
                {
                    "what": "prefill" if case.num_tokens == 1 else "decode",
                    "requests": case.num_requests,
                    "prompt": case.num_prompt_tokens,
                    "contender": name,
                    "tokens_per_s": figure,
                    "first_token_ms": 1e3 * median(first for _, first in told[name, case]),
                    "ratio": ours / figure if ours and figure else 0.0,
                }
            )
    return lines


def _figure(case: Case, rounds: list[tuple[float, float]]) -> float:
    if case.num_tokens == 1:
        return case.num_prompt_tokens / median(first for _, first in rounds)
    return median(speed for speed, _ in rounds)


def run(
    contenders: list[Contender], arguments: argparse.Namespace, vocab_size: int
) -> tuple[list[Row], float]:
    """The rows, and how busy others kept the machine before and after."""
    wanted = cases(arguments)
    before = busy_share()
    told = measure(contenders, wanted, arguments.rounds, vocab_size)
    return rows(contenders, wanted, told), max(before, busy_share())
