import pytest

from handlers.access.hosts import AllowedHosts, host_of, is_loopback


@pytest.mark.parametrize(
    "authority",
    [
        "localhost",
        "LocalHost:8080",
        "localhost.",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.8.9.10:8080",
        "[::1]",
        "[::1]:8080",
        "[0:0:0:0:0:0:0:1]:8080",
    ],
)
def test_this_machines_names_are_always_admitted(authority: str) -> None:
    assert AllowedHosts().admits(authority)
    assert AllowedHosts(("example.com",)).admits(authority)


@pytest.mark.parametrize(
    "authority",
    [
        "evil.example",
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evil.example:127.0.0.1",
        "evil.example@127.0.0.1",
        "127.0.0.1@evil.example",
        "0.0.0.0:8080",
        "[::]:8080",
        "192.168.1.7",
        "localhost evil.example",
        "127.0.0.1\x00",
        "[",
        "",
    ],
)
def test_no_other_name_is_admitted(authority: str) -> None:
    assert not AllowedHosts().admits(authority)


def test_the_operators_names_are_admitted_whatever_their_case_and_port() -> None:
    hosts = AllowedHosts(("LLM.example.com", "*.inner.example", "[fe80::7]"))
    for authority in ("llm.example.com", "llm.EXAMPLE.com:443", "a.b.inner.example", "[FE80::7]:80"):
        assert hosts.admits(authority), authority
    for authority in ("example.com", "x.llm.example.com", "inner.example", "evilinner.example"):
        assert not hosts.admits(authority), authority


def test_a_star_admits_any_name() -> None:
    assert AllowedHosts(("*",)).admits("evil.example")


def test_a_host_is_read_without_its_port_and_brackets() -> None:
    assert [host_of(text) for text in ("A.b:1", "[::1]:2", "[::1", "a", "")] == ["a.b", "::1", "::1", "a", ""]


def test_addresses_for_every_interface_are_no_loopback_addresses() -> None:
    assert not any(map(is_loopback, ("0.0.0.0", "::", "", "example.com", "127.0.0.1:80")))
