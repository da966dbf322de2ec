"""Everything that the guides' tables name exists: options, variables, fields of the contract."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from handlers.settings.command_line import options
from tests.unit.docs.pages import GUIDES, ROOT, Row, code, rows
from tools.docs.other_programs import table_of

ROWS = [(page, row) for page in GUIDES for row in rows(page)]


def known_flags() -> set[str]:
    flags = set[str]()
    for option in options():
        flags.update(option.flags)
        if option.metavar is None:
            flags.update("--no-" + flag.removeprefix("--") for flag in option.flags)
    return flags


def known_variables() -> set[str]:
    return {variable for option in options() for variable in option.environment}


def properties(node: Any) -> set[str]:
    """Names of all properties in a document, however deep."""
    if isinstance(node, list):
        return set().union(*map(properties, node))
    if not isinstance(node, dict):
        return set()
    own = node.get("properties", {})
    names = set(own) if isinstance(own, dict) else set()
    return names.union(*map(properties, node.values()))


def contract(page: Path) -> set[str]:
    document = json.loads((ROOT / "generated" / page.stem / "openapi.json").read_text(encoding="utf-8"))
    return properties(document)


SETTINGS = [row for _, row in ROWS if "here" in row.cells and "field" not in row.cells]
FIELDS = [(page, row) for page, row in ROWS if "field" in row.cells]


@pytest.mark.parametrize("row", SETTINGS, ids=[row.name for row in SETTINGS])
def test_an_option_or_a_variable_that_a_table_names_exists(row: Row) -> None:
    texts = code(row.cells["here"])
    assert {word for text in texts for word in text.split() if word.startswith("--")} <= known_flags()
    variables = {text for text in texts if re.fullmatch(r"[A-Z][A-Z_]+", text)}
    assert variables <= known_variables()


@pytest.mark.parametrize("row", SETTINGS, ids=[row.name for row in SETTINGS])
def test_an_option_that_is_said_not_to_be_here_is_not(row: Row) -> None:
    if not row.cells["here"]:
        first = next(iter(row.cells.values()))
        assert not set(code(first)) & known_flags()


@pytest.mark.parametrize(
    ("page", "program", "head"),
    [("tgi", "tgi", "TGI"), ("command_lines", "vllm", "vLLM"), ("command_lines", "llama.cpp", "llama.cpp")],
)
def test_a_guide_has_the_table_of_another_programs_options(page: str, program: str, head: str) -> None:
    guide = (ROOT / "docs" / "guides" / f"{page}.md").read_text(encoding="utf-8")
    table = table_of(program, head)
    assert table in guide, f"paste what tools.docs.other_programs.table_of({program!r}, {head!r}) returns"


@pytest.mark.parametrize(("page", "row"), FIELDS, ids=[row.name for _, row in FIELDS])
def test_a_field_that_a_table_names_is_in_the_contract(page: Path, row: Row) -> None:
    named = set(code(row.cells["field"]))
    assert named
    assert named <= contract(page)
