"""The tries of one sequence: the errors that lead to another server, and what they say of the failed one."""

import errno
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from engine.port.errors import EngineBusy, EngineError, GenerationFailed, InvalidRequest
from engine.remote.client.failures import NoAnswer, ServerFailed
from engine.remote.client.upstream import Upstream
from engine.remote.fleet.attempts import Attempts
from engine.remote.fleet.router import Router
from engine.remote.fleet.server import Server

A_REQUEST = 10  # its tokens


@pytest_asyncio.fixture
async def servers() -> AsyncIterator[list[Server]]:
    made = [Server(Upstream(f"http://127.0.0.1:{port}", api_key=None, timeout_s=1)) for port in range(1, 6)]
    yield made
    for server in made:
        await server.close()


def attempts(servers: list[Server]) -> Attempts:
    return Attempts(Router(servers), A_REQUEST, ())


def no_answer(number: int = errno.ECONNREFUSED) -> NoAnswer:
    error = NoAnswer("refused")
    error.__cause__ = OSError(number, "refused")
    return error


async def test_servers_that_give_no_answer_are_lost_each_and_three_are_tried(servers: list[Server]) -> None:
    with pytest.raises(EngineBusy), attempts(servers) as tries:
        for num_lost in range(1, 5):
            assert sum(server.is_lost for server in servers) == num_lost - 1
            tries.fail(no_answer())
    assert sum(server.is_lost for server in servers) == 3
    assert not any(server.num_outstanding for server in servers)


async def test_the_second_of_two_that_are_lost_gets_no_further_requests(servers: list[Server]) -> None:
    two = servers[:2]
    with pytest.raises(EngineBusy), attempts(two) as tries:
        tries.fail(no_answer())
        tries.fail(no_answer())
    assert [server.is_lost for server in two] == [True, True]


async def test_a_server_that_is_alone_is_tried_again_and_never_lost(servers: list[Server]) -> None:
    alone = servers[:1]
    with pytest.raises(EngineBusy), attempts(alone) as tries:
        tries.fail(no_answer())
        assert tries.server is alone[0] and alone[0].num_outstanding == A_REQUEST
        tries.fail(no_answer())
    assert not alone[0].is_lost


@pytest.mark.parametrize("error", [EngineBusy("full"), ServerFailed("500")], ids=["no room", "failed"])
async def test_a_server_that_is_alone_refuses_at_once(servers: list[Server], error: EngineError) -> None:
    with pytest.raises(type(error)), attempts(servers[:1]) as tries:
        tries.fail(error)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
async def test_a_process_without_files_loses_no_server(servers: list[Server], number: int) -> None:
    with pytest.raises(EngineBusy), attempts(servers) as tries:
        for _ in range(3):
            tries.fail(no_answer(number))
    assert not any(server.is_lost for server in servers)


async def test_what_every_server_fails_on_is_not_carried_to_all(servers: list[Server]) -> None:
    with pytest.raises(ServerFailed), attempts(servers) as tries:
        tries.fail(ServerFailed("500"))
        assert tries.server is not servers[0]
        tries.fail(ServerFailed("500"))


@pytest.mark.parametrize("error", [InvalidRequest("no"), GenerationFailed("in the middle")])
async def test_other_errors_end_the_request(servers: list[Server], error: EngineError) -> None:
    with pytest.raises(type(error)), attempts(servers) as tries:
        tries.fail(error)
    assert servers[0].num_outstanding == 0


@pytest.mark.parametrize(
    "error, rests",
    [
        (EngineBusy("full"), True),
        (ServerFailed("500"), True),
        (GenerationFailed("cut"), True),
        (InvalidRequest("a bad schema"), False),
    ],
)
async def test_only_a_servers_own_faults_count_against_it(
    servers: list[Server], error: EngineError, rests: bool
) -> None:
    router = Router(servers)
    for server in servers[1:]:
        server.num_outstanding = 1000
    for _ in range(3):
        with pytest.raises(EngineError), Attempts(router, A_REQUEST, ()) as tries:
            assert tries.server is servers[0]
            tries.fail(error)
            raise error
    assert servers[0].is_healthy is not rests


async def test_a_trial_is_over_with_the_first_token(servers: list[Server]) -> None:
    """A stream may last minutes: others need not wait for its end."""
    server = servers[0]
    server._is_half_open = True
    with attempts(servers[:1]) as tries:
        assert not server.is_healthy
        for _ in range(2):
            tries.begun()
            assert server.is_healthy
        assert server.num_outstanding == A_REQUEST, "until the end"
    assert server.num_outstanding == 0


async def test_a_trial_whose_client_leaves_is_followed_by_another(servers: list[Server]) -> None:
    server = servers[0]
    server._is_half_open = True
    with attempts(servers[:1]):
        assert not server.is_healthy
    assert server.is_healthy


async def test_no_server_that_serves_the_model_is_no_room(servers: list[Server]) -> None:
    for server in servers:
        server.refuse("another model")
    with pytest.raises(EngineBusy, match="serves its model"), attempts(servers):
        pass
