"""The sources of parts: data URLs, allowed hosts at public addresses, and files below one directory."""

import os
from base64 import b64encode
from pathlib import Path

import pytest
from yarl import URL

from handlers.media.addresses import is_public
from handlers.media.budget import Budget, CannotRead
from handlers.media.data_url import data_size, data_url, decode
from handlers.media.domains import AllowedDomains, Domain, InvalidDomain
from handlers.media.local_files import LocalFiles


@pytest.mark.parametrize("content", [b"", b"a", b"ab", b"abc", bytes(range(256))])
def test_a_data_url_gives_its_content_back(content: bytes) -> None:
    encoded = b64encode(content).decode()
    for url in (data_url(encoded), f"data:image/png;base64,{encoded}", f"DATA:a/b;c=d;BASE64,{encoded}"):
        assert decode(url) == content
        assert len(content) <= data_size(url) <= len(content) + 2


@pytest.mark.parametrize("num_bytes", [3 * 2**16 - 1, 3 * 2**16, 3 * 2**16 + 1, 1_000_000])
def test_a_long_data_url_is_decoded_in_slices(num_bytes: int) -> None:
    content = bytes(range(251)) * (num_bytes // 251 + 1)
    assert decode(data_url(b64encode(content[:num_bytes]).decode())) == content[:num_bytes]


@pytest.mark.parametrize("place", [2**18 - 1, 2**18, 2**18 + 1, 2**19 - 1])
@pytest.mark.parametrize("wrong", ["=", "_", "\n"])
def test_no_slice_of_a_long_data_url_may_have_what_the_whole_may_not(place: int, wrong: str) -> None:
    text = "A" * 2**20
    decode(data_url(text))
    with pytest.raises(CannotRead):
        decode(data_url(text[:place] + wrong + text[place + 1 :]))


@pytest.mark.parametrize(
    "url",
    [
        "data:image/png,aGk=",
        "data:;base64",
        "data:;base64,aGk",
        "data:;base64,aG k=",
        "data:;base64,aGk=\n",
        "data:;base64,aGk=aGk=",
        "data:;base64,aG%3D=",
        "data:;base64,aGk_",
        "data:" + "x" * 300 + ";base64,aGk=",
        "data:;base64,\u00e4\u00e4\u00e4\u00e4",
    ],
)
def test_what_is_no_strict_base64_is_refused(url: str) -> None:
    with pytest.raises(CannotRead):
        decode(url)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "2001:4860:4860::8888", "2002:808:808::1"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",  # of metadata services
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "64:ff9b::7f00:1",
        "64:ff9b:1::a00:1",
        "2002:7f00:1::",
        "2001:0:7f00:1::",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "fd00::1",
        "ff02::1",
        "2001:db8::1",
        "no address",
        "2130706433",
        "0177.0.0.1",
        "0x7f.1",
    ],
)
def test_other_addresses_are_not(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    ("domain", "url"),
    [
        ("example.com", "https://example.com/a"),
        ("example.com", "http://EXAMPLE.com:80/a"),
        ("*.example.com", "https://a.b.example.com"),
        ("example.com:8443", "https://example.com:8443/"),
        ("xn--bcher-kva.example", "https://b\u00fccher.example/"),
    ],
)
def test_a_domain_holds_its_own_urls(domain: str, url: str) -> None:
    assert AllowedDomains(["other.example", domain]).hold(URL(url))


@pytest.mark.parametrize(
    ("domain", "url"),
    [
        ("example.com", "https://www.example.com/"),
        ("example.com", "https://example.com.evil.example/"),
        ("example.com", "https://evilexample.com/"),
        ("example.com", "https://example.com:8443/"),
        ("example.com", "https://example.com:80/"),
        ("*.example.com", "https://example.com/"),
        ("*.example.com", "https://evilexample.com/"),
        ("example.com:8443", "https://example.com/"),
    ],
)
def test_a_domain_holds_no_others(domain: str, url: str) -> None:
    assert not AllowedDomains([domain]).hold(URL(url))


@pytest.mark.parametrize(
    "text",
    ["", "*", "*.", "https://example.com", "a b", "example.com/", "a:0", "a:x", "a:70000", "::1", "[::1]"],
)
def test_an_entry_that_names_no_host_is_refused(text: str) -> None:
    with pytest.raises(InvalidDomain):
        Domain.parse(text)


class Files:
    """A media root with a file, beside a directory that no request may read."""

    def __init__(self, path: Path) -> None:
        self.root = path / "root"
        self.root.mkdir()
        (self.root / "a b.txt").write_bytes(b"inside")
        (path / "root-other").mkdir()
        (path / "root-other" / "secret").write_bytes(b"outside")
        (self.root / "link").symlink_to(path / "root-other" / "secret")
        (self.root / "inner").symlink_to(self.root / "a b.txt")
        os.mkfifo(self.root / "pipe")
        self.files = LocalFiles(str(self.root))

    def read(self, url: str, max_bytes: int = 100) -> bytes:
        return self.files.read(url, Budget(max_bytes))


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_files_below_the_root_are_read(files: Files) -> None:
    for name in ("a%20b.txt", "inner", "./inner", "../root/inner"):
        assert files.read(f"file://{files.root}/{name}") == b"inside"
    assert files.read(f"file://localhost{files.root}/inner") == b"inside"


@pytest.mark.parametrize(
    "name",
    [
        "link",
        "../root-other/secret",
        "%2e%2e/root-other/secret",
        "none",
        "",
        ".",
        "pipe",
        "a%00b",
        "%ff",
        "a\x00",
    ],
)
def test_all_else_is_refused_alike(files: Files, name: str) -> None:
    with pytest.raises(CannotRead, match="no such file"):
        files.read(f"file://{files.root}/{name}")


def test_a_path_that_is_not_absolute_or_of_another_host_is_refused(files: Files) -> None:
    for url in ("file:inner", f"file://example.com{files.root}/inner"):
        with pytest.raises(CannotRead, match="absolute path"):
            files.read(url)


def test_a_file_over_the_budget_is_not_read(files: Files) -> None:
    with pytest.raises(CannotRead, match="5 bytes"):
        files.read(f"file://{files.root}/inner", 5)


def test_no_file_is_read_without_a_root(files: Files) -> None:
    with pytest.raises(CannotRead, match="no files"):
        LocalFiles(None).read(f"file://{files.root}/inner", Budget(100))


def test_the_bytes_of_all_parts_are_counted_together() -> None:
    budget = Budget(10)
    budget.take(6)
    with pytest.raises(CannotRead):
        budget.take(5)
    budget.take(4)
    with pytest.raises(CannotRead):
        budget.check(1)
