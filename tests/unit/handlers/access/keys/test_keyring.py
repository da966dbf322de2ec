import asyncio
import logging
from hashlib import sha256
from pathlib import Path

import pytest

from handlers.access.keys import keyring
from handlers.access.keys.key_file import InvalidKeyFile, read_key_file
from handlers.access.keys.keyring import SINGLE_KEY, Keyring
from handlers.access.keys.new_key import as_toml, new_key
from tests.support.clocks.until import until
from tests.unit.handlers.access.keys.key_files import table, write

CONTRACTS = ("openai", "tgi")


def test_keys_are_found_by_what_hashes_to_their_entry(tmp_path: Path) -> None:
    ring = Keyring(None, write(tmp_path / "keys", table("a", "key-a"), table("b", "key-b")), CONTRACTS)
    found = [ring.find(given) for given in (b"key-a", b"key-b", b"key-c", b"key-a ", b"")]
    assert [None if key is None else key.name for key in found] == ["a", "b", None, None, None]


def test_nothing_in_the_file_or_in_a_hash_lets_anybody_in(tmp_path: Path) -> None:
    text = table("a", "key-a")
    ring = Keyring(None, write(tmp_path / "keys", text), CONTRACTS)
    digest = sha256(b"key-a")
    assert [ring.find(given) for given in (digest.digest(), digest.hexdigest().encode(), b"a")] == [None] * 3


def test_the_single_key_stays_beside_the_file(tmp_path: Path) -> None:
    ring = Keyring("clé", write(tmp_path / "keys", table("a", "key-a")), CONTRACTS)
    found = [ring.find(given) for given in ("clé".encode(), "clé".encode("latin-1"), b"key-a")]
    assert [key.name for key in found if key] == [SINGLE_KEY, SINGLE_KEY, "a"]


def test_an_entry_says_what_a_key_may_do(tmp_path: Path) -> None:
    fields = {"contracts": '["tgi"]', "requests_per_minute": 2, "expires": "2030-01-31T00:00:00+01:00"}
    ring = Keyring(None, write(tmp_path / "keys", table("a", "key-a", **fields)), CONTRACTS)
    key = ring.find(b"key-a")
    assert key is not None
    assert (key.may_use("tgi"), key.may_use("openai")) == (True, False)
    expiry = 1896044400.0
    assert (key.has_expired(expiry - 1), key.has_expired(expiry)) == (False, True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[key]", "at line 1"),
        ('[[key]]\nname = "a"', "missing required field `sha256` - at `$.key[0]`"),
        (table("a", "x", colour=1), "unknown field `colour` - at `$.key[0]`"),
        (table("a b", "x"), "$.key[0].name"),
        ('[[key]]\nname = "a"\nsha256 = "plain key"', "$.key[0].sha256"),
        (
            table("a", "x", contracts='["grpc"]'),
            "'a' has the unknown contract 'grpc'; known are: openai, tgi",
        ),
        (table("a", "x", requests_per_minute=0), ">= 1"),
        (table("a", "x", expires="2030-01-31"), "$.key[0].expires"),
        (table("a", "x", expires="2030-01-31T00:00:00"), "timezone"),
        (table("a", "x") + table("a", "y"), "two keys are named 'a'"),
        (table("a", "x") + table("b", "x"), "the sha256 of 'b' is also that of another key"),
        (table("a", ""), "the sha256 of 'a' is that of an empty key"),
        ("keys = []", "unknown field `keys`"),
        ("# " + "x" * 1_000_000, "longer than 1,000,000 bytes"),
        ("a = " + "[" * 100_000, ""),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    path = write(tmp_path / "keys", text)
    with pytest.raises(InvalidKeyFile) as refused:
        read_key_file(path, CONTRACTS)
    assert str(path) in str(refused.value)
    assert told in str(refused.value)


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidKeyFile, match="No such file"):
        Keyring(None, tmp_path / "none", CONTRACTS)
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidKeyFile, match="utf-8"):
        Keyring(None, tmp_path / "binary", CONTRACTS)


def test_a_change_revokes_and_adds_keys_and_keeps_what_is_left_of_limits(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    limited = table("a", "key-a", requests_per_minute=1)
    ring = Keyring("single", write(path, limited, table("b", "key-b")), CONTRACTS, clock=lambda: 0.0)
    key = ring.find(b"key-a")
    assert key is not None
    key.limits.count_request()
    write(path, limited, table("c", "key-c"))
    ring.refresh()
    again = ring.find(b"key-a")
    assert again is not None and again.limits.exhausted() is not None
    assert ring.find(b"key-b") is None
    assert ring.find(b"key-c") is not None
    assert ring.find(b"single") is not None


@pytest.mark.parametrize("fault", ["wrong", "gone"])
def test_a_change_for_the_worse_leaves_the_keys_as_they_were(
    tmp_path: Path, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(tmp_path / "keys", table("a", "key-a"))
    ring = Keyring(None, path, CONTRACTS)
    if fault == "gone":
        path.unlink()
    else:
        write(path, "[[key]")
    ring.refresh()
    ring.refresh()
    assert ring.find(b"key-a") is not None
    assert ring.find(b"key-b") is None
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == 1 and "the API keys were not reloaded" in errors[0].getMessage()
    write(path)
    ring.refresh()
    assert ring.find(b"key-a") is None, "an empty file has no keys, and lets nobody in"


async def test_a_server_that_runs_follows_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring, "_REFRESH_S", 0.01)
    path = write(tmp_path / "keys", table("a", "key-a"))
    ring = Keyring(None, path, CONTRACTS)
    following = asyncio.create_task(ring.keep_fresh())
    write(path)
    await until(lambda: ring.find(b"key-a") is None)
    following.cancel()


async def test_a_fault_does_not_end_the_following_of_the_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = Keyring(None, write(tmp_path / "keys", table("a", "key-a")), CONTRACTS)
    monkeypatch.setattr(keyring, "_REFRESH_S", 0.0)
    again = asyncio.Event()
    loop = asyncio.get_running_loop()
    faults = [RuntimeError("can't start new thread")]

    def refresh() -> None:
        if faults:
            raise faults.pop()
        loop.call_soon_threadsafe(again.set)

    monkeypatch.setattr(ring, "refresh", refresh)
    following = asyncio.create_task(ring.keep_fresh())
    await asyncio.wait_for(again.wait(), 30)
    following.cancel()
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == 1 and "retrying" in errors[0].getMessage()


def test_a_new_key_has_256_random_bits_and_an_entry_that_the_file_takes(tmp_path: Path) -> None:
    keys = [new_key("ci", ("tgi",), 5, 100, "2030-01-31T00:00:00Z"), new_key("dev")]
    assert len({key.text for key in keys}) == 2
    assert all(len(key.text) >= 47 and key.text.isascii() for key in keys)
    path = write(tmp_path / "keys", *(as_toml(key.entry) for key in keys))
    assert read_key_file(path, CONTRACTS) == tuple(key.entry for key in keys)
    assert keys[0].text not in path.read_text()
    found = Keyring(None, path, CONTRACTS).find(keys[0].text.encode())
    assert found is not None and found.name == "ci"


@pytest.mark.parametrize("fields", [{"name": "c i"}, {"requests_per_minute": 0}, {"expires": "tomorrow"}])
def test_a_new_key_that_the_file_could_not_name_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="at `"):
        new_key(**{"name": "ci", **fields})  # type: ignore[arg-type]  # wrong on purpose
