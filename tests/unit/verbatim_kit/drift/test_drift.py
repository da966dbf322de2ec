"""Tests which parts of a document count as structure."""

import json
from pathlib import Path
from typing import Any

import pytest

from verbatim_kit.drift.__main__ import main
from verbatim_kit.drift.difference import differences
from verbatim_kit.drift.report import render_report

Document = dict[str, Any]


def document() -> Document:
    return {
        "openapi": "3.0.3",
        "info": {"title": "Small", "version": "1"},
        "paths": {
            "/a/b": {
                "post": {
                    "summary": "Do it",
                    "responses": {"200": {"description": "Done"}, "422": {"description": "Refused"}},
                }
            }
        },
        "components": {
            "schemas": {
                "Note": {
                    "type": "object",
                    "description": "A note",
                    "required": ["title", "size"],
                    "properties": {
                        "title": {"type": "string", "example": {"summary": "a value"}},
                        "size": {"type": "number", "minimum": 0, "default": 1.0},
                        "kind": {"enum": ["long", "short"]},
                    },
                }
            }
        },
    }


def note(upstream: Document) -> Document:
    schema: Document = upstream["components"]["schemas"]["Note"]
    return schema


def test_prose_and_the_order_of_sets_are_not_structure() -> None:
    upstream = document()
    upstream["info"]["title"] = "Other"
    upstream["paths"]["/a/b"]["post"]["summary"] = "Do it at once"
    upstream["paths"]["/a/b"]["post"]["responses"]["200"]["description"] = "Ready"
    note(upstream)["description"] = "Other"
    note(upstream)["required"].reverse()
    note(upstream)["properties"]["kind"]["enum"].reverse()
    note(upstream)["properties"]["size"]["default"] = 1
    assert differences(document(), upstream) == []


def change_bound(upstream: Document) -> None:
    note(upstream)["properties"]["size"]["minimum"] = 1


def drop_property_called_title(upstream: Document) -> None:
    del note(upstream)["properties"]["title"]


def change_example_value(upstream: Document) -> None:
    note(upstream)["properties"]["title"]["example"]["summary"] = "another value"


def add_status(upstream: Document) -> None:
    upstream["paths"]["/a/b"]["post"]["responses"]["503"] = {"description": "Down"}


def require_one_less(upstream: Document) -> None:
    note(upstream)["required"].remove("size")


def turn_number_into_boolean(upstream: Document) -> None:
    note(upstream)["properties"]["size"]["default"] = True


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (change_bound, "  changed  #/components/schemas/Note/properties/size/minimum: 0 -> 1"),
        (drop_property_called_title, "  removed  #/components/schemas/Note/properties/title: "),
        (
            change_example_value,
            '  changed  #/components/schemas/Note/properties/title/example/summary: "a value" -> ',
        ),
        (add_status, "  added    #/paths/~1a~1b/post/responses/503: {}"),
        (require_one_less, '  removed  #/components/schemas/Note/required/0: "size"'),
        (turn_number_into_boolean, "  changed  #/components/schemas/Note/properties/size/default: 1 -> true"),
    ],
)
def test_every_structural_change_is_told_with_its_place(change: Any, line: str) -> None:
    upstream = document()
    change(upstream)
    rows = differences(document(), upstream)
    assert len(rows) == 1
    assert render_report(rows).splitlines()[1].startswith(line)


def test_the_report_groups_by_operation_and_schema() -> None:
    upstream = document()
    for change in (add_status, change_bound, drop_property_called_title):
        change(upstream)
    lines = render_report(differences(document(), upstream)).splitlines()
    titles = [line for line in lines if line[:1].strip()]
    assert titles == ["schema Note", "POST /a/b"]


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    folder = tmp_path / "specs" / "small"
    folder.mkdir(parents=True)
    (folder / "openapi.json").write_text(json.dumps(document()))
    return folder.parent


def run(specs: Path, upstream: Path) -> int:
    return main(["--contract", "small", "--upstream", str(upstream), "--specs", str(specs)])


def test_exit_status_0_without_a_difference(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(specs, specs / "small" / "openapi.json") == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_exit_status_1_with_one_even_from_yaml(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    upstream = specs / "upstream.yaml"
    upstream.write_text("openapi: 3.0.3\ninfo: {title: Small, version: '2'}\npaths: {}\n")
    assert run(specs, upstream) == 1
    assert '#/info/version: "1" -> "2"' in capsys.readouterr().out


def test_exit_status_2_without_a_readable_document(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(specs, specs / "absent.json") == 2
    assert "absent.json" in capsys.readouterr().err
