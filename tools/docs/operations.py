"""A contract's operations as a page: a table of all, then each with its fields, statuses and examples."""

import json
from collections.abc import Iterator
from typing import Any

from tools.docs.fields import field_table, type_anchor, type_words
from tools.docs.table import one_line, table
from verbatim_kit.generate.documents.document import Document, Pointer, operations_of, resolve


def operations_page(name: str, document: Document) -> str:
    """Markdown. The document is the effective one, which the server answers at `/<name>/openapi.json`."""
    info = document["info"]
    parts = [
        f"# {info['title']}",
        info.get("description", ""),
        f"Served under `/{name}`. [Try it]({name}-try.html){{ .md-button .md-button--primary }} "
        f"[The document]({name}-openapi.json){{ .md-button download }} "
        f"[In OpenAPI 3.2]({name}-openapi-3.2.json){{ .md-button download }}",
        "## Operations",
        _overview(document),
    ]
    for path, method, operation, at in operations_of(document):
        parts += _operation(document, path, method, operation, at)
    parts += _types(document)
    return "\n\n".join(part for part in parts if part) + "\n"


def _overview(document: Document) -> str:
    rows = [
        (f"[`{method.upper()} {path}`](#{_anchor(method, path)})", one_line(operation.get("summary", "")))
        for path, method, operation, _ in operations_of(document)
    ]
    return table(("operation", "what it does"), rows)


def _anchor(method: str, path: str) -> str:
    return f"{method}-" + "".join(letter if letter.isalnum() else "-" for letter in path).strip("-")


def _operation(document: Document, path: str, method: str, operation: Document, at: Pointer) -> Iterator[str]:
    yield f"## `{method.upper()} {path}` {{ #{_anchor(method, path)} }}"
    yield f"**{operation.get('summary', '')}.** {operation.get('description', '')}".strip()
    yield _parameters(document, path, operation)
    body, _ = resolve(document, operation.get("requestBody", {}), at)
    for media_type, content in body.get("content", {}).items():
        schema, where = resolve(document, content.get("schema", {}), ())
        yield f"### Request: `{media_type}`"
        yield field_table(document, schema) or f"The body is {type_words(document, content.get('schema'))}."
        yield from _examples(content, "Example request")
    yield "### Responses"
    yield _statuses(document, operation, at)
    for status, node in operation["responses"].items():
        response, _ = resolve(document, node, at)
        for media_type, content in response.get("content", {}).items():
            if status.startswith("2"):
                yield from _examples(content, f"{status} as {media_type}")


def _types(document: Document) -> Iterator[str]:
    """Every component with fields, so that the names in the tables lead somewhere."""
    tables = {
        name: field_table(document, schema) for name, schema in document["components"]["schemas"].items()
    }
    if any(tables.values()):
        yield "## Types"
    for name, rows in tables.items():
        if rows:
            yield f"### {name} {{ #{type_anchor(name)} }}"
            yield one_line(document["components"]["schemas"][name].get("description", ""))
            yield rows


def _parameters(document: Document, path: str, operation: Document) -> str:
    nodes = (*document["paths"][path].get("parameters", ()), *operation.get("parameters", ()))
    rows = []
    for node in nodes:
        one, _ = resolve(document, node, ())
        words = type_words(document, one.get("schema", True))
        rows.append((f"`{one['name']}`", one["in"], words, one_line(one.get("description", ""))))
    return table(("parameter", "in", "type", "meaning"), rows) if rows else ""


def _statuses(document: Document, operation: Document, at: Pointer) -> str:
    rows = []
    for status, node in operation["responses"].items():
        response, _ = resolve(document, node, at)
        types = ", ".join(f"`{media_type}`" for media_type in response.get("content", {}))
        rows.append((f"**{status}**", types, one_line(response.get("description", ""))))
    return table(("status", "media types", "when"), rows)


def _examples(content: Any, title: str) -> Iterator[str]:
    """The first example of a body, folded."""
    values = [content["example"]] if "example" in content else []
    values += [example.get("value") for example in content.get("examples", {}).values()]
    if values:
        text = json.dumps(values[0], indent=2, ensure_ascii=False)
        lines = "\n".join(f"    {line}" for line in ("```json", *text.splitlines(), "```"))
        yield f'??? example "{title}"\n\n{lines}'
