"""A simulation of conversations on many servers, with the engine's own router."""

import heapq
import math
import random
from collections.abc import Container
from dataclasses import dataclass
from statistics import mean
from typing import Final

from engine.remote.fleet.router import Router
from tools.bench.fleet.curve import Curve

POLICIES: Final = ("random", "load", "prefix")

_MAX_NEW_TOKENS: Final = 1024
_LOG_MEAN, _LOG_DEVIATION = 5.0, 0.7  # of the number of generated tokens
_FIRST_PROMPT, _LATER_PROMPT = 200, 300  # prompt tokens of the first turn, and added by each turn


class Clock:
    now = 0.0


class SimulatedServer:
    """A simulated server with the properties that the router uses.

    num_running: number of running sequences. counts_left: generated tokens are no longer outstanding; since
    tokens are generated evenly, the outstanding ones decrease linearly.
    """

    is_healthy = True
    is_admitted = True
    adapters: Container[str] = ()

    def __init__(self, place: int, clock: Clock, *, counts_left: bool) -> None:
        self.place = place
        self.num_running = 0
        self._clock = clock
        self._counts_left = counts_left
        self._num_at_zero = 0.0  # outstanding tokens, extrapolated to time 0
        self._rate = 0.0  # tokens per second

    @property
    def num_outstanding(self) -> int:
        return round(self._num_at_zero - self._rate * self._clock.now)

    def begin(self, num_tokens: int) -> None:
        self.num_running += 1
        self._num_at_zero += num_tokens

    def decode(self, rate: float) -> None:
        """Start generating the tokens of a sequence."""
        if self._counts_left:
            self._num_at_zero += rate * self._clock.now
            self._rate += rate

    def end(self, num_tokens: int, rate: float, began: float) -> None:
        """End a sequence. began: time when it began to decode."""
        self.num_running -= 1
        self._num_at_zero -= num_tokens
        if self._counts_left:
            self._num_at_zero -= rate * began
            self._rate -= rate


@dataclass
class Measured:
    """The results of a simulation.

    imbalance: maximum over mean number of requests, averaged over all decisions. hits: share of turns that
    were sent to the server of the previous turn. seconds: mean time of a turn.
    """

    imbalance: float
    hits: float
    seconds: float


def simulate(
    num_servers: int,
    curve: Curve,
    policy: str,
    *,
    num_turns: int = 4,
    num_busy: int = 8,
    counts_left: bool = False,
    names_limits: bool = False,
) -> Measured:
    """Simulate conversations that all begin with the same system prompt.

    policy: one of POLICIES. num_busy: mean number of requests of a server. counts_left: as in
    SimulatedServer. names_limits: requests set their exact token limit; otherwise clients set no limit, and
    all requests count equally. Seeds are fixed.
    """
    draw = random.Random(7)
    clock = Clock()
    servers = [SimulatedServer(place, clock, counts_left=counts_left) for place in range(num_servers)]
    router = Router(servers)
    rate = num_servers * num_busy / _mean_turn_s(curve, num_turns, num_busy)
    # Events: time, tie-breaker, server, outstanding tokens, tokens per second, time of the first token; the
    # tokens are 0 for the event in which a sequence begins to decode.
    changes: list[tuple[float, int, SimulatedServer, int, float, float]] = []
    last: dict[int, SimulatedServer] = {}  # by conversation
    hits: list[bool] = []
    imbalances: list[float] = []
    seconds: list[float] = []
    number = 0
    arrival = 0.0
    for turn in range(num_turns):
        for talk in range(num_servers * 3 * num_busy):
            arrival += draw.expovariate(rate)
            while changes and changes[0][0] <= arrival:
                clock.now, _, server, done, speed, began = heapq.heappop(changes)
                if done:
                    server.end(done, speed, began)
                else:
                    server.decode(speed)
            clock.now = arrival
            num_prompt = _FIRST_PROMPT + _LATER_PROMPT * turn
            num_new = max(round(min(draw.lognormvariate(_LOG_MEAN, _LOG_DEVIATION), _MAX_NEW_TOKENS)), 1)
            num_tokens = num_prompt + (num_new if names_limits else _MAX_NEW_TOKENS)
            names = ["system", *(f"{talk}/{place}" for place in range(turn + 1))]
            keys = [name.encode() for name in names] if policy == "prefix" else []
            chosen = draw.choice(servers) if policy == "random" else router.choose(num_tokens, keys)
            assert chosen is not None
            is_hit = last.get(talk) is chosen
            hits += [is_hit] if turn else []
            last[talk] = chosen
            chosen.begin(num_tokens)
            prompt_s = curve.prompt_token_s * (_LATER_PROMPT if is_hit else num_prompt)
            step_s = curve.step_s(chosen.num_running)
            first = arrival + prompt_s
            heapq.heappush(changes, (first, number, chosen, 0, 1 / step_s, first))
            heapq.heappush(changes, (first + num_new * step_s, number, chosen, num_tokens, 1 / step_s, first))
            number += 1
            seconds.append(prompt_s + num_new * step_s)
            running = [server.num_running for server in servers]
            imbalances.append(max(running) * num_servers / sum(running))
    half = len(imbalances) // 2
    return Measured(mean(imbalances[half:]), mean(hits), mean(seconds[half:]))


def _mean_turn_s(curve: Curve, num_turns: int, num_busy: int) -> float:
    num_prompt = _FIRST_PROMPT + _LATER_PROMPT * (num_turns - 1) / 2
    num_new = math.exp(_LOG_MEAN + _LOG_DEVIATION**2 / 2)
    return curve.prompt_token_s * num_prompt + num_new * curve.step_s(num_busy)
