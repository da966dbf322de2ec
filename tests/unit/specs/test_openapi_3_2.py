"""The documents in OpenAPI 3.2, in the judgement of others' programs; Redocly's is `make lint-specs`."""

import datetime
import json
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import schemathesis
from datamodel_code_generator import InputFileType, OpenAPIScope, generate
from openapi_spec_validator import OpenAPIV32SpecValidator
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import response_schema_conformance

from tests.support.selection.effort import usually
from verbatim_kit.generate.documents.document import load_document, operations_of, resolve
from verbatim_kit.openapi.item_schema import as_3_1

GENERATED: Final = Path(__file__).parents[3] / "generated"
CONTRACTS: Final = sorted(path.parent.name for path in GENERATED.glob("*/openapi-3.2.json"))
EVENTS: Final = "text/event-stream"
NAMES: Final = ("model_name", "model_version")  # of parameters in paths


def read(contract: str, name: str = "openapi-3.2.json") -> dict[str, Any]:
    document: dict[str, Any] = load_document(GENERATED / contract / name)
    return document


@pytest.mark.parametrize("contract", CONTRACTS)
def test_openapi_spec_validator_finds_them_valid(contract: str) -> None:
    assert list(OpenAPIV32SpecValidator(read(contract)).iter_errors()) == []


@pytest.mark.parametrize("contract", CONTRACTS)
def test_they_say_all_that_the_documents_in_3_1_do(contract: str) -> None:
    assert as_3_1(read(contract)) == read(contract, "openapi.json")


def models(document: dict[str, Any], *scopes: OpenAPIScope) -> str:
    text = generate(
        document,
        input_file_type=InputFileType.OpenAPI,
        preset="standard-py311-20261027",
        disable_timestamp=True,
        formatters=[],
        openapi_scopes=list(scopes),
    )
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("contract", usually(["anthropic", "tokens", "triton"], ("anthropic",)))
@pytest.mark.filterwarnings("ignore:format of .* not understood")
def test_datamodel_code_generator_makes_the_same_models_of_them(contract: str) -> None:
    newer, older = (read(contract, name) for name in ("openapi-3.2.json", "openapi.json"))
    assert models(newer, OpenAPIScope.Schemas) == models(older, OpenAPIScope.Schemas)


def test_datamodel_code_generator_makes_a_model_of_a_line() -> None:
    document = read("tokens")
    line = {"type": "object", "required": ["seen"], "properties": {"seen": {"type": "boolean"}}}
    answer = {"description": "Lines", "content": {"application/x-ndjson": {"itemSchema": line}}}
    document["paths"] = {"/lines": {"get": {"responses": {"200": answer}}}}
    assert "seen: bool" in models(document, OpenAPIScope.Paths)


def streams(contract: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the path of each operation that answers with events, and the media type object of these."""
    document = read(contract)
    found = []
    for path, method, operation, at in operations_of(document):
        answer, _ = resolve(document, operation["responses"].get("200", {}), at)
        for name, media in answer.get("content", {}).items():
            if name.startswith(EVENTS) and method == "post":
                found.append((path, media))
    return found


def shown(media: dict[str, Any]) -> list[list[dict[str, str]]]:
    """Return the examples of a stream."""
    return (
        [media["example"]] if "example" in media else [one["dataValue"] for one in media["examples"].values()]
    )


def sent(events: list[dict[str, str]]) -> bytes:
    lines = [[f"{name}: {text}\n" for name, text in event.items()] for event in events]
    return "".join("".join([*fields, "\n"]) for fields in lines).encode()


def is_conformant(schema: Any, path: str, body: bytes) -> bool:
    """Return whether schemathesis takes an answer to be what the document says."""
    answer = httpx.Response(
        200, content=body, headers={"content-type": EVENTS}, request=httpx.Request("POST", f"http://a{path}")
    )
    answer.elapsed = datetime.timedelta()
    try:
        case = schema[path]["POST"].Case(body={}, path_parameters=dict.fromkeys(NAMES, "a"))
        case.validate_response(answer, checks=[response_schema_conformance])
    except FailureGroup:
        return False
    return True


@pytest.mark.parametrize("contract", [name for name in CONTRACTS if streams(name)])
def test_schemathesis_judges_the_events_of_their_streams(contract: str) -> None:
    schema = schemathesis.openapi.from_dict(read(contract))
    for path, media in streams(contract):
        for events in shown(media):
            assert is_conformant(schema, path, sent(events)), events
            others = [{**events[0], "data": json.dumps({"not": "declared"})}, *events[1:]]
            assert not is_conformant(schema, path, sent(others)), others
