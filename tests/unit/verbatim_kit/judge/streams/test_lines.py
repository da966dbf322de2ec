"""A stream of lines is held to its schema and its laws as one of events is."""

from typing import Any

import pytest

from tests.unit.verbatim_kit.judge.streams.tales import DOCUMENT, TALE, lines, told
from verbatim_kit.judge.judge import Judge

JUDGE = Judge(DOCUMENT)


def test_a_stream_that_keeps_its_document_has_no_fault() -> None:
    assert JUDGE.faults(told(lines(*TALE))) == []
    assert JUDGE.faults(told(lines(*TALE), "application/x-ndjson; charset=utf-8")) == []


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([{**TALE[0], "text": "z"}, *TALE[1:]], ["schema line 0/text"]),
        ([TALE[0], {**TALE[1], "new": 1}, TALE[2]], ["undeclared line 1"]),
        ([*TALE, b"[DONE]\n"], ["json line 3"]),
        ([*TALE, b"\n"], ["framing line 3"]),
        ([b"data: ", *TALE], ["json line 0", "stream line 1/number", "stream line 2/number"]),
        ([TALE[0], TALE[2]], ["stream line 1/number"]),
        (TALE[:2], ["stream body"]),
        ([*TALE[:2], lines(TALE[2])[:-1]], ["framing line 2", "stream body"]),
    ],
)
def test_what_differs_is_a_fault_at_its_line(items: list[Any], found: list[str]) -> None:
    faults = JUDGE.faults(told(lines(*items)))
    assert [f"{fault.check} {fault.place}" for fault in faults] == found


def test_another_form_of_stream_is_not_what_is_declared() -> None:
    faults = JUDGE.faults(told(b"data: {}\n\n", "text/event-stream"))
    assert [fault.check for fault in faults] == ["media-type"]
