"""Code generated from small documents does what the documents say, requests sent through it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import httpx
import pytest
from fastapi import FastAPI
from pydantic import BaseModel, TypeAdapter
from typing_extensions import override

from tests.unit.verbatim_kit.generate.small_documents import document, emit, operation
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.contract import Contract
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import Problem
from verbatim_kit.runtime.server import ContractServer

REF = {"$ref": "#/components/schemas/Answer"}

Echo: TypeAlias = Callable[..., Any]


def server(operations: Any, ask: Callable[..., Any]) -> ContractServer:
    """Serves the emitted operations with `ask` as the only handler."""

    class AskContract(Contract):
        name = "ask"

        @override
        def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
            fault: BaseModel = operations.m.Fault(reason=problem.message)
            return fault

    handlers = type("AskHandlers", (operations.Operations,), {"ask": ask})()
    app = ContractServer(FastAPI(openapi_url=None))
    app.mount(AskContract(), handlers)
    return app


async def post(app: ContractServer, body: Any, path: str = "/ask", **request: Any) -> httpx.Response:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        return await client.post(path, json=body, **request)


async def ask_repr(self: object, body: Any, call: object) -> Any:
    """Answers with what the model says of the question's field."""
    return type(self).__mro__[1].table[0].response(text=repr(getattr(body, "field", None)))  # type: ignore[attr-defined]


CLOSED = {"type": "object", "properties": {"a": {}}, "additionalProperties": False}

CASES: list[tuple[str, dict[str, Any], list[Any], list[Any]]] = [
    ("string", {"type": "string", "minLength": 1}, ["a"], ["", 1, None, []]),
    ("nullable", {"type": ["string", "null"]}, ["a", None], [1]),
    ("integer", {"type": "integer"}, [1, 1.0, 1e300, -(10**30)], [1.5, "1", True, None]),
    ("int32", {"type": "integer", "format": "int32"}, [-(2**31), 2**31 - 1], [2**31, -(2**31) - 1]),
    ("uint64", {"type": "integer", "format": "uint64"}, [0, 2**64 - 1], [-1, 2**64]),
    ("number", {"type": "number", "exclusiveMinimum": 0}, [1, 0.5], [0, -1, "1", True]),
    ("boolean", {"type": "boolean"}, [True], [1, 0, "true"]),
    ("true alone", {"type": "boolean", "const": True}, [True], [False, 1, 1.0, None, "true"]),
    (
        "false or null",
        {"type": ["boolean", "null"], "enum": [False, None]},
        [False, None],
        [True, 0, 0.0, "false"],
    ),
    ("false alone", {"type": "boolean", "enum": [False]}, [False], [True, 0, -0.0, None, "false"]),
    ("enum", {"type": "string", "enum": ["a", "b"]}, ["a"], ["c", 1]),
    ("array", {"type": "array", "items": {"type": "integer"}, "maxItems": 1}, [[], [1]], [[1, 2], ["a"], {}]),
    ("map", {"type": "object", "additionalProperties": {"type": "number"}}, [{}, {"a": 1}], [{"a": "b"}, []]),
    ("reference", REF, [{"text": "a"}, {"text": "a", "more": 1}], [{}, {"text": 1}, "a"]),
    ("nullable reference", {"anyOf": [REF, {"type": "null"}]}, [{"text": "a"}, None], [{}, "a"]),
    ("choice", {"oneOf": [{"type": "string"}, REF]}, ["a", {"text": "a"}], [1, {}, ["a"]]),
    ("anything", {}, [None, 1, "a", [{}]], []),
    ("deprecated", {"type": "integer", "deprecated": True}, [1], ["a"]),
    ("closed", CLOSED, [{}, {"a": 1}], [{"b": 1}, {"a": 1, "b": 1}]),
    ("constant", {"const": "a"}, ["a"], ["b", None]),
    ("pattern", {"type": "string", "pattern": "^[a-c]+$"}, ["abc"], ["d", "abcd", ""]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "good", "bad"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
async def test_a_field_takes_what_its_schema_takes(
    tmp_path: Path, schema: dict[str, Any], good: list[Any], bad: list[Any]
) -> None:
    app = server(emit(tmp_path, document(field=schema)), ask_repr)
    assert [(await post(app, {"field": value})).status_code for value in good] == [200] * len(good)
    refused = [await post(app, {"field": value}) for value in bad]
    assert [response.status_code for response in refused] == [422] * len(bad)
    assert all(response.json()["reason"].startswith("field") for response in refused)


async def test_absent_null_and_default_are_told_apart(tmp_path: Path) -> None:
    fields: dict[str, Any] = {
        "optional": {"type": ["string", "null"]},
        "defaulted": {"type": ["string", "null"], "default": "x"},
        "nulled": {"type": ["string", "null"], "default": None},
    }

    async def ask(self: object, body: Any, call: object) -> Any:
        text = f"{body.optional} {body.defaulted} {body.nulled}"
        return operations.m.Answer(text=text)

    operations: Any = emit(tmp_path, document(**fields))
    app = server(operations, ask)
    assert (await post(app, {})).json() == {"text": "MISSING x None"}
    assert (await post(app, dict.fromkeys(fields))).json() == {"text": "None None None"}


async def test_an_answer_omits_what_is_absent_and_keeps_what_is_null(tmp_path: Path) -> None:
    source = document()
    source["components"]["schemas"]["Answer"]["properties"]["more"] = {"type": ["integer", "null"]}
    models: Any = emit(tmp_path, source).m
    encode = TypeAdapter(models.Answer).serializer.to_json
    assert encode(models.Answer(text="a")) == b'{"text":"a"}'
    assert encode(models.Answer(text="a", more=None)) == b'{"text":"a","more":null}'


async def test_names_that_python_or_pydantic_keep_for_themselves_stay_on_the_wire(tmp_path: Path) -> None:
    names = ["class", "schema", "model_config", "from", "x-y", "_private", "copy"]
    source = document(
        operation(
            responses={"200": {"$ref": "#/components/responses/Echo"}, "422": operation()["responses"]["422"]}
        )
    )
    source["components"]["responses"] = {
        "Echo": {
            "description": "",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Question"}}},
        }
    }
    source["components"]["schemas"]["Question"]["properties"] = {name: {"type": "string"} for name in names}

    async def ask(self: object, body: Any, call: object) -> Any:
        return body

    app = server(emit(tmp_path, source), ask)
    body = {name: name.upper() for name in names}
    assert (await post(app, body)).json() == body


async def test_a_missing_or_an_orphaned_operation_fails_when_the_handlers_are_built(tmp_path: Path) -> None:
    operations: Any = emit(tmp_path, document())
    with pytest.raises(TypeError, match="abstract method '?ask'?"):
        type("Incomplete", (operations.Operations,), {})()


async def test_a_path_parameter_takes_slashes_only_if_the_document_says_so(tmp_path: Path) -> None:
    async def ask(self: object, arguments: Any, body: Any, call: object) -> Any:
        return operations.m.Answer(text=arguments.name)

    for style, status in (({}, 404), ({"x-path-parameter": "path"}, 200)):
        name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}, **style}
        source = document(operation(parameters=[name]))
        source["paths"] = {"/ask/{name}": source["paths"]["/ask"]}
        operations: Any = emit(tmp_path / str(status), source)
        app = server(operations, ask)
        assert (await post(app, {}, "/ask/a")).json() == {"text": "a"}
        for path in ("/ask/a/b", "/ask/a%2Fb"):
            response = await post(app, {}, path)
            assert response.status_code == status
            assert status == 404 or response.json() == {"text": "a/b"}


