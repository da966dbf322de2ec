"""The JSON Schemas that are enforced; others are refused rather than loosened.

docs/structured-output.md lists the keywords, what is refused, and where fewer values are generated than a
schema allows. A schema is brought into a normal form of Draft 2020-12 here, from which `writing` makes the
rules of a grammar: keywords of older drafts are rewritten (`rewriting.drafts`), conditions become
alternatives (`rewriting.conditions`), and what stands beside another is merged with it (`merging`).
"""

import json
from collections.abc import Callable, Iterable
from typing import Final

from engine.grammar.patterns.normal_pattern import check_characters
from engine.grammar.schema.document import TOO_DEEP, SchemaDocument
from engine.grammar.schema.finiteness import check_finiteness
from engine.grammar.schema.merging.merger import merged_document
from engine.grammar.schema.rewriting.conditions import without_conditions
from engine.grammar.schema.rewriting.drafts import modern_schema
from engine.grammar.schema.rules import complaints, source_complaints
from engine.grammar.schema.walk import Schema
from engine.port.errors import InvalidGrammar

_MAX_DIGITS: Final = 300  # of an integer; a float holds a few more


def enforceable_document(source: object) -> SchemaDocument:
    """Return an equal document, or one that allows less, of the keywords that `engine.grammar.lark` writes.

    Raises InvalidGrammar, naming the place, for a schema that is malformed, out of bounds, or would be
    loosened.
    """
    if source is False:
        raise InvalidGrammar("JSON Schema: false allows no value")
    modern = modern_schema({} if source is True else source)
    check_characters(json.dumps(modern, ensure_ascii=False))
    original = SchemaDocument(modern)
    _raise_first(original, source_complaints)
    document = SchemaDocument(merged_document(SchemaDocument(without_conditions(original))))
    _raise_first(document, complaints)
    check_finiteness(document)
    return document


def _raise_first(document: SchemaDocument, find: Callable[[Schema, SchemaDocument], Iterable[str]]) -> None:
    for place, schema in document.schemas.items():
        for complaint in find(schema, document):
            raise InvalidGrammar(f"JSON Schema at {place}: {complaint}")


def parse_json(source: str) -> object:
    """Return the parsed text.

    Raises InvalidGrammar for text that is no JSON, is nested too deep to read, or has an integer that no
    float holds.
    """
    try:
        return json.loads(source, parse_int=_integer)
    except RecursionError:
        raise InvalidGrammar(TOO_DEEP) from None
    except ValueError as error:
        raise InvalidGrammar(f"the grammar is no JSON: {error}") from error


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise InvalidGrammar(f"an integer may have {_MAX_DIGITS} digits; one here has {len(text)}")
    return int(text)
