"""The choice among several servers: by load and health, with another try where no token has come."""

import errno
from collections.abc import AsyncIterator
from contextlib import nullcontext

import pytest
import pytest_asyncio

from engine.port.errors import EngineBusy, EngineError, GenerationFailed, InvalidRequest
from engine.remote.client.failures import NoAnswer, ServerFailed
from engine.remote.client.upstream import Upstream
from engine.remote.fleet.choice import least_loaded, run_on_one
from engine.remote.fleet.server import Server

A_REQUEST = 10  # its tokens


@pytest_asyncio.fixture
async def servers() -> AsyncIterator[list[Server]]:
    made = [Server(Upstream(f"http://127.0.0.1:{port}", api_key=None, timeout_s=1)) for port in (1, 2, 3)]
    yield made
    assert not any(server.num_outstanding for server in made)
    for server in made:
        await server.upstream.close()


async def tried(
    servers: list[Server],
    *errors: Exception,
    adapter: str | None = None,
    raises: type[EngineError] | None = None,
) -> list[Server]:
    """Return the servers on which a sequence was run, in order. errors: of the first ones; others succeed."""
    found: list[Server] = []

    async def run(server: Server) -> None:
        assert server.num_outstanding == A_REQUEST
        found.append(server)
        if len(found) <= len(errors):
            raise errors[len(found) - 1]

    with nullcontext() if raises is None else pytest.raises(raises):
        await run_on_one(servers, A_REQUEST, adapter, run)
    return found


def no_answer(number: int = errno.ECONNREFUSED) -> NoAnswer:
    error = NoAnswer("refused")
    error.__cause__ = OSError(number, "refused")
    return error


async def test_the_server_with_the_fewest_outstanding_tokens_is_chosen(servers: list[Server]) -> None:
    for server, num_tokens in zip(servers, (3, 1, 2), strict=True):
        server.num_outstanding = num_tokens
    assert least_loaded(servers) is servers[1]
    for server in servers:
        server.num_outstanding = 0


async def test_idle_servers_take_turns(servers: list[Server]) -> None:
    chosen = [await tried(servers) for _ in range(5)]
    assert chosen == [[servers[place]] for place in (0, 1, 2, 0, 1)]


async def test_unhealthy_servers_get_nothing_unless_all_are(servers: list[Server]) -> None:
    servers[0].lose()
    servers[1].lose()
    assert least_loaded(servers) is servers[2]
    servers[2].lose()
    assert least_loaded(servers) is servers[0]


async def test_a_server_that_is_not_admitted_gets_nothing_even_if_no_other_is_healthy(
    servers: list[Server],
) -> None:
    servers[0].refuse("another model")
    servers[1].lose()
    servers[2].lose()
    assert least_loaded(servers) is servers[1]
    for server in servers:
        server.refuse("another model")
    assert await tried(servers, raises=EngineBusy) == []


async def test_a_request_for_an_adapter_goes_where_it_is(servers: list[Server]) -> None:
    servers[2].upstream.adapters = frozenset({"poet"})
    assert await tried(servers, adapter="poet") == [servers[2]]
    servers[2].lose()
    servers[1].upstream.adapters = frozenset({"poet"})
    assert await tried(servers, adapter="poet") == [servers[1]]
    assert await tried(servers, adapter="clerk") == [servers[0]]


@pytest.mark.parametrize("error", [EngineBusy("full"), ServerFailed("500"), no_answer()], ids=type)
async def test_a_sequence_without_a_token_is_run_on_one_other_server(
    servers: list[Server], error: Exception
) -> None:
    assert await tried(servers, error) == servers[:2]
    is_lost = isinstance(error, NoAnswer)
    assert [server.is_healthy for server in servers] == [not is_lost, True, True]


@pytest.mark.parametrize("error", [EngineBusy("full"), ServerFailed("500"), no_answer()], ids=type)
async def test_there_is_one_more_try_and_no_third(servers: list[Server], error: Exception) -> None:
    raises = error if isinstance(error, EngineError) else EngineBusy("cannot be reached")
    assert await tried(servers, error, error, raises=type(raises)) == servers[:2]


@pytest.mark.parametrize("error", [InvalidRequest("no"), GenerationFailed("in the middle")], ids=type)
async def test_other_errors_end_the_request(servers: list[Server], error: EngineError) -> None:
    assert await tried(servers, error, raises=type(error)) == servers[:1]


async def test_a_server_that_is_alone_is_tried_again_if_it_did_not_answer_and_never_lost(
    servers: list[Server],
) -> None:
    servers[1].refuse("another model")
    servers[2].refuse("another model")
    assert await tried(servers, no_answer()) == [servers[0]] * 2
    assert await tried(servers, no_answer(), no_answer(), raises=EngineBusy) == [servers[0]] * 2
    assert servers[0].is_healthy


@pytest.mark.parametrize("error", [EngineBusy("full"), ServerFailed("500")], ids=type)
async def test_a_server_that_is_alone_refuses_at_once(servers: list[Server], error: EngineError) -> None:
    assert await tried(servers[:1], error, raises=type(error)) == servers[:1]


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
async def test_a_process_without_files_loses_no_server(servers: list[Server], number: int) -> None:
    assert await tried(servers, no_answer(number), no_answer(number), raises=EngineBusy) == servers[:2]
    assert all(server.is_healthy for server in servers)
