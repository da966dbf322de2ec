"""The metrics that docs/metrics.md lists."""

import re
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

from tests.unit.docs.pages import DOCS, code, rows

_NAME: Final = re.compile(r"(?:vllm:|tgi_|verbatim_)\w+")


def documented_families() -> list[str]:
    """Return the families in the table of all names, as Prometheus's parser names them: without `_total`."""
    tables = [row.cells for row in rows(DOCS / "metrics.md") if "what" in row.cells]
    cells = [cell for row in tables for column, cell in row.items() if column != "what"]
    named = [text for cell in cells for text in code(cell) if _NAME.fullmatch(text)]
    return [name.removesuffix("_total") for name in named]


def scraped_families(text: str) -> set[str]:
    """Return the families in a text as a scraper reads them. A series without a type is one of its own."""
    return {family.name for family in text_string_to_metric_families(text)}
