"""The settings of the store."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from handlers.settings.settings import Settings


def test_a_file_must_have_a_folder(tmp_path: Path) -> None:
    assert Settings(store=tmp_path / "store").store == tmp_path / "store"
    with pytest.raises(ValidationError, match="there is no folder"):
        Settings(store=tmp_path / "none" / "store")


def test_a_server_stores_or_does_not(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="no_store and store exclude each other"):
        Settings(store=tmp_path / "store", no_store=True)
