"""A document that the generated code could not honour is refused, by its place in the document."""

# ruff: noqa: E501  (the messages are written out whole)

from pathlib import Path
from typing import Any

import pytest

from tests.unit.verbatim_kit.generate.small_documents import BODY, FORM, INVALID, OK, document, operation
from verbatim_kit.generate.documents.document import Document, SpecError
from verbatim_kit.generate.inputs import find_inputs
from verbatim_kit.generate.models import render_models
from verbatim_kit.generate.reading.reader import read_operations

TEXT_BODY = {"required": True, "content": {"text/plain": {"schema": {"type": "string"}}}}
TEXTS = {"type": "array", "items": {"type": "string"}}
EVENTS = {
    "description": "Done",
    "content": {"text/event-stream": {"schema": {"$ref": "#/components/schemas/Answer"}}},
}
BEARER = {"type": "http", "scheme": "bearer"}


def answers(**responses: Any) -> Document:
    """An operation without a body that has these responses, `_200` for 200."""
    return operation(
        requestBody=None, responses={status.lstrip("_"): value for status, value in responses.items()}
    )


def content(**media: Any) -> Document:
    return {"description": "Done", "content": {key.replace("_", "/"): value for key, value in media.items()}}


def json_of(schema: Any) -> Document:
    return content(application_json={"schema": schema})


def messages(responses: Any = None, **said: Any) -> Document:
    """An operation whose messages of WebSockets are said to be so."""
    return operation(**{"x-websocket": said}, **({} if responses is None else {"responses": responses}))


