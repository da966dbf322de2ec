"""The documents of a server whose engine lacks something."""

from typing import Any

import orjson
import pytest

from engine.port.info.capabilities import Capabilities
from engine.port.request import GrammarKind
from handlers.composition import CONTRACTS, build_app
from handlers.served_model.served_document import served_document
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine
from tests.unit.verbatim_kit.runtime.client import send

NOTE = "Not supported by the engine of this server"
NOTHING = Capabilities(
    typical_p=False,
    watermark=False,
    beams=False,
    allowed_token_ids=False,
    bad_words=False,
    logprob_token_ids=False,
    priority=False,
    embeddings=False,
    grammars=frozenset({GrammarKind.JSON_SCHEMA}),
)
NOTED = {
    "openai": {
        "typical_p",
        "use_beam_search",
        "allowed_token_ids",
        "bad_words",
        "logprob_token_ids",
        "priority",
        "response_format",
    },
    "tgi": {"typical_p", "watermark", "grammar"},
    "hf": {"typical_p", "watermark", "grammar"},
    "triton": {"beam_width", "bad_words", "allowed_token_ids", "grammar"},
    "aleph_alpha": {"nice", "completion_bias_exclusion"},
    "mindie": {"use_beam_search", "response_format"},
    "anthropic": set[str](),
    "systemone": {"questions"},
    "tokens": {"typical_p", "watermark", "allowed_token_ids", "bad_words", "logprob_token_ids", "priority"}
    | {"structured_outputs"},
}


def noted(part: Any, name: str = "") -> set[str]:
    """Return the names of all parts of a document whose description says that the engine lacks them."""
    if isinstance(part, list):
        return {found for item in part for found in noted(item)}
    if not isinstance(part, dict):
        return set()
    found = {name for key, item in part.items() for name in noted(item, key)}
    description = part.get("description")
    if isinstance(description, str) and "the engine of this server" in description.lower():
        found.add(part.get("operationId") or part.get("name") or name)
    return found


def bare(part: Any) -> Any:
    """Return a part of a document without any description."""
    if isinstance(part, list):
        return [bare(item) for item in part]
    if isinstance(part, dict):
        return {key: bare(item) for key, item in part.items() if key != "description"}
    return part


@pytest.mark.parametrize("name", CONTRACTS)
def test_an_engine_that_can_do_all_has_the_document_as_it_is(name: str) -> None:
    contract = CONTRACTS[name].contract
    assert served_document(contract, Capabilities(transcribes=True)) == contract.document()


def operations_with(note: str, document: Any) -> set[str]:
    """Return the ids of the operations whose description has a text."""
    members = [one for item in document["paths"].values() for one in item.values()]
    operations = [one for one in members if "operationId" in one]
    return {one["operationId"] for one in operations if note in one.get("description", "")}


@pytest.mark.parametrize("name", CONTRACTS)
def test_operations_on_speech_say_that_the_model_does_not_transcribe(name: str) -> None:
    document = orjson.loads(served_document(CONTRACTS[name].contract, Capabilities()))
    expected = {"createTranscription", "createTranslation"} if name == "openai" else set()
    assert operations_with("does not transcribe speech", document) == expected


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_document_says_that_the_model_writes_down_speech_alone(name: str) -> None:
    capabilities = Capabilities(transcribes=True, generates_text=False)
    document = orjson.loads(served_document(CONTRACTS[name].contract, capabilities))
    assert "transcribes speech" in document["info"]["description"]


@pytest.mark.parametrize("name", CONTRACTS)
def test_fields_that_the_engine_refuses_say_so_and_their_schemas_stay(name: str) -> None:
    contract = CONTRACTS[name].contract
    document = orjson.loads(served_document(contract, NOTHING))
    assert noted(document) - {"createEmbedding"} == NOTED[name]
    assert ("createEmbedding" in noted(document)) == (name == "openai")
    assert bare(document) == bare(orjson.loads(contract.document()))


def test_a_note_follows_what_was_said_before() -> None:
    document = orjson.loads(served_document(CONTRACTS["tgi"].contract, Capabilities(watermark=False)))
    field = document["components"]["schemas"]["GenerateParameters"]["properties"]["watermark"]
    own = orjson.loads(CONTRACTS["tgi"].contract.document())
    before = own["components"]["schemas"]["GenerateParameters"]["properties"]["watermark"]["description"]
    assert field["description"].startswith(before + "\n" + NOTE)


async def test_the_server_serves_the_notes_at_each_prefix_and_at_the_root() -> None:
    engine = ScriptedEngine(lambda request: [])
    engine.capabilities = Capabilities(priority=False, beams=False)
    app = build_app(Settings(), engine)
    for path in ("/openai/openapi.json", "/openapi.json"):
        answer = await send(app, "GET", path)
        assert {"priority", "use_beam_search"} <= noted(answer.json()), path
    inputs = (await send(app, "GET", "/triton/v2/models/verbatim-demo")).json()["inputs"]
    assert "beam_width" not in [one["name"] for one in inputs]
    config = (await send(app, "GET", "/triton/v2/models/verbatim-demo/config")).json()["input"]
    assert "beam_width" not in [one["name"] for one in config]
