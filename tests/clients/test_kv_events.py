"""`verbatim serve --kv-events`: a router that subscribes knows what the server has cached, and where.

tests/unit/engine/kv_events has what a subscriber misses, and how it is told.
"""

from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.conftest import LIMITS, Server, running_server
from tests.support.servers.kv_subscriber import KVSubscriber
from tests.support.servers.ports import free_ports
from tests.support.servers.processes import children

BLOCK_SIZE: Final = 16
PROMPTS: Final = (tuple(range(40, 90)), tuple(range(40, 100)), tuple(range(300, 316)), (5, 6, 7))
Chain = tuple[int, ...]


# Each starts a server.
pytestmark = pytest.mark.long


def test_a_subscriber_knows_what_is_cached() -> None:
    followed()


def test_it_knows_the_same_whichever_process_answers() -> None:
    assert followed("--api-workers", "2") == followed()  # equal tokens have equal hashes in all servers


def followed(*options: str) -> dict[int, Any]:
    """Follow a server from its first request to its end, and return the blocks that it had cached."""
    events, replay = free_ports(2)
    addresses = ("--kv-events", f"tcp://*:{events}", "--kv-events-replay", f"tcp://*:{replay}")
    subscriber = KVSubscriber(f"tcp://127.0.0.1:{events}", f"tcp://127.0.0.1:{replay}", topic="kv@pod@m")
    try:
        with running_server(*LIMITS, *addresses, "--kv-events-topic", "kv@pod@m", *options) as server:
            assert publishers(server) == [server.process.pid]
            sequences = [(*prompt, *generated(server, prompt)) for prompt in PROMPTS]
            # The last token of a sequence has not been computed.
            expected = {chain for one in sequences for chain in chains(one[:-1])}
            subscriber.follow_until(lambda: held(subscriber) == expected)
            blocks = dict(subscriber.blocks)
            # What a router foretells by the index is what the server then takes from its cache.
            asked = (*sequences[0], 7)
            known = max(len(chain) for chain in held(subscriber) if asked[: len(chain)] == chain)
            assert known == (len(sequences[0]) - 1) // BLOCK_SIZE * BLOCK_SIZE
            assert answer(server, asked)["usage"]["prompt_tokens_details"]["cached_tokens"] == known
        subscriber.follow_until(lambda: not subscriber.blocks)  # a server that stops has nothing cached
    finally:
        subscriber.close()
    return blocks


def answer(server: Server, prompt: Chain) -> Any:
    """Ask by a connection of its own, so that any of the processes may answer."""
    params = {"max_tokens": 24, "temperature": 0, "ignore_eos": True}
    body = {"token_ids": prompt, "sampling_params": params}
    response = httpx.post(f"{server.url}/inference/v1/generate", json=body, timeout=60)
    assert response.status_code == 200, response.text
    return response.json()


def generated(server: Server, prompt: Chain) -> Chain:
    return tuple(answer(server, prompt)["choices"][0]["token_ids"])


def chains(tokens: Chain) -> set[Chain]:
    """Return the tokens up to the end of each full block."""
    return {tokens[:end] for end in range(BLOCK_SIZE, len(tokens) + 1, BLOCK_SIZE)}


def held(subscriber: KVSubscriber) -> set[Chain]:
    """Return the same of the blocks that the subscriber knows, each after those before it."""

    def chain(block: int | None) -> Chain:
        if block is None:
            return ()
        parent, tokens, _ = subscriber.blocks[block]
        return (*chain(parent), *tokens)

    return {chain(block) for block in subscriber.blocks}


def publishers(server: Server) -> list[int]:
    """Return those of the server's processes that have loaded ZMQ."""
    processes = [server.process.pid, *children(server.process.pid)]
    return [pid for pid in processes if b"libzmq" in Path(f"/proc/{pid}/maps").read_bytes()]