def parameter(**changes: Any) -> Document:
    base = {"name": "a", "in": "query", "schema": {"type": "string"}}
    return operation(parameters=[{**base, **changes}])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (operation(operationId=None), ": operationId is missing"),
        (operation(operationId="class"), "/operationId: 'class' cannot name a method"),
        (operation(operationId="2nd"), "/operationId: '2nd' cannot name a method"),
        (operation(operationId="table"), "/operationId: 'table' cannot name a method"),
        (operation(requestBody=TEXT_BODY), "/requestBody/content: a body must be application/json or multipart/form-data alone, not ['text/plain']"),
        (operation(requestBody={"content": BODY["content"]}), "/requestBody: must say `required: true`, or `required: false`"),
        (
            operation(requestBody={"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}),
            "/requestBody/content/application~1json/schema: must be a $ref into #/components/schemas, by a name that is a Python identifier",
        ),
        (operation(responses={"200": OK}), "/responses: an operation that takes input must declare 400 or 422"),
        (
            operation(responses={"200": OK, "400": INVALID, "422": INVALID}),
            "/responses: declares 400 and 422; x-validation-status must choose",
        ),
        (operation(**{"x-validation-status": 400}), "/responses: x-validation-status is 400, which is not declared"),
        (messages(), "/x-websocket: must have the `type` of messages, and the schema of an `error`"),
        (messages(type="a", error={}, sub=1), "/x-websocket: has no sub"),
        (messages(type="a", error={}), "/x-websocket: its messages are answered with events, which the operation does not have"),
        (
            messages(type="a", error={}, sets={"b": True}, responses={"200": EVENTS, "422": INVALID}),
            "/x-websocket: the body has no b",
        ),
        (operation(security=[{"bearer": []}]), "/responses: a secured operation must declare 401"),
        (operation(security=[{"basic": []}]), "/security: scheme 'basic' is not supported; http bearer and an apiKey in a header of its own are"),
        (operation(security=[{"unknown": []}]), "/security: scheme 'unknown' is not supported; http bearer and an apiKey in a header of its own are"),
        (operation(security=[{"bearer": [], "key": []}]), "/security: a requirement of several schemes at once is not supported"),
        (answers(_422=INVALID), "/responses: one successful status is needed, not 0"),
        (answers(_200=OK, _201=OK), "/responses: one successful status is needed, not 2"),
        (answers(_200=OK, default=INVALID), "/responses/default: a status is named by its number here: 2xx, 4xx or 5xx"),
        (answers(_200=OK, _4XX=INVALID), "/responses/4XX: a status is named by its number here: 2xx, 4xx or 5xx"),
        (answers(_200=OK, _302=INVALID), "/responses/302: a status is named by its number here: 2xx, 4xx or 5xx"),
        (answers(_200=OK, _404={"$ref": "#/components/responses/None"}), "/responses/404: $ref #/components/responses/None leads nowhere ('#/components/responses/None')"),
        (
            answers(_200=json_of({"type": "object"})),
            "/responses/200/content/application~1json/schema: must be a $ref into #/components/schemas, by a name that is a Python identifier",
        ),
        (
            answers(_200=content(image_png={}, text_plain={"schema": {"type": "string"}})),
            "/responses/200/content: application/json and one text are supported beside a stream, not image/png, text/plain",
        ),
        (
            answers(_200=content(image_png={})),
            "/responses/200/content/image~1png/schema: image/png is not supported; application/json, text/event-stream, application/x-ndjson, application/jsonl, a string as text/plain and a file as application/octet-stream are",
        ),
        (
            answers(_200=content(**{"text_event-stream": {}})),
            "/responses/200/content/text~1event-stream/schema: must be a $ref into #/components/schemas, by a name that is a Python identifier",
        ),
        (
            answers(_200=OK, _404=content(text_plain={"schema": {"type": "string"}})),
            "/responses/404/content: an error's body must be application/json alone, not ['text/plain']",
        ),
        (
            answers(_200={**OK, "headers": {"x-a": {"schema": {"type": "array"}}}}),
            "/responses/200/headers/x-a/schema: a header must be a string, an integer, a number or a boolean",
        ),
        (parameter(**{"in": "cookie"}), "/parameters/0: parameter 'a' in 'cookie' is not supported"),
        (parameter(schema={"type": "array"}), "/parameters/0/schema/items: an item of parameter 'a' must be a string, integer, number or boolean"),
        (parameter(schema=TEXTS, style="pipeDelimited"), "/parameters/0: parameter 'a': an array stands in the query, an item a time"),
        (parameter(schema=TEXTS, explode=False), "/parameters/0: parameter 'a': an array stands in the query, an item a time"),
        (parameter(**{"schema": TEXTS, "in": "header"}), "/parameters/0: parameter 'a': an array stands in the query, an item a time"),
        (parameter(schema={"type": ["string", "integer"]}), "/parameters/0/schema: parameter 'a' must be a string, integer, number or boolean"),
        (
            operation(parameters=[{"name": "a", "in": place, "schema": {"type": "string"}} for place in ("query", "header")]),
            "/parameters/1: parameter 'a' stands in 'header' and elsewhere",
        ),
        (
            answers(_200=content(**{"text_event-stream": {"schema": {"$ref": "#/components/schemas/Answer"}, "x-sse-event-name": "kind"}})),
            "!#/components/schemas/Answer: the events are named by 'kind': it must be required, an enum of strings",
        ),
        (
            answers(_200=content(**{"text_event-stream": {"schema": {"$ref": "#/components/schemas/Answer"}, "x-sse-event-name": "text"}})),
            "!#/components/schemas/Answer: the events are named by 'text': it must be required, an enum of strings",
        ),
        (
            answers(_200=content(**{"application_x-ndjson": {"schema": {"$ref": "#/components/schemas/Answer"}, "x-sse-terminator": "[DONE]"}})),
            "/responses/200/content/application~1x-ndjson/x-sse-terminator: lines as application/x-ndjson have no names, and no end of their own",
        ),
        (
            answers(_200=content(**{"application_jsonl": {"schema": {"$ref": "#/components/schemas/Answer"}, "x-sse-event-name": "text"}})),
            "/responses/200/content/application~1jsonl/x-sse-event-name: lines as application/jsonl have no names, and no end of their own",
        ),
        (
            answers(_200=content(**{"application_jsonl": {}, "text_event-stream": {}})),
            "/responses/200/content: application/jsonl and text/event-stream are two forms of a stream, and no request chooses one",
        ),
        (parameter(**{"x-path-parameter": "path"}), "/parameters/0/x-path-parameter: stands beside a path parameter alone, and is `path`"),
        (
            parameter(**{"in": "path", "x-path-parameter": "label"}),
            "/parameters/0/x-path-parameter: stands beside a path parameter alone, and is `path`",
        ),
        (parameter(**{"in": "path"}), ": path parameters ['a'] are not those of the path template"),
    ],
)  # fmt: skip
def test_an_operation_that_cannot_be_expressed_is_refused_by_its_place(ask: Document, message: str) -> None:
    source = document(ask)
    source["components"]["securitySchemes"] = {"bearer": BEARER, "basic": {"type": "http", "scheme": "basic"}}
    with pytest.raises(SpecError) as raised:
        read_operations(source)
    assert str(raised.value) == (message[1:] if message[0] == "!" else f"#/paths/~1ask/post{message}")


