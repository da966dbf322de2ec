"""The folder of packed weights is the one that is named, the user's own, or none."""

from pathlib import Path

import pytest

from engine.packed_cache.place import packed_cache


def test_a_named_folder_is_taken_and_off_is_none() -> None:
    assert packed_cache("/some/folder") == "/some/folder"
    assert packed_cache("off") is packed_cache("OFF") is None


def test_the_users_cache_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert packed_cache(None) == "/caches/verbatim/packed"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert packed_cache(None) == "/home/me/.cache/verbatim/packed"


def test_a_user_without_a_home_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def fail() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", fail)
    assert packed_cache(None) is None
