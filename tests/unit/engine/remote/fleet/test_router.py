"""The choice among several servers: by load first, then by what they may have cached."""

from dataclasses import dataclass

from engine.remote.fleet.router import Router

A_REQUEST = 1000  # its tokens


@dataclass(eq=False)
class Server:
    num_outstanding: int = 0
    is_healthy: bool = True
    is_admitted: bool = True
    adapters: frozenset[str] = frozenset()


def keys(*names: str) -> list[bytes]:
    return [name.encode() for name in names]


def test_the_fewest_tokens_outstanding_count() -> None:
    servers = [Server(3), Server(1), Server(2)]
    assert Router(servers).choose(A_REQUEST) is servers[1]


def test_idle_servers_take_turns() -> None:
    servers = [Server() for _ in range(3)]
    router = Router(servers)
    chosen = [router.choose(A_REQUEST) for _ in range(5)]
    assert chosen == [servers[place] for place in (0, 1, 2, 0, 1)]


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
    short = router.choose(A_REQUEST, keys("a"))
    assert short is not None
    short.num_outstanding = 2 * A_REQUEST
    long = router.choose(A_REQUEST, keys("a", "b"))
    assert long is not None and long is not short
    short.num_outstanding = 0
    long.num_outstanding = A_REQUEST
    assert router.choose(A_REQUEST, keys("a", "b", "c")) is long


def test_a_prefix_yields_to_load_of_more_than_one_request() -> None:
    servers = [Server(), Server()]
    router = Router(servers)
    holder = router.choose(A_REQUEST, keys("a"))
    assert holder is not None
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
    assert router.choose(A_REQUEST, but=servers[:1]) is servers[1]
    servers[1].is_healthy = False
    assert router.choose(A_REQUEST, but=servers[:1]) is servers[1]
    assert router.choose(A_REQUEST, but=servers) is None


def test_a_server_that_is_not_admitted_gets_nothing_even_if_no_other_is_healthy() -> None:
    servers = [Server(is_admitted=False), Server(5, is_healthy=False)]
    router = Router(servers)
    assert router.num_admitted == 1
    assert router.choose(A_REQUEST) is servers[1]
    servers[1].is_admitted = False
    assert router.choose(A_REQUEST) is None


def test_what_is_remembered_is_bounded() -> None:
    servers = [Server(), Server()]
    router = Router(servers, max_keys=3)
    holder = router.choose(A_REQUEST, keys("a"))
    router.choose(A_REQUEST, keys("b", "c"))
    assert router.choose(A_REQUEST, keys("a")) is holder
    router.choose(A_REQUEST, keys("d"))
    assert len(router._holders) == 3
    assert set(router._holders) == {b"a", b"b", b"d"}, "what was used last stays, and a prompt's beginning"


def test_a_request_for_an_adapter_goes_where_it_is() -> None:
    servers = [Server(), Server(9 * A_REQUEST, adapters=frozenset({"poet"})), Server()]
    router = Router(servers)
    assert router.choose(A_REQUEST, adapter="poet") is servers[1]
    servers[2].adapters = frozenset({"poet"})
    assert router.choose(A_REQUEST, adapter="poet") is servers[2]
    servers[2].is_healthy = False
    assert router.choose(A_REQUEST, adapter="poet") is servers[1]
