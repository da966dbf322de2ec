"""Every corruption of a stream of lines is one that the judge finds."""

from tests.unit.verbatim_kit.judge.streams.tales import DOCUMENT, TALE, lines, told
from verbatim_kit.mutate.mutants.wire import events_of, frames
from verbatim_kit.mutate.recorded import Recorded
from verbatim_kit.mutate.report import render
from verbatim_kit.mutate.score import score

RECORDED = Recorded("tales", "tell", told(lines(*TALE)))


def test_the_judge_finds_the_mutants() -> None:
    found = score({"tales": DOCUMENT}, [RECORDED])
    assert not found.faulty
    assert not found.survivors, render(found)
    kinds = {kind for _, kind in found.killed}
    assert {"event lost", "events reordered", "framing broken", "body truncated", "field dropped"} <= kinds
    assert not {"event name wrong", "terminator added"} & kinds


def test_lines_are_written_as_they_were_read() -> None:
    body = lines(*TALE)
    assert frames(events_of(body, "application/x-ndjson")) == body
