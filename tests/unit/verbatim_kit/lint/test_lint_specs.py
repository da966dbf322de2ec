"""Each rule finds what breaks it; exceptions cover exactly what they name, as long as it is there."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from verbatim_kit.lint.__main__ import main
from verbatim_kit.lint.rules import Breach, breaches

Document = dict[str, Any]


def good() -> Document:
    """A document that breaks no rule."""
    note = {"$ref": "#/components/schemas/Note"}
    content = {"application/json": {"schema": note, "example": {"text": "Hi"}}}
    return {
        "openapi": "3.1.1",
        "info": {"title": "Notes", "version": "1"},
        "paths": {
            "/notes": {
                "post": {
                    "operationId": "keep",
                    "summary": "Keep a note",
                    "tags": ["notes"],
                    "parameters": [{"name": "shelf", "in": "query", "description": "Where.", "schema": {}}],
                    "requestBody": {"content": content},
                    "responses": {
                        "200": {
                            "description": "Kept",
                            "headers": {"x-id": {"description": "Its number.", "schema": {"type": "string"}}},
                            "content": content,
                        },
                        "500": {"description": "A fault"},
                    },
                }
            }
        },
        "components": {
            "schemas": {
                "Note": {
                    "type": "object",
                    "properties": {
                        "kind": {"const": "note"},
                        "text": {"type": "string", "description": "What it says."},
                        "mood": {"$ref": "#/components/schemas/Mood"},
                        "more": {
                            "type": "array",
                            "items": {"$ref": "#/components/schemas/Note"},
                            "description": "As it.",
                        },
                    },
                },
                "Mood": {"type": "string", "description": "See https://example.org/moods"},
            }
        },
    }


def keep(document: Document) -> Any:
    return document["paths"]["/notes"]["post"]


def note(document: Document) -> Any:
    return document["components"]["schemas"]["Note"]["properties"]


BREACHES: list[tuple[Callable[[Document], object], str, str]] = [
    (lambda d: keep(d).pop("operationId"), "operation-id", "POST /notes"),
    (lambda d: keep(d).pop("summary"), "operation-summary", "POST /notes"),
    (lambda d: keep(d).pop("tags"), "operation-tag", "POST /notes"),
    (lambda d: keep(d).update(summary="Keep a note."), "summary-heading", "POST /notes"),
    (lambda d: keep(d)["responses"].pop("500"), "operation-error", "POST /notes"),
    (
        lambda d: keep(d).update(requestBody={"content": {"text/plain": {}}}),
        "request-example",
        "POST /notes text/plain",
    ),
    (
        lambda d: keep(d)["responses"]["500"].update(content={"text/plain": {}}),
        "answer-example",
        "POST /notes 500 text/plain",
    ),
    (lambda d: keep(d)["responses"]["500"].pop("description"), "answer-description", "POST /notes 500"),
    (
        lambda d: keep(d)["responses"]["200"]["headers"]["x-id"].pop("description"),
        "answer-description",
        "POST /notes 200 x-id",
    ),
    (lambda d: keep(d)["parameters"][0].pop("description"), "parameter-description", "POST /notes shelf"),
    (lambda d: note(d)["text"].pop("description"), "property-description", "Note.text"),
    (lambda d: note(d)["text"].update(description="What it says"), "description-sentence", "Note.text"),
    (lambda d: note(d)["text"].update({"in words.": None}), "keyword", "Note.text in words."),
    (lambda d: note(d)["more"].update(items={"tpye": "string"}), "keyword", "Note.more[] tpye"),
]


def test_a_document_in_order_breaks_no_rule() -> None:
    assert breaches(good()) == []


@pytest.mark.parametrize(("edit", "rule", "place"), BREACHES)
def test_a_breach_is_found_and_named(edit: Callable[[Document], object], rule: str, place: str) -> None:
    document = good()
    edit(document)
    assert breaches(document) == [Breach(rule, place)]


def check(root: Path, document: Document, exceptions: str) -> int:
    (root / "generated/notes").mkdir(parents=True)
    (root / "generated/notes/openapi.json").write_text(json.dumps(document))
    (root / "exceptions.yaml").write_text(exceptions)
    return main(["--root", str(root), "--exceptions", str(root / "exceptions.yaml")])


def test_a_breach_fails_unless_it_is_excepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = good()
    del note(document)["text"]["description"]
    assert check(tmp_path / "a", document, "") == 1
    assert "notes: property-description: Note.text" in capsys.readouterr().out
    assert check(tmp_path / "b", document, "notes: {property-description: [Note.text]}") == 0
    assert check(tmp_path / "c", document, "notes: {property-description: [Note.mood]}") == 1


def test_an_exception_that_no_longer_occurs_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, good(), "notes: {property-description: [Note.text]}") == 1
    assert "take it out of the exceptions" in capsys.readouterr().out


@pytest.mark.parametrize(
    "exceptions",
    [
        "[notes]",
        "notes: [a]",
        "notes: {no-such-rule: [a]}",
        "notes: {keyword: a}",
        "notes: {keyword: [a, a]}",
    ],
)
def test_exceptions_of_another_form_are_refused(tmp_path: Path, exceptions: str) -> None:
    assert check(tmp_path, good(), exceptions) == 2
