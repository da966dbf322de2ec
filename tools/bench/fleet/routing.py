"""Simulate the routing over several servers: the balance of their load, and the cost of a decision."""

import argparse
import random
import time
from collections.abc import Callable, Container

from engine.remote.fleet.router import Router
from engine.scheduling.block_keys import BlockKeys
from tools.bench.fleet.curve import CURVES
from tools.bench.fleet.simulation import POLICIES, simulate
from tools.bench.table import Row, print_tables

_BLOCK_TOKENS = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--servers", type=int, nargs="+", default=[30, 100, 1000])
    parser.add_argument("--policies", choices=POLICIES, nargs="+", default=list(POLICIES))
    parser.add_argument("--curve", choices=sorted(CURVES), default="cpu", help="speed curve of the servers")
    parser.add_argument("--busy", type=int, default=8, help="mean number of requests of a server")
    parser.add_argument("--turns", type=int, default=4, help="turns of a conversation")
    parser.add_argument(
        "--count-left",
        action="store_true",
        help="count a request's tokens only until they are generated, instead of until it ends",
    )
    parser.add_argument(
        "--name-limits", action="store_true", help="let each request set its exact token limit"
    )
    parser.add_argument(
        "--blocks", type=int, default=64, help="blocks of a prompt, for the cost of a decision"
    )


async def run(arguments: argparse.Namespace) -> list[Row]:
    curve = CURVES[arguments.curve]
    print(f"servers compute as fast as {curve.about}")
    fleets = [
        _fleet(num_servers, policy, arguments)
        for num_servers in arguments.servers
        for policy in arguments.policies
    ]
    costs = [_cost(num_servers, arguments.blocks) for num_servers in (10, *arguments.servers)]
    return print_tables([fleets, costs])


def _fleet(num_servers: int, policy: str, arguments: argparse.Namespace) -> Row:
    """Return a row. imbalance: maximum over mean load. hits_pc: percent of turns on the previous server."""
    found = simulate(
        num_servers,
        CURVES[arguments.curve],
        policy,
        num_turns=arguments.turns,
        num_busy=arguments.busy,
        counts_left=arguments.count_left,
        names_limits=arguments.name_limits,
    )
    return {
        "policy": policy,
        "servers": num_servers,
        "imbalance": found.imbalance,
        "hits_pc": 100 * found.hits,
        "turn_s": found.seconds,
    }


class _Server:
    is_healthy = True
    is_admitted = True
    adapters: Container[str] = ()

    def __init__(self, num_outstanding: int) -> None:
        self.num_outstanding = num_outstanding


def _cost(num_servers: int, num_blocks: int) -> Row:
    """Return CPU microseconds, minimum of several rounds: of a decision, and of one with a prompt's keys."""
    draw = random.Random(7)
    servers = [_Server(draw.randrange(10_000)) for _ in range(num_servers)]
    prompt = [draw.randrange(1000) for _ in range(num_blocks * _BLOCK_TOKENS)]
    router = Router(servers)

    def choose() -> None:
        router.choose(1000)

    def choose_by_keys() -> None:
        router.choose(1000, BlockKeys((), _BLOCK_TOKENS).of(prompt, num_blocks))

    return {
        "decision": f"with {num_blocks} blocks",
        "servers": num_servers,
        "by_load_us": 1e6 * _least_s(choose),
        "by_both_us": 1e6 * _least_s(choose_by_keys),
    }


def _least_s(decide: Callable[[], None], num_rounds: int = 15, num_decisions: int = 100) -> float:
    rounds = []
    for _ in range(num_rounds):
        began = time.process_time()
        for _ in range(num_decisions):
            decide()
        rounds.append((time.process_time() - began) / num_decisions)
    return min(rounds)
