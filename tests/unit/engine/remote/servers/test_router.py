"""The choice among several servers: by load first, then by what they may have cached."""

import heapq
import random
from dataclasses import dataclass
from statistics import mean

from engine.remote.servers.router import Router

A_REQUEST = 1000  # its tokens


@dataclass(eq=False)
class Server:
    num_outstanding: int = 0
    is_healthy: bool = True
    adapters: frozenset[str] = frozenset()


def keys(*names: str) -> list[bytes]:
    return [name.encode() for name in names]


def test_the_fewest_tokens_outstanding_count() -> None:
    servers = [Server(3), Server(1), Server(2)]
    assert Router(servers).choose(A_REQUEST) is servers[1]


def test_idle_servers_take_turns() -> None:
    servers = [Server() for _ in range(3)]
    router = Router(servers)
    assert [servers.index(router.choose(A_REQUEST)) for _ in range(5)] == [0, 1, 2, 0, 1]


def test_a_prefix_leads_to_the_server_that_had_it() -> None:
    servers = [Server() for _ in range(3)]
    router = Router(servers)
    first = router.choose(A_REQUEST, keys("a", "b"))
    other = router.choose(A_REQUEST, keys("x"))
    assert other is not first
    assert router.choose(A_REQUEST, keys("a", "b", "c")) is first
    assert router.choose(A_REQUEST, keys("x", "y")) is other


def test_the_longest_prefix_counts() -> None:
    servers = [Server(), Server()]
    router = Router(servers)
    short, long = router.choose(A_REQUEST, keys("a")), None
    short.num_outstanding = 2 * A_REQUEST
    long = router.choose(A_REQUEST, keys("a", "b"))
    assert long is not short
    short.num_outstanding = 0
    long.num_outstanding = A_REQUEST
    assert router.choose(A_REQUEST, keys("a", "b", "c")) is long


def test_a_prefix_yields_to_load_of_more_than_one_request() -> None:
    servers = [Server(), Server()]
    router = Router(servers)
    holder = router.choose(A_REQUEST, keys("a"))
    holder.num_outstanding = A_REQUEST
    assert router.choose(A_REQUEST, keys("a")) is holder
    holder.num_outstanding = A_REQUEST + 1
    assert router.choose(A_REQUEST, keys("a")) is not holder


def test_unhealthy_servers_get_nothing_unless_all_are() -> None:
    servers = [Server(0, is_healthy=False), Server(5)]
    router = Router(servers)
    assert router.choose(A_REQUEST) is servers[1]
    servers[1].is_healthy = False
    assert router.choose(A_REQUEST) is servers[0]


def test_a_second_try_goes_elsewhere_if_it_can() -> None:
    servers = [Server(), Server(5)]
    router = Router(servers)
    assert router.choose(A_REQUEST, but=servers[0]) is servers[1]
    servers[1].is_healthy = False
    assert router.choose(A_REQUEST, but=servers[0]) is servers[1]
    assert Router(servers[:1]).choose(A_REQUEST, but=servers[0]) is servers[0]


def test_what_is_remembered_is_bounded() -> None:
    servers = [Server(), Server()]
    router = Router(servers, max_keys=3)
    holder = router.choose(A_REQUEST, keys("a"))
    router.choose(A_REQUEST, keys("b", "c"))
    assert router.choose(A_REQUEST, keys("a")) is holder
    router.choose(A_REQUEST, keys("d"))
    assert len(router._holders) == 3
    assert set(router._holders) == {b"a", b"b", b"d"}, "what was used last stays, and a prompt's beginning"


@dataclass
class Measured:
    """imbalance: the most requests that a server computes over the mean, on average over all decisions.

    hits: the share of turns that went to the server that had the conversation's turn before. seconds: of a
    turn, on average.
    """

    imbalance: float
    hits: float
    seconds: float


def simulate(
    num_servers: int, *, has_keys: bool, is_random: bool = False, num_turns: int = 4, num_busy: int = 8
) -> Measured:
    """Run conversations over servers that compute as fast as measured on two cores (docs/cpu_profile.md).

    A token of a prompt takes 4.5 ms, and a step of n sequences 50 + 1.6 n. All conversations begin with the
    same system prompt. A server has num_busy requests on average. Clients leave the limit of tokens open, so
    that each request seems as long as the next.
    """
    draw = random.Random(7)
    servers = [Server() for _ in range(num_servers)]
    num_running = dict.fromkeys(range(num_servers), 0)
    router = Router(servers)
    ends: list[tuple[float, int, int]] = []  # time, server, tokens outstanding
    last: dict[int, int] = {}  # server by conversation
    hits: list[bool] = []
    imbalances: list[float] = []
    seconds: list[float] = []
    now = 0.0
    for turn in range(num_turns):
        for talk in range(num_servers * 3 * num_busy):
            now += draw.expovariate(num_servers * num_busy / 15.0)
            while ends and ends[0][0] <= now:
                _, place, done = heapq.heappop(ends)
                servers[place].num_outstanding -= done
                num_running[place] -= 1
            num_prompt_tokens = 200 + 300 * turn
            names = ["system", *(f"{talk}/{number}" for number in range(turn + 1))] if has_keys else []
            chosen = (
                draw.choice(servers) if is_random else router.choose(num_prompt_tokens + 1024, keys(*names))
            )
            place = servers.index(chosen)
            is_hit = last.get(talk) == place
            hits += [is_hit] if turn else []
            last[talk] = place
            num_running[place] += 1
            num_computed = 300 if is_hit else num_prompt_tokens
            num_new = min(draw.lognormvariate(5.0, 0.7), 1024)
            took = 0.0045 * num_computed + num_new * (0.050 + 0.0016 * num_running[place])
            seconds.append(took)
            chosen.num_outstanding += num_prompt_tokens + 1024
            heapq.heappush(ends, (now + took, place, num_prompt_tokens + 1024))
            imbalances.append(max(num_running.values()) * num_servers / sum(num_running.values()))
    half = len(imbalances) // 2
    return Measured(mean(imbalances[half:]), mean(hits), mean(seconds[half:]))


def test_many_servers_are_loaded_alike_though_conversations_stay_where_they_are() -> None:
    by_load = simulate(30, has_keys=False)
    by_both = simulate(30, has_keys=True)
    at_random = simulate(30, has_keys=False, is_random=True)
    assert by_load.imbalance < 0.75 * at_random.imbalance
    assert by_both.imbalance < 1.2 * by_load.imbalance, "one prompt that all share draws no crowd"
    assert by_both.hits > 5 * by_load.hits
    assert by_both.seconds < by_load.seconds


def test_a_request_for_an_adapter_goes_where_it_is() -> None:
    servers = [Server(), Server(9 * A_REQUEST, adapters=frozenset({"poet"})), Server()]
    router = Router(servers)
    assert router.choose(A_REQUEST, adapter="poet") is servers[1]
    assert router.choose(A_REQUEST, adapter="poet", but=servers[1]) is servers[1]
    servers[2].adapters = frozenset({"poet"})
    assert router.choose(A_REQUEST, adapter="poet") is servers[2]
    servers[2].is_healthy = False
    assert router.choose(A_REQUEST, adapter="poet") is servers[1]
