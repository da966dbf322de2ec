"""The structs of our own client write what they are given, and read what any server of the API answers."""

from importlib import import_module
from pathlib import Path

import msgspec
import pytest

from tests.unit.verbatim_kit.generate.small_documents import document, emit
from verbatim_kit.generate.documents.document import SpecError

NUMBER = {"type": "integer", "minimum": 1, "maximum": 5, "default": 2}
KIND = {"allOf": [{"$ref": "#/components/schemas/Answer"}]}
NAMED = {"type": "string", "enum": ["a", "b"]}


def test_a_client_sends_what_it_has_and_takes_what_comes(tmp_path: Path) -> None:
    source = document(number=NUMBER, _kind=KIND, name=NAMED) | {"x-client-structs": ["Question"]}
    source["components"]["schemas"]["Question"] |= {"required": ["name"], "additionalProperties": False}
    emit(tmp_path, source)
    structs = import_module("emitted.structs")
    assert msgspec.json.encode(structs.Question(number=2)) == b'{"number":2}'
    answer = b'{"number":9,"name":null,"_kind":{"text":"a"},"new":1}'
    read = msgspec.json.decode(answer, type=structs.Question)
    assert (read.number, read.name, read.field_kind.text) == (9, None, "a")
    assert msgspec.json.encode(read) == b'{"number":9,"_kind":{"text":"a"}}'
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"number":"9"}', type=structs.Question)
    assert not hasattr(structs, "Fault")


def test_a_document_lists_its_own_schemas(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="^#/x-client-structs: Reply is no schema$"):
        emit(tmp_path, document() | {"x-client-structs": ["Reply"]})
