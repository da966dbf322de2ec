"""The OpenAI guide's table of request fields agrees with the document."""

from pathlib import Path
from typing import Final

from tests.unit.specs.conftest import effective

GUIDE: Final = Path(__file__).parents[3] / "docs" / "guides" / "openai.md"
REQUESTS: Final = (
    "CreateChatCompletionRequest",
    "CreateCompletionRequest",
    "CreateDecisionRequest",
    "CreateEmbeddingRequest",
    "CreateResponseRequest",
    "CreateTranscriptionRequest",
    "CreateTranslationRequest",
)


def rows() -> dict[str, list[set[str]]]:
    """Return the fields in each column, by the operations that the row is about."""
    section = GUIDE.read_text(encoding="utf-8").partition("## Every field\n")[2].partition("\n## ")[0]
    cells = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| ")]
    return {row[0].strip(): [set(cell.split("`")[1::2]) for cell in row[1:]] for row in cells[1:]}


def test_the_table_has_every_field_of_every_request_and_no_other() -> None:
    schemas = effective("openai")["components"]["schemas"]
    fields = {name for request in REQUESTS for name in schemas[request]["properties"]}
    told = {name for columns in rows().values() for names in columns for name in names}
    assert told == fields


def test_no_field_of_one_operation_is_in_two_columns() -> None:
    for honoured, no_effect, refused in rows().values():
        assert not (honoured & no_effect or honoured & refused or no_effect & refused)
