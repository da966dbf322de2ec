"""The laws of a stream's order, each kept and each broken."""

import json
from typing import Any

import pytest

from tests.unit.verbatim_kit.judge.shop import document
from verbatim_kit.judge.exchange import Fault
from verbatim_kit.judge.judge import Judge
from verbatim_kit.judge.streams.stream import StreamJudge

FINISHED = {"required": ["finish"]}
LAWS: list[dict[str, Any]] = [
    {
        "constant": ["/id", "/of/model"],
        "counts": {"/number": 0},
        "each": {"not": {"required": ["bad"]}},
        "failure": {"required": ["error"]},
        "parts": [
            {
                "at": "/choices",
                "by": "/index",
                "num": "/n",
                "first": {"required": ["role"]},
                "last": FINISHED,
                "parts": [{"at": "/call", "by": "/index", "first": {"required": ["name"]}}],
            }
        ],
    },
    {
        "when": {"properties": {"usage": {"const": True}}, "required": ["usage"]},
        "last": {"required": ["usage"]},
    },
]


def judge_of(event: Any = True, **media: Any) -> StreamJudge:
    source = document(**media)
    source["paths"]["/items/all"]["get"]["responses"]["200"]["content"]["text/event-stream"]["schema"] = event
    judge = Judge(source)
    rules = judge.operation("GET", "/items/all").answers[200].events([("content-type", "text/event-stream")])
    assert rules is not None
    return StreamJudge(rules, {"n": 2, "usage": media.pop("usage", False)})


def frame(event: Any) -> bytes:
    return b"data: " + (event if isinstance(event, bytes) else json.dumps(event).encode()) + b"\n\n"


def faults(judge: StreamJudge, *events: Any) -> list[Fault]:
    return [*judge.feed(b"".join(map(frame, events))), *judge.end()]