@pytest.mark.parametrize(
    ("member", "place"),
    [
        ({"type": ["string", "null"]}, ""),
        ({}, ""),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, ""),
        ({"type": "object"}, ""),
        ({"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "object"}]}, ""),
        ({"type": "array", "items": {"type": "array"}}, "/items"),
    ],
)
def test_a_member_of_a_form_that_no_text_can_stand_for_is_refused(member: Document, place: str) -> None:
    with pytest.raises(SpecError) as raised:
        read_operations(document(operation(requestBody=FORM), a=member))
    said = "'a' of a form must be a file, a string, a number, a boolean, an array of one, an object with properties, or a string or such an object"
    assert str(raised.value) == f"#/components/schemas/Question/properties/a{place}: {said}"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"required": False}, ": a body as multipart/form-data must be required"),
        ({"content": {"multipart/form-data": {**FORM["content"]["multipart/form-data"], "encoding": {}}}}, "/content/multipart~1form-data/encoding: is not supported: the schema says how members are read"),
        ({"content": {**FORM["content"], **BODY["content"]}}, "/content: a body must be application/json or multipart/form-data alone, not ['multipart/form-data', 'application/json']"),
    ],
)  # fmt: skip
def test_a_form_that_cannot_be_expressed_is_refused(change: Document, message: str) -> None:
    with pytest.raises(SpecError) as raised:
        read_operations(document(operation(requestBody={**FORM, **change})))
    assert str(raised.value) == f"#/paths/~1ask/post/requestBody{message}"


def test_two_operations_cannot_share_a_method() -> None:
    source = document()
    source["paths"]["/other"] = {"post": operation(operationId="Ask")}
    with pytest.raises(SpecError) as raised:
        read_operations(source)
    assert (
        str(raised.value)
        == "#/paths/~1other/post/operationId: 'Ask' names the same method as #/paths/~1ask/post"
    )


def test_methods_that_the_server_answers_itself_cannot_be_operations() -> None:
    source = document()
    source["paths"]["/ask"]["head"] = answers(_200=OK)
    with pytest.raises(SpecError, match="#/paths/~1ask/head: HEAD is answered by the server itself"):
        read_operations(source)


def test_a_document_without_operations_is_refused() -> None:
    with pytest.raises(SpecError, match="#/paths: the document has no operation"):
        read_operations({**document(), "paths": {}})


def test_a_component_that_an_operation_needs_must_keep_its_name() -> None:
    source = document()
    schemas = source["components"]["schemas"]
    schemas["question"] = schemas["Question"]  # the generator of models capitalises it, and then counts
    source["paths"]["/ask"]["post"] = operation(
        requestBody={
            "required": True,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/question"}}},
        }
    )
    with pytest.raises(
        SpecError, match="#/components/schemas/question: operations refer to it, but no type has its name"
    ):
        render_models(source, read_operations(source))


def test_parameters_cannot_take_the_name_of_a_component() -> None:
    source = document(parameter())
    source["components"]["schemas"]["AskArguments"] = {"type": "object"}
    with pytest.raises(
        SpecError, match="#/paths/~1ask/post: its parameters and a component would both be AskArguments"
    ):
        render_models(source, read_operations(source))


@pytest.mark.parametrize("names", [[], ["openapi.json", "openapi.yaml"]])
def test_a_contract_has_one_document(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(SpecError, match=f"must hold one openapi.json or openapi.yaml, not {len(names)}"):
        find_inputs(tmp_path)
