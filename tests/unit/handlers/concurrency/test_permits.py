"""The permits of one request: shared among its prompts, and given back as its sequences end."""

import asyncio
from contextlib import ExitStack
from random import Random

import pytest

from handlers.concurrency.permits import Permits, Turn


class Server:
    """Counts what it is given back."""

    def __init__(self, num_permits: int, num_sequences: int) -> None:
        self.num_back = 0
        self.permits = Permits(num_permits, num_sequences, self.take)

    def take(self, num_permits: int) -> None:
        self.num_back += num_permits


async def test_a_permit_goes_back_as_each_sequence_ends() -> None:
    server = Server(3, 3)
    with await server.permits.turn(3) as turn:
        turn.end(1)
        assert server.num_back == 1
        turn.end(2)
        assert server.num_back == 3
    server.permits.close()
    assert server.num_back == 3


async def test_a_permit_is_kept_while_as_many_sequences_are_still_to_run() -> None:
    server = Server(2, 5)
    turn = await server.permits.turn(5)
    assert turn.num_parallel == 2
    for num_back in (0, 0, 0, 1, 2):
        turn.end(1)
        assert server.num_back == num_back


def test_a_turn_that_is_free_comes_without_the_event_loop() -> None:
    coming = Server(2, 3).permits.turn(2)
    with pytest.raises(StopIteration) as come:
        coming.send(None)
    assert come.value.value.num_parallel == 2


async def test_a_turn_that_is_free_waits_for_those_who_were_there_before() -> None:
    permits = Server(2, 5).permits
    first = await permits.turn(1)
    wide, narrow = asyncio.create_task(permits.turn(2)), asyncio.create_task(permits.turn(1))
    await asyncio.sleep(0)
    assert not (wide.done() or narrow.done())  # though one permit is idle
    first.end(1)
    assert (await wide).num_parallel == 2
    assert not narrow.done()
    (await wide).end(2)
    assert (await narrow).num_parallel == 1


async def test_a_search_keeps_its_beams_until_it_ends() -> None:
    server = Server(4, 4)
    turn = await server.permits.turn(1, num_beams=4)
    assert (turn.num_parallel, server.num_back) == (4, 0)
    turn.end(1)
    assert server.num_back == 4


async def test_prompts_take_turns_in_their_order() -> None:
    server = Server(2, 6)
    first = await server.permits.turn(2)
    others = [asyncio.create_task(server.permits.turn(2)) for _ in range(2)]
    await asyncio.sleep(0)
    first.end(1)
    await asyncio.sleep(0)
    assert [other.done() for other in others] == [False, False]
    first.end(1)
    second = await others[0]
    assert (others[1].done(), server.num_back) == (False, 0)
    second.end(2)
    third = await others[1]
    third.end(2)
    assert server.num_back == 2


async def test_who_waits_no_longer_leaves_the_turn_to_the_next() -> None:
    server = Server(1, 3)
    first = await server.permits.turn(1)
    second, third = [asyncio.create_task(server.permits.turn(1)) for _ in range(2)]
    await asyncio.sleep(0)
    first.end(1)  # the second has its turn and does not know yet
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    assert (await third).num_parallel == 1


async def test_what_ends_after_the_request_gives_nothing_back_twice() -> None:
    server = Server(2, 2)
    turn = await server.permits.turn(2)
    server.permits.close()
    turn.end(1)
    turn.__exit__(None, None, None)
    assert server.num_back == 2


@pytest.mark.parametrize("seed", range(50))
async def test_however_prompts_and_sequences_end_every_permit_goes_back_once(seed: int) -> None:
    draw = Random(seed)
    sizes = [draw.randint(1, 6) for _ in range(draw.randint(1, 8))]
    num_permits = min(sum(sizes), draw.randint(1, 8))
    server = Server(num_permits, sum(sizes))

    async def run(size: int) -> None:
        with await server.permits.turn(size) as turn:
            await _end_all(turn, size, draw)

    with ExitStack() as at_end:
        at_end.callback(server.permits.close)
        async with asyncio.TaskGroup() as tasks:
            for size in sizes:
                tasks.create_task(run(size))
        assert server.num_back == num_permits  # before the request is closed
    assert server.num_back == num_permits


async def _end_all(turn: Turn, size: int, draw: Random) -> None:
    """Ends a prompt's sequences some at a time, or leaves the last to the end of the turn, as failures do."""
    while size > 0:
        await asyncio.sleep(0)
        num_ended = draw.randint(1, size)
        if num_ended == size and draw.random() < 0.3:
            return
        turn.end(num_ended)
        size -= num_ended
