"""An answer is judged by its document: where it differs there is a fault, and elsewhere there is none."""

import json
from typing import Any

import pytest

from tests.unit.verbatim_kit.judge.shop import JSON, checks, document, faults
from verbatim_kit.judge.judge import Judge

LAMP = {"name": "lamp", "price": 3, "colour": None, "labels": {"any": "text"}, "made": "2026-01-02T03:04:05Z"}
BILL = {"total": 5, "goods": 4, "tax": 1, "lines": [{"index": 0, "item": LAMP}, {"index": 1}]}
COUNT = ("x-count", "2")


def item(**changes: Any) -> bytes:
    return json.dumps({**LAMP, **changes}).encode()


def bill(**changes: Any) -> bytes:
    return json.dumps({**BILL, **changes}).encode()


def test_what_the_document_states_has_no_fault() -> None:
    assert faults("/items/lamp", item(), JSON) == []
    assert faults("/items/lamp", b'{"error": "None"}', JSON, status=404) == []
    assert faults("/items/lamp", b"", method="DELETE", status=204) == []
    assert faults("/bill", bill(), JSON, COUNT, ("x-till", "left"), method="POST") == []
    assert faults("/motto", "schön".encode(), ("content-type", "text/plain; charset=UTF-8")) == []


def test_a_plain_path_wins_over_a_template_and_a_parameter_is_one_segment() -> None:
    assert checks("/items/all", b"", ("content-type", "text/event-stream")) == []
    assert checks("/items/a/b", item(), JSON) == ["operation"]
    assert checks("/items/", item(), JSON) == ["operation"]
    assert checks("/items/lamp", item(), JSON, method="PUT") == ["operation"]


def test_of_two_templates_the_one_that_fixes_more_answers() -> None:
    source = document()
    wide = [{"name": "name", "in": "path", "x-path-parameter": "path", "required": True, "schema": {}}]
    answers = {status: {"responses": {status: {"description": ""}}} for status in ("200", "202")}
    source["paths"] = {
        "/{name}/x": {"parameters": wide, "get": answers["200"]},
        "/{name}/of/{of}/x": {"parameters": wide, "get": answers["202"]},
    }
    judge = Judge(source)
    assert checks("/a/b/x", b"", judge=judge) == []
    assert checks("/a/b/of/c/x", b"", judge=judge, status=202) == []


def test_head_is_get_without_its_body() -> None:
    length = ("content-length", "100")
    assert faults("/items/lamp", b"", JSON, length, method="HEAD") == []
    assert checks("/items/lamp", b"", ("content-type", "text/html"), method="HEAD") == ["media-type"]


@pytest.mark.parametrize("status", [201, 400, 500])
def test_a_status_that_is_not_declared_is_a_fault(status: int) -> None:
    assert checks("/items/lamp", item(), JSON, status=status) == ["status"]


@pytest.mark.parametrize(
    "sent", ["text/html", "application/json; charset=latin-1", "text/event-stream", "application/jsonp", ""]
)
def test_a_media_type_that_is_not_declared_is_a_fault(sent: str) -> None:
    assert checks("/items/lamp", item(), ("content-type", sent)) == ["media-type"]


def test_a_missing_media_type_is_a_fault_and_so_is_one_where_no_body_is_declared() -> None:
    assert checks("/items/lamp", item()) == ["media-type"]
    assert checks("/items/lamp", b"", JSON, method="DELETE", status=204) == ["media-type"]
    assert checks("/items/lamp", b"x", method="DELETE", status=204) == ["media-type"]


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ((), "x-count"),
        ((("X-COUNT", "many"),), "x-count"),
        ((("x-count", "-1"),), "x-count"),
        ((("x-count", "1.5"),), "x-count"),
        ((COUNT, COUNT), "x-count"),
        ((COUNT, ("x-till", "2")), "x-till"),
        ((COUNT, JSON), "content-type"),
    ],
)
def test_a_header_that_is_not_as_declared_is_a_fault(headers: tuple[Any, ...], name: str) -> None:
    found = faults("/bill", bill(), JSON, *headers, method="POST")
    assert [(fault.check, fault.place) for fault in found] == [("header", f"header {name}")]


def test_a_length_that_is_not_the_bodys_is_a_fault() -> None:
    assert checks("/items/lamp", item(), JSON, ("content-length", str(len(item()) + 1))) == ["length"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b'{"name": "lamp", "price": 3',
        b'{"name": "lamp", "price": NaN}',
        b'{"name": "lamp", "price": 3, "price": 4}',
        b'{"name": "l\xff", "price": 3}',
        b'{"name": "\\ud800", "price": 3}',
        b'{"name": "lamp", "price": 1e999}',
        b"[" * 100_000,
    ],
)
def test_a_body_that_is_no_json_is_a_fault(body: bytes) -> None:
    assert set(checks("/items/lamp", body, JSON)) == {"json"}


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"name": ""}, "body/name"),
        ({"name": None}, "body/name"),
        ({"price": "3"}, "body/price"),
        ({"price": -1}, "body/price"),
        ({"price": 2**32}, "body/price"),
        ({"colour": "green"}, "body/colour"),
        ({"labels": {"any": 1}}, "body/labels/any"),
        ({"made": "yesterday"}, "body/made"),
    ],
)
def test_a_value_that_its_schema_refuses_is_a_fault_at_its_place(changes: Any, place: str) -> None:
    assert {(fault.check, fault.place) for fault in faults("/items/lamp", item(**changes), JSON)} == {
        ("schema", place)
    }


def test_a_property_that_is_not_stated_is_a_fault_wherever_it_stands() -> None:
    assert checks("/items/lamp", item(size=1), JSON) == ["undeclared"]
    inner = [{"index": 0, "item": {**LAMP, "size": 1}}]
    found = faults("/bill", bill(lines=inner), JSON, COUNT, method="POST")
    assert [(fault.check, fault.place) for fault in found] == [("undeclared", "body/lines/0/item")]


def test_a_sum_that_is_none_is_a_fault() -> None:
    (fault,) = faults("/bill", bill(total=6), JSON, COUNT, method="POST")
    assert (fault.check, fault.message) == ("schema", "total is 6, not the sum of goods and tax")
    without = {"total": 6, "goods": 4}
    assert faults("/bill", json.dumps(without).encode(), JSON, COUNT, method="POST") == []


def test_items_that_are_not_numbered_in_their_order_are_a_fault() -> None:
    for lines in ([{"index": 1}], [{"index": 0}, {"index": 0}], [{"index": 1}, {"index": 0}]):
        (fault,) = faults("/bill", bill(lines=lines), JSON, COUNT, method="POST")
        assert (fault.check, fault.place) == ("schema", "body/lines")


def test_text_that_is_not_utf_8_is_a_fault() -> None:
    assert checks("/motto", b"\xff", ("content-type", "text/plain")) == ["media-type"]
