"""The merged document describes each operation as the document of its contract does."""

import re
from typing import Any

import orjson
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator, OpenAPIV32SpecValidator

from handlers.composition import CONTRACTS, TABLES, YIELDS
from handlers.root_paths.document import merged_document
from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.tgi.api import Api
from verbatim_kit.generate.spec_validator import SpecValidator
from verbatim_kit.runtime.root_routes import placements

ROOT = ("openai", "tgi", "triton", "aleph_alpha", "anthropic", "tokens", "systemone")
DOCUMENTS = {name: orjson.loads(CONTRACTS[name].contract.document()) for name in ROOT}
AT_ROOT, _ = placements(TABLES, ROOT, YIELDS)
MERGED = merged_document(DOCUMENTS, AT_ROOT)


def test_the_merged_document_is_valid() -> None:
    assert not list(SpecValidator(MERGED).iter_errors())


def test_it_has_every_operation_at_the_root_once() -> None:
    named = [
        (method.upper(), path, item[method]["operationId"])
        for path, item in MERGED["paths"].items()
        for method in item.keys() & {"get", "post", "delete"}
    ]
    expected = [
        (one.operation.method, re.sub(":path", "", one.path), f"{one.contract}.{one.operation.id}")
        for one in AT_ROOT
    ]
    assert sorted(named) == sorted(expected)
    assert len({id for _, _, id in named}) == len(named)


def test_an_operation_is_that_of_its_contract_once_names_are_resolved() -> None:
    for one in AT_ROOT:
        path, method = re.sub(":path", "", one.path), one.operation.method.lower()
        own = DOCUMENTS[one.contract]
        merged, original = MERGED["paths"][path][method], own["paths"][path][method]
        for part in ("parameters", "requestBody", "responses"):
            resolved = _resolved(MERGED, merged.get(part), ())
            assert resolved == _resolved(own, original.get(part), ()), (one.contract, path, part)


def test_it_requires_what_the_contracts_require() -> None:
    create = MERGED["paths"]["/v1/messages"]["post"]
    assert create["security"] == [
        {},
        {"anthropic.apiKey": []},
        {"anthropic.bearer": []},
        {"anthropic.azureKey": []},
    ]
    assert {"anthropic.apiKey", "openai.bearer"} <= MERGED["components"]["securitySchemes"].keys()


async def test_the_server_has_it_at_the_root() -> None:
    answer = await Api(says("a")).get("/openapi.json")
    assert answer.status_code == 200
    assert "/v1/chat/completions" in answer.json()["paths"]
    empty = (await Api(says("a"), root=()).get("/openapi.json")).json()
    assert (empty["paths"], empty["components"]) == ({}, {})
    OpenAPIV31SpecValidator(empty).validate()


async def test_it_is_3_2_where_that_is_asked_for() -> None:
    newer = (await Api(says("a")).get("/openapi.json?version=3.2")).json()
    assert newer["openapi"] == "3.2.0"
    OpenAPIV32SpecValidator(newer).validate()


@pytest.mark.parametrize("contract", CONTRACTS)
async def test_another_version_is_refused_in_the_contracts_own_error(contract: str) -> None:
    api = Api(says("a"))
    answer = await api.get(f"/{contract}/openapi.json?version=3.3")
    assert (answer.status_code, "3.1 or 3.2" in answer.text) == (400, True)
    assert answer.json().keys() == (await api.get(f"/{contract}/nothing")).json().keys()


def _resolved(document: Any, value: Any, within: tuple[str, ...]) -> Any:
    """Return the value with its references replaced, and those to what it is within by their depth."""
    if isinstance(value, list):
        return [_resolved(document, item, within) for item in value]
    if not isinstance(value, dict):
        return None if isinstance(value, str) and value.startswith("#/") else value
    if (reference := value.get("$ref")) is None:
        return {key: _resolved(document, item, within) for key, item in value.items()}
    if reference in within:
        return within.index(reference)
    _, _, kind, key = reference.split("/")
    return _resolved(document, document["components"][kind][key], (*within, reference))
