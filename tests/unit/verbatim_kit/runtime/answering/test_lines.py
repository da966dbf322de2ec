"""Streams of lines: their framing, their errors before and after the first line, and their silence."""

import json
from typing import Any

import httpx
import pytest

from tests.support.clocks.virtual_time import run_in_virtual_time
from tests.unit.verbatim_kit.runtime.client import send
from tests.unit.verbatim_kit.runtime.notes import Kept, Note, serve, stream_of
from verbatim_kit.runtime.problem import Problem
from verbatim_kit.runtime.runtime_options import RuntimeOptions

A = Kept(id=1, text="a\n\u2028")
LINE = '{"id":1,"text":"a\\n\u2028"}\n'


async def tail(*items: Any, pause_s: float = 0.0, keep_alive_s: float = 0.0) -> httpx.Response:
    options = RuntimeOptions(keep_alive_s=keep_alive_s)
    app = serve(tail=lambda call: stream_of(*items, pause_s=pause_s), options=options)
    return await send(app, "GET", "/tail")


async def test_a_stream_has_a_line_for_each_item_and_nothing_after_the_last() -> None:
    response = await tail(A, b'{"id":2,"text":"b"}')
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/x-ndjson"
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["x-accel-buffering"] == "no"
    assert response.text == LINE + '{"id":2,"text":"b"}\n'
    assert (await tail()).content == b""


async def test_an_error_before_the_first_line_keeps_its_status() -> None:
    response = await tail(Problem(429, "Full", "busy"))
    assert (response.status_code, response.json()) == (429, {"reason": "Full", "kind": "busy"})
    undeclared: Any = Note(text="a")
    assert (await tail(undeclared)).status_code == 500


@pytest.mark.parametrize("pause_s", [0.0, 0.001])
@pytest.mark.parametrize(
    ("error", "line"),
    [
        (Problem(424, "Broken", "generation"), {"reason": "Broken", "kind": "generation"}),
        (ValueError("Unforeseen"), {"reason": "Internal server error", "kind": "internal"}),
        (Note(text="a"), {"reason": "Internal server error", "kind": "internal"}),
    ],
)
async def test_an_error_after_the_first_line_is_the_last_line(
    error: Any, line: dict[str, str], pause_s: float
) -> None:
    response = await tail(A, error, Kept(id=2, text="never"), pause_s=pause_s)
    first, last = response.text.splitlines(keepends=True)[0], response.text.split("\n")[-2:]
    assert response.status_code == 200
    assert LINE.startswith(first)
    assert (json.loads(last[0]), last[1]) == (line, "")


def test_a_silent_stream_has_no_line_that_no_item_is() -> None:
    response = run_in_virtual_time(tail(A, A, pause_s=50.0, keep_alive_s=20))
    assert response.text == LINE * 2
    early = run_in_virtual_time(tail(Problem(429, "Full", "busy"), pause_s=50.0, keep_alive_s=20))
    assert (early.status_code, json.loads(early.text)) == (200, {"reason": "Full", "kind": "busy"})
