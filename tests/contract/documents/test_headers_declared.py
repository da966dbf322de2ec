"""Headers that a contract sends with every answer are declared for every answer."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handlers.composition import CONTRACTS
from verbatim_kit.runtime.call import RequestCall

GENERATED = Path(__file__).parents[3] / "generated"


def answers(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every answer of every operation, with its place."""
    for path, item in document["paths"].items():
        for method in item.keys() & {"get", "put", "post", "delete", "patch"}:
            for status, answer in item[method]["responses"].items():
                name = answer.get("$ref", "").rpartition("/")[2]
                yield (
                    f"{method} {path} {status}",
                    document["components"]["responses"][name] if name else answer,
                )


@pytest.mark.parametrize("contract", CONTRACTS)
def test_headers_of_every_answer_are_declared_for_every_answer(contract: str) -> None:
    call = RequestCall({"type": "http", "headers": []}, None)
    sent = set(CONTRACTS[contract].contract.headers(call))
    document = json.loads((GENERATED / contract / "openapi.json").read_bytes())
    undeclared = {place: sent - set(answer.get("headers", {})) for place, answer in answers(document)}
    assert not {place: names for place, names in undeclared.items() if names}
