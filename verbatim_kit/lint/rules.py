"""The rules. Each gives the places of a document that break it.

A document may be valid and yet say too little for who reads it, or for what is generated from it.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from verbatim_kit.generate.documents.document import Document, operations_of, resolve
from verbatim_kit.lint.schemas import KEYWORDS, Located, schemas_of


class Breach(NamedTuple):
    """One place that breaks a rule: `GET /info`, `GET /info 200 application/json` or `Info.sha`."""

    rule: str
    place: str


Rule = Callable[[Document], Iterator[str]]


def breaches(document: Document) -> list[Breach]:
    """Every breach of every rule, once, in order."""
    found = {Breach(name, place) for name, rule in RULES.items() for place in rule(document)}
    return sorted(found)


def _operation_has_id(document: Document) -> Iterator[str]:
    return _operations_without(document, "operationId")


def _operation_has_summary(document: Document) -> Iterator[str]:
    return _operations_without(document, "summary")


def _operation_has_tag(document: Document) -> Iterator[str]:
    return _operations_without(document, "tags")


def _operations_without(document: Document, key: str) -> Iterator[str]:
    for path, method, operation, _ in operations_of(document):
        if not operation.get(key):
            yield _name(path, method)


def _summary_has_no_full_stop(document: Document) -> Iterator[str]:
    """It is a heading."""
    for path, method, operation, _ in operations_of(document):
        if operation.get("summary", "").endswith("."):
            yield _name(path, method)


def _operation_declares_an_error(document: Document) -> Iterator[str]:
    for path, method, operation, _ in operations_of(document):
        if not any(status[0] in "45" for status in operation["responses"]):
            yield _name(path, method)


def _request_has_example(document: Document) -> Iterator[str]:
    for path, method, operation, at in operations_of(document):
        body, _ = resolve(document, operation.get("requestBody", {}), at)
        for media_type, content in body.get("content", {}).items():
            if not _has_example(content):
                yield f"{_name(path, method)} {media_type}"


def _answer_has_example(document: Document) -> Iterator[str]:
    for place, response in _responses(document):
        for media_type, content in response.get("content", {}).items():
            if not _has_example(content):
                yield f"{place} {media_type}"


def _answer_is_described(document: Document) -> Iterator[str]:
    for place, response in _responses(document):
        if not response.get("description"):
            yield place
        for name, node in response.get("headers", {}).items():
            if not resolve(document, node, ())[0].get("description"):
                yield f"{place} {name}"


def _parameter_is_described(document: Document) -> Iterator[str]:
    for path, method, operation, _ in operations_of(document):
        for node in (*document["paths"][path].get("parameters", ()), *operation.get("parameters", ())):
            parameter, _ = resolve(document, node, ())
            if not parameter.get("description"):
                yield f"{_name(path, method)} {parameter['name']}"


def _property_is_described(document: Document) -> Iterator[str]:
    """By itself or by the component it refers to; a constant tells all by its value."""
    for one in schemas_of(document):
        for name, node in one.schema.get("properties", {}).items():
            target, _ = resolve(document, node, ())
            if isinstance(target, dict) and not (_is_constant(target) or _description(node, target)):
                yield f"{one.place}.{name}"


def _description_is_a_sentence(document: Document) -> Iterator[str]:
    for one in schemas_of(document):
        text = one.schema.get("description", "").rstrip()
        if text and not text.endswith(".") and not text.split()[-1].startswith("https://"):
            yield one.place


def _keyword_is_known(document: Document) -> Iterator[str]:
    """A comma in a YAML mapping between braces makes a key of what follows it."""
    for one in schemas_of(document):
        yield from (f"{one.place} {key}" for key in _unknown_keywords(one))


def _unknown_keywords(one: Located) -> list[str]:
    return sorted(key for key in one.schema if key not in KEYWORDS and not key.startswith("x-"))


RULES: Final[dict[str, Rule]] = {
    "operation-id": _operation_has_id,
    "operation-summary": _operation_has_summary,
    "operation-tag": _operation_has_tag,
    "operation-error": _operation_declares_an_error,
    "summary-heading": _summary_has_no_full_stop,
    "request-example": _request_has_example,
    "answer-example": _answer_has_example,
    "answer-description": _answer_is_described,
    "parameter-description": _parameter_is_described,
    "property-description": _property_is_described,
    "description-sentence": _description_is_a_sentence,
    "keyword": _keyword_is_known,
}


def _responses(document: Document) -> Iterator[tuple[str, Any]]:
    for path, method, operation, at in operations_of(document):
        for status, node in operation["responses"].items():
            yield f"{_name(path, method)} {status}", resolve(document, node, at)[0]


def _name(path: str, method: str) -> str:
    return f"{method.upper()} {path}"


def _has_example(content: Any) -> bool:
    return "example" in content or bool(content.get("examples"))


def _description(node: Any, target: Any) -> str:
    text: str = node.get("description") or target.get("description") or ""
    return text


def _is_constant(schema: Any) -> bool:
    return "const" in schema or len(schema.get("enum", ())) == 1
