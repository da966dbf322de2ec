"""The page's own judgement of values, and its reading of streams, beside those of well-kept libraries."""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import jsonschema_rs
import pytest
from playwright.async_api import Page

from handlers.composition import CONTRACTS

# What takes a value's place; bounds of the documents are met on both sides by the numbers.
_OTHERS: tuple[Any, ...] = (None, True, -1, 0, 0.5, 1, 3, 129, "", "a", [], [1], ["a"], {}, {"a": 1})

_VERDICTS = """async ([name, operation, bodies]) => {
  const { Contract } = await import("/playground/contract.js");
  const { problems } = await import("/playground/validator.js");
  const document = await (await fetch(`/${name}/openapi.json`)).json();
  const contract = new Contract(name, document, (value) => value);
  const { schema } = contract.operation(operation);
  return bodies.map((body) => problems(contract, schema, body).length === 0);
}"""

_EVENTS = """async ([text, size]) => {
  const { EventReader } = await import("/playground/sse.js");
  const reader = new EventReader();
  const found = [];
  for (let at = 0; at < text.length; at += size) found.push(...reader.push(text.slice(at, at + size)));
  return found.map(({ name, data }) => [name, data]);
}"""


def bodies_of(content: Any) -> list[Any]:
    """The examples, and each with one value or member other than it was."""
    shown = [one["value"] for one in content.get("examples", {}).values()] or [content["example"]]
    return [body for example in shown for body in (example, *changed(example))]


def changed(value: Any) -> Iterator[Any]:
    """All that differs from a value in one place."""
    if isinstance(value, dict):
        for name in value:
            yield {key: value[key] for key in value if key != name}
            for other in (*_OTHERS, *changed(value[name])):
                yield {**value, name: other}
        yield {**value, "no_such_field": 1}
    elif isinstance(value, list):
        for place, item in enumerate(value):
            for other in (*_OTHERS, *changed(item)):
                yield [*value[:place], other, *value[place + 1 :]]


def operations_of(name: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield each operation of a contract that has a body: its name, the body's content, and a validator."""
    document = json.loads(files(f"generated.{name}").joinpath("openapi.json").read_text())
    for item in document["paths"].values():
        for method in ("post", "put"):
            body = item.get(method, {}).get("requestBody")
            if body is None:
                continue
            body = (
                document["components"]["requestBodies"][body["$ref"].split("/")[-1]]
                if "$ref" in body
                else body
            )
            (content,) = body["content"].values()
            schema = {**content["schema"], "components": document["components"]}
            validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)
            yield item[method]["operationId"], content, validator


@pytest.mark.parametrize("name", CONTRACTS)
async def test_a_value_is_marked_just_where_a_json_schema_validator_refuses_it(
    page: Page, server_url: str, name: str
) -> None:
    await page.goto(f"{server_url}/playground")
    num_refused = 0
    for operation, content, validator in operations_of(name):
        bodies = bodies_of(content)
        told = await page.evaluate(_VERDICTS, [name, operation, bodies])
        for body, is_right in zip(bodies, told, strict=True):
            assert is_right == validator.is_valid(body), (operation, body)
            num_refused += not is_right
    assert num_refused > 20


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
async def test_events_are_the_same_however_the_stream_is_cut(page: Page, server_url: str, size: int) -> None:
    await page.goto(f"{server_url}/playground")
    text = ': comment\n\ndata: {"a":1}\n\nevent: end\r\ndata:two\r\ndata: lines\r\n\r\n'
    text += "id: 7\rdata\r\rdata: cut off"
    told = await page.evaluate(_EVENTS, [text, size])
    assert told == [["", '{"a":1}'], ["end", "two\nlines"], ["", ""]]
