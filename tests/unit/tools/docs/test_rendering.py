"""Pages that are rendered from documents and overlays say what those say."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.unit.docs.pages import DOCS, ROOT
from tools.docs.contract import contracts
from tools.docs.errata import errata_page
from tools.docs.fields import field_table, type_words
from tools.docs.interactive import interactive_files
from tools.docs.links import site_links
from tools.docs.navigation import fill_navigation
from tools.docs.operations import operations_page
from tools.docs.sections import fill_sections

CONTRACTS = list(contracts(ROOT))

OVERLAY = """
overlay: 1.0.0
info: {title: Corrections of notes, version: 1.0.0}
actions:
  - target: $.info
    description: It has no name.
    update: {title: Notes}

  # ---------------------------------------------------------------- bounds

  - target: $.a|b
    description: >-
      Nobody sends
      it.
    remove: true
"""

DOCUMENT: dict[str, Any] = {
    "info": {"title": "Notes", "version": "1"},
    "paths": {
        "/notes/{id}": {
            "parameters": [
                {
                    "name": "id",
                    "in": "path",
                    "description": "Which | one.",
                    "schema": {"type": "integer", "minimum": 1},
                }
            ],
            "put": {
                "summary": "Keep a note",
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"$ref": "#/components/schemas/Note"},
                            "example": {"text": "Hi"},
                        }
                    }
                },
                "responses": {
                    "200": {"description": "Kept", "content": {"text/plain": {"example": "kept"}}},
                    "422": {"description": "Refused", "content": {"application/json": {}}},
                },
            },
        }
    },
    "components": {
        "schemas": {
            "Note": {
                "type": "object",
                "required": ["text"],
                "properties": {
                    "mood": {"type": ["string", "null"], "enum": ["calm", None], "default": "calm"},
                    "text": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 9,
                        "description": "What it says.",
                    },
                    "tags": {"type": "array", "items": {"$ref": "#/components/schemas/Tag"}},
                },
            },
            "Tag": {"type": "object", "properties": {"name": {"type": "string"}}},
        }
    },
}


def test_corrections_stand_under_their_headings_with_place_change_and_reason() -> None:
    page = errata_page("notes", "Notes", OVERLAY)
    first, bounds = page.split("## Bounds")
    assert "these 2 actions" in first
    assert "| `$.info` | <details><summary>sets <code>title</code></summary><pre>title: Notes</pre>" in first
    assert "| `$.a\\|b` | removed | Nobody sends it. |" in bounds


def test_every_action_of_every_overlay_is_a_row() -> None:
    for contract in CONTRACTS:
        page = contract.pages().get(f"contracts/{contract.name}-errata.md", "")
        assert page.count("\n| `") == (contract.overlay or "").count("\n  - target:")


def test_an_operation_is_told_with_parameters_fields_statuses_and_examples() -> None:
    page = operations_page("notes", DOCUMENT)
    assert "| [`PUT /notes/{id}`](#put-notes--id) | Keep a note |" in page
    assert "| `id` | path | integer, from 1 | Which \\| one. |" in page
    assert "| **422** | `application/json` | Refused |" in page
    assert '??? example "Example request"\n\n    ```json\n    {\n      "text": "Hi"' in page
    assert '??? example "200 as text/plain"' in page


def test_every_operation_of_every_contract_is_told() -> None:
    for contract in CONTRACTS:
        page = contract.pages()[f"contracts/{contract.name}.md"]
        for path, item in contract.document["paths"].items():
            for method in set(item) & {"get", "post"}:
                assert f"## `{method.upper()} {path}`" in page


def test_fields_are_told_required_ones_first() -> None:
    rows = field_table(DOCUMENT, DOCUMENT["components"]["schemas"]["Note"]).splitlines()[2:]
    assert rows == [
        "| `text` | string, not empty, at most 9 characters | *required* | What it says. |",
        '| `mood` | `"calm"` | `"calm"` |  |',
        "| `tags` | list of [Tag](#type-tag) |  |  |",
    ]


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "null"}, "only null"),
        ({"type": ["integer", "null"], "minimum": 1, "maximum": 5}, "integer, from 1 to 5"),
        ({"type": "number", "exclusiveMinimum": 0}, "number, above 0"),
        (
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "string or list of string",
        ),
        (True, "anything"),
        ({}, "anything"),
    ],
)
def test_a_type_is_told_in_words(schema: Any, words: str) -> None:
    assert type_words(DOCUMENT, schema) == words


def test_an_interactive_page_has_its_document_beside_it_and_names_no_other_machine() -> None:
    files = interactive_files(CONTRACTS)
    for contract in CONTRACTS:
        page = files[f"contracts/{contract.name}-try.html"]
        assert isinstance(page, str)
        assert f'src="{contract.name}-document.js"' in page
        assert "https://" not in page
        script = files[f"contracts/{contract.name}-document.js"]
        assert f'"url": "http://127.0.0.1:8080/{contract.name}"' in str(script)


def test_the_navigation_has_the_pages_that_exist_and_all_of_them() -> None:
    nav = [{"Start": ["index.md", {"Later": "later.md"}]}, {"Contracts": "contracts"}, {"Run": ["speed*.md"]}]
    filled = fill_navigation(nav, ["index.md", "news.md", "speed.md", "speed-cpu.md"], [])
    assert filled == [
        {"Start": ["index.md"]},
        {"Contracts": ["contracts/index.md"]},
        {"Run": ["speed.md", "speed-cpu.md"]},
        {"More": ["news.md"]},
    ]


def test_a_section_of_another_file_is_taken_up_to_the_next_heading(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(
        "# All\n\n## Limits\n\nNone, see [code](engine/x.py).\n\n1. One\n   - two\n\n### Deep\n\n## End\n"
    )
    begin, end = "<!-- from README.md: Limits -->\n", "<!-- end -->\n"
    filled = f"{begin}\nNone, see code.\n\n1. One\n    - two\n\n### Deep\n\n{end}"
    assert fill_sections(f"{begin}{end}", tmp_path, "limits.md") == filled
    assert (
        fill_sections(filled.replace("One", "Old") + f"\n{begin}{end}", tmp_path, "") == f"{filled}\n{filled}"
    )
    with pytest.raises(ValueError, match="no heading 'Bounds'"):
        fill_sections(f"<!-- from README.md: Bounds -->\n{end}", tmp_path, "limits.md")


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.name)
def test_a_page_has_its_sections_as_they_are_now(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == fill_sections(text, ROOT, page.name), "python -m tools.docs.sections"
    begun = re.findall(r"^<!-- (?:from|settings|replica settings|written)\b.* -->$", text, re.MULTILINE)
    assert len(begun) == text.count("<!-- end -->")


@pytest.mark.parametrize(
    ("page", "link", "shown"),
    [
        ("sdk.md", "[TGI's](../specs/tgi/NOTES.md#fields)", "[TGI's](contracts/tgi-decisions.md#fields)"),
        ("guides/tgi.md", "[notes](../../specs/tgi/NOTES.md)", "[notes](../contracts/tgi-decisions.md)"),
        ("sdk.md", "[the tool](../verbatim_kit/generate)", "the tool"),
        ("sdk.md", "[options](options.md)", "[options](options.md)"),
        ("sdk.md", "[elsewhere](https://example.org/a)", "[elsewhere](https://example.org/a)"),
        ("sdk.md", "[nowhere](../nowhere.md)", "[nowhere](../nowhere.md)"),
    ],
)
def test_a_link_into_the_repository_leads_to_a_page_or_is_text(page: str, link: str, shown: str) -> None:
    assert site_links(f"See {link}.", ROOT, page) == f"See {shown}."


def test_the_options_are_the_settings() -> None:
    assert "| `--port` | `VERBATIM_PORT`, `PORT` | `8080` |" in fill_sections(
        "<!-- settings -->\n<!-- end -->", ROOT, "options.md"
    )
