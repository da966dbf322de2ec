"""Documents are read without losing anything in silence."""

from pathlib import Path

import pytest

from verbatim_kit.generate.documents.document import SpecError, load_document, render_pointer, resolve
from verbatim_kit.json_pointer import steps_of_reference


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '{"a": {"b": 1, "b": 2}}', "key 'b' stands twice in one object"),
        ("a.yaml", "a: {b: 1, b: 2}", "key 'b' stands twice in one object"),
        ("a.yaml", "responses: {200: 1, '200': 2}", "key '200' stands twice in one object"),
        ("a.json", "{", "Expecting property name"),
        ("a.yaml", "a: 'b' c", "expected <block end>"),
    ],
)
def test_a_document_that_cannot_be_read_whole_is_an_error(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(SpecError, match=rf"(?s){name} cannot be read: .*{message}"):
        load_document(tmp_path / name)


def test_yaml_statuses_are_text_as_in_json(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("responses: {200: {description: Done}}")
    assert load_document(tmp_path / "a.yaml") == {"responses": {"200": {"description": "Done"}}}


def test_a_pointer_reads_as_it_is_written() -> None:
    pointer = ("paths", "/a~b/{c}", "get")
    assert render_pointer(pointer) == "#/paths/~1a~0b~1{c}/get"
    assert steps_of_reference(render_pointer(pointer)) == pointer


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("#/b", "#/a: $ref #/b leads nowhere ('#/b')"),
        (
            "other.yaml#/b",
            "#/a: $ref other.yaml#/b leads nowhere (other.yaml#/b points outside the document)",
        ),
        ("#/a", "#/a: $ref leads back to itself"),
    ],
)
def test_a_reference_that_leads_nowhere_is_an_error(reference: str, message: str) -> None:
    source = {"a": {"$ref": reference}}
    with pytest.raises(SpecError) as raised:
        resolve(source, source["a"], ("a",))
    assert str(raised.value) == message