async def test_parameters_keep_their_names_and_bounds(tmp_path: Path) -> None:
    number = {"type": "integer", "minimum": 1}
    parameters = [
        {"name": "roomId", "in": "path", "required": True, "schema": number},
        {"name": "max-words", "in": "query", "schema": {**number, "default": 7}},
        {"name": "X-Loud", "in": "header", "required": True, "schema": {"type": "boolean"}},
    ]
    source = document(operation(parameters=parameters[1:]))
    source["paths"] = {"/rooms/{roomId}/ask": {"parameters": parameters[:1], **source["paths"]["/ask"]}}

    async def ask(self: object, arguments: Any, body: Any, call: object) -> Any:
        return operations.m.Answer(text=repr((arguments.room_id, arguments.max_words, arguments.x_loud)))

    operations: Any = emit(tmp_path, source)
    app = server(operations, ask)
    loud = {"x-loud": "true"}
    assert (await post(app, {}, "/rooms/3/ask", headers=loud)).json() == {"text": "(3, 7, True)"}
    assert (await post(app, {}, "/rooms/3/ask?max-words=2", headers=loud)).json() == {"text": "(3, 2, True)"}
    for path, headers, reason in (
        ("/rooms/0/ask", loud, "roomId: must be greater than or equal to 1"),
        ("/rooms/a/ask", loud, "roomId: must be an integer"),
        ("/rooms/1/ask?max-words=0", loud, "max-words: must be greater than or equal to 1"),
        ("/rooms/1/ask", {}, "X-Loud: is missing"),
        ("/rooms/1/ask", {"x-loud": "1"}, "X-Loud: must be true or false"),
    ):
        response = await post(app, {}, path, headers=headers)
        assert (response.status_code, response.json()) == (422, {"reason": reason})