def choice(index: int, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": index, **fields}]}


STREAM: tuple[dict[str, Any], ...] = (
    {**choice(0, role="assistant"), "id": "a", "of": {"model": "m"}, "number": 0},
    {**choice(1, role="assistant", call={"index": 0, "name": "f"}), "id": "a", "number": 1},
    {**choice(1, call={"index": 0}), "number": 2},
    {**choice(0, finish="stop"), "id": "a", "of": {"model": "m"}, "number": 3},
    {**choice(1, finish="stop"), "number": 4},
)


def test_a_stream_that_keeps_every_law_has_no_fault() -> None:
    assert faults(judge_of(**{"x-stream": LAWS}), *STREAM) == []


BROKEN: dict[str, tuple[Any, ...]] = {
    "a part too few": (STREAM[0], {**STREAM[3], "number": 1}),
    "another id": (*STREAM[:3], {**STREAM[3], "id": "b"}, STREAM[4]),
    "another model": (*STREAM[:3], {**STREAM[3], "of": {"model": "n"}}, STREAM[4]),
    "one lost": (*STREAM[:2], *STREAM[3:]),
    "one twice": (*STREAM[:3], STREAM[2], *STREAM[3:]),
    "another order": (STREAM[1], STREAM[0], *STREAM[2:]),
    "no last": STREAM[:-1],
    "what no event may have": (*STREAM[:2], {**STREAM[2], "bad": 1}, *STREAM[3:]),
    "after the last of its part": (*STREAM, {**choice(0), "number": 5}),
    "the first again": (*STREAM[:3], {**choice(0, role="assistant", finish="stop"), "number": 3}, STREAM[4]),
    "no first": ({**choice(0), "number": 0}, *STREAM[1:]),
    "a gap in the parts": (*STREAM, {**choice(3, role="assistant", finish="stop"), "number": 5}),
    "no first of the inner part": (
        STREAM[0],
        {**choice(1, role="a", call={"index": 0}), "number": 1},
        *STREAM[2:],
    ),
    "after a failure": ({"error": "lost"}, STREAM[0]),
}


@pytest.mark.parametrize("events", BROKEN.values(), ids=BROKEN)
def test_a_law_that_is_broken_is_a_fault(events: tuple[Any, ...]) -> None:
    assert {fault.check for fault in faults(judge_of(**{"x-stream": LAWS}), *events)} == {"stream"}


SAID = {"of": "/delta", "where": {"properties": {"kind": {"const": "said"}}}}
TOLD: list[dict[str, Any]] = [
    {
        "joined": {"/whole": SAID},
        "once": [{"required": ["reason"]}],
        "order": [{"required": ["delta"]}, {"required": ["reason"]}],
        "failure": {"required": ["error"]},
    }
]
TALE: tuple[dict[str, Any], ...] = (
    {"delta": "a", "kind": "said"},
    {"delta": "x", "kind": "thought"},
    {"delta": "b", "kind": "said", "whole": "ab"},
    {"reason": "stop"},
    {"whole": "ab"},
)
UNTRUE: dict[str, tuple[tuple[Any, ...], list[str]]] = {
    "a piece lost": (TALE[1:], ["event 1/whole", "event 3/whole"]),
    "a piece twice": ((TALE[0], *TALE), ["event 3/whole", "event 5/whole"]),
    "another text": ((*TALE[:4], {"whole": "ax"}), ["event 4/whole"]),
    "what comes once, twice": ((*TALE, {"reason": "stop"}), ["event 5"]),
    "what comes once, never": (TALE[:3], ["body"]),
    "after what it should stand before": ((*TALE, {"delta": ""}), ["event 5"]),
}


def test_texts_and_order_that_are_kept_have_no_fault() -> None:
    assert faults(judge_of(**{"x-stream": TOLD}), *TALE) == []
    assert faults(judge_of(**{"x-stream": TOLD}), TALE[0], {"error": "lost"}) == []


@pytest.mark.parametrize(("events", "places"), UNTRUE.values(), ids=UNTRUE)
def test_texts_and_order_that_are_broken_are_told(events: tuple[Any, ...], places: list[str]) -> None:
    found = faults(judge_of(**{"x-stream": TOLD}), *events)
    assert [fault.place for fault in found] == places
    assert {fault.check for fault in found} == {"stream"}


def test_a_failure_ends_a_stream_at_any_place() -> None:
    for length in range(len(STREAM)):
        assert faults(judge_of(**{"x-stream": LAWS}), *STREAM[:length], {"error": "lost"}) == []


def test_a_law_holds_for_the_requests_that_it_names() -> None:
    assert faults(judge_of(**{"x-stream": LAWS}, usage=True), *STREAM, {"usage": 1, "number": 5}) == []
    (fault,) = faults(judge_of(**{"x-stream": LAWS}, usage=True), *STREAM)
    assert fault == Fault("stream", "body", "None is the last one")


@pytest.mark.parametrize(
    ("events", "checks"),
    [
        (({}, b"[DONE]"), []),
        (({},), ["terminator"]),
        (({}, b"[DONE]", b"[DONE]"), ["terminator"]),
        (({}, b"[DONE]", {}), ["terminator"]),
        (({}, b"[END]"), ["json", "terminator"]),
    ],
)
def test_the_terminator_comes_once_and_last(events: tuple[Any, ...], checks: list[str]) -> None:
    found = faults(judge_of(**{"x-sse-terminator": "[DONE]"}), *events)
    assert [fault.check for fault in found] == checks


def test_a_terminator_that_is_not_declared_is_a_fault() -> None:
    assert [fault.check for fault in faults(judge_of(), {}, b"[DONE]")] == ["json"]


def test_an_events_name_is_the_property_that_names_it() -> None:
    judge = judge_of(**{"x-sse-event-name": "type"})
    assert judge.feed(b'event: a\ndata: {"type": "a"}\n\n') == []
    wrong = (b'event: b\ndata: {"type": "a"}\n\n', b'data: {"type": "a"}\n\n')
    assert [fault.check for text in wrong for fault in judge.feed(text)] == ["event-name"] * 2
    assert [fault.check for fault in judge_of().feed(b"event: a\ndata: {}\n\n")] == ["event-name"]


def test_an_event_is_held_to_its_schema_at_its_place() -> None:
    judge = judge_of(event={"type": "object", "properties": {"a": {"type": "integer"}}})
    found = faults(judge, {"a": 1}, {"a": "1"}, {"b": 1})
    assert [(fault.check, fault.place) for fault in found] == [
        ("schema", "event 1/a"),
        ("undeclared", "event 2"),
    ]


@pytest.mark.parametrize(
    "laws", [{}, [{"constants": []}], [{"constant": ["id"]}], [{"parts": [{"at": "/a", "of": "/b"}]}], ["a"]]
)
def test_laws_that_are_none_are_refused_with_their_place(laws: Any) -> None:
    with pytest.raises(ValueError, match=r"GET /items/all 200: "):
        Judge(document(**{"x-stream": laws}))
