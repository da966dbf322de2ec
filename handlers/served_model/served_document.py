"""A contract's document as this server serves it: what the engine refuses is said where it is described."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from engine.port.info.capabilities import Capabilities
from handlers.served_model.model_contract import ModelContract

_FIELD_NOTE = "Not supported by the engine of this server, which refuses every value that has an effect."
_OPERATION_NOTE = "Not supported by the engine of this server."
_NO_SPEECH_NOTE = "Refused by this server, whose model does not transcribe speech."
_NO_TEXT_NOTE = "The model of this server transcribes speech, and continues and embeds no texts."
_DATA = frozenset({"example", "examples", "default", "const", "enum"})  # where a key is no keyword


def served_document(contract: ModelContract, capabilities: Capabilities) -> bytes:
    """Return the effective document with a note on each field and operation that the engine refuses.

    The schemas stay as they are: clients send such fields with the value that has no effect, which is taken,
    and a validator that did not know them would refuse these requests.
    """
    return _noted(contract.document(), contract, capabilities)


@lru_cache(maxsize=32)  # a contract is served at the root and under its prefix, and tests make many servers
def _noted(whole: bytes, contract: ModelContract, capabilities: Capabilities) -> bytes:
    is_speechless = bool(contract.transcription_operations) and not capabilities.transcribes
    if not capabilities.missing and not is_speechless and capabilities.generates_text:
        return whole
    notes = {contract.engine_fields.get(name, name): _FIELD_NOTE for name in capabilities.missing_fields}
    if kinds := capabilities.missing_grammars:
        field = contract.engine_fields.get("grammar", "grammar")
        notes[field] = f"The engine of this server does not support {', '.join(kinds)}."
    document: dict[str, Any] = orjson.loads(whole)
    if notes:
        _note_fields(document, notes)
    if not capabilities.embeddings:
        _note_operations(document, contract.embedding_operations, _OPERATION_NOTE)
    if is_speechless:
        _note_operations(document, contract.transcription_operations, _NO_SPEECH_NOTE)
    if not capabilities.generates_text:
        _describe(document["info"], _NO_TEXT_NOTE)
    return orjson.dumps(document)


def _note_fields(part: Any, notes: Mapping[str, str]) -> None:
    """Add the notes to the properties and parameters of these names, wherever they are in the document."""
    if isinstance(part, list):
        for item in part:
            _note_fields(item, notes)
    if not isinstance(part, dict):
        return
    for name, note in notes.items():
        if "in" in part and part.get("name") == name:
            _describe(part, note)
        if name in part.get("properties", {}):
            _describe(part["properties"][name], note)
    for key, item in part.items():
        if key == "properties":
            _note_fields(list(item.values()), notes)
        elif key not in _DATA:
            _note_fields(item, notes)


def _note_operations(document: Mapping[str, Any], operation_ids: frozenset[str], note: str) -> None:
    for item in document["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict) and operation.get("operationId") in operation_ids:
                _describe(operation, note)


def _describe(part: dict[str, Any], note: str) -> None:
    part["description"] = "\n".join(filter(None, (part.get("description"), note)))
