"""The part of a server's URL that is shown."""

import pytest

from engine.remote.shown_url import shown_url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://gpu:8000/", "http://gpu:8000"),
        ("http://me:secret@gpu:8000/base", "http://gpu:8000/base"),
        ("https://me@gpu", "https://gpu"),
        ("http://me:1/secret@gpu", "http://gpu"),
        ("http://me:se@cret@gpu", "http://gpu"),
        ("me:secret@gpu:8000", "gpu:8000"),
        ("", ""),
    ],
)
def test_a_url_is_shown_without_what_may_be_its_password(url: str, shown: str) -> None:
    assert shown_url(url) == shown
