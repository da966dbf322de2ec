"""`verbatim conform` finds the name of a model in each contract's list, whose forms differ at one path."""

from contextlib import closing
from typing import Final

import pytest

from handlers.commands.conform.contracts import contract_named
from handlers.commands.conform.models import first_model
from handlers.composition import TABLES
from handlers.shared_settings.shared_settings import EMBEDDED_MODEL
from tests.support.samples.contracts import samples_of
from verbatim_kit.conform.client import Client

_LISTING: Final = [name for name in TABLES if "/v1/models" in contract_named(name).document["paths"]]


@pytest.mark.parametrize("contract", _LISTING)
def test_the_first_model_of_a_list_is_found(server_url: str, contract: str) -> None:
    with closing(Client(f"{server_url}/{contract}", samples_of(contract).headers, timeout_s=60)) as client:
        assert first_model(client, contract_named(contract).document) == EMBEDDED_MODEL
