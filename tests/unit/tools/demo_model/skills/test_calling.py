"""Dialogues about tools that are not there: none calls one, and the answer says so."""

from collections.abc import Callable

import pytest

from tools.demo_model.dialogue import Dialogue
from tools.demo_model.recipe import FROM_NOTHING, REFRESH, Blend
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.calling import (
    ACCEPT,
    LACKS,
    declining,
    declining_again,
    declining_beside_tools,
    lacking,
)
from tools.demo_model.skills.mixture import dialogue

NUM_DRAWN = 300


def drawn(skill: Callable[[Scribe], Dialogue]) -> list[Dialogue]:
    scribe = Scribe(0, Split.SEEN)
    return [skill(scribe) for _ in range(NUM_DRAWN)]


@pytest.mark.parametrize("skill", [declining, declining_again])
def test_without_tools_nothing_is_called(skill: Callable[[Scribe], Dialogue]) -> None:
    for talk in drawn(skill):
        assert not talk.tools
        assert not any(part.calls for part in talk.rounds)


def test_the_answer_says_that_there_is_no_tool() -> None:
    scribe = Scribe(0, Split.SEEN)
    for _ in range(NUM_DRAWN):
        part = lacking(scribe)
        assert "no tool" in part.answer and "no tool" in part.thought
        assert part.accept == ACCEPT


def test_several_turns_have_one_such_request_at_least() -> None:
    for talk in drawn(declining_again):
        assert len(talk.rounds) > 1
        assert any(part.accept == ACCEPT for part in talk.rounds)


def test_calls_beside_a_declined_request_go_to_a_tool_on_offer() -> None:
    talks = drawn(declining_beside_tools)
    for talk in talks:
        names = {tool["name"] for tool in talk.tools}
        assert names and all(call.name in names for part in talk.rounds for call in part.calls)
        assert any(not part.calls for part in talk.rounds)
    assert any(part.calls for talk in talks for part in talk.rounds)


def test_every_kind_of_request_is_turned_down() -> None:
    scribe = Scribe(0, Split.SEEN)
    topics = {lacking(scribe).answer for _ in range(NUM_DRAWN)}
    assert topics == {lack.reply_to("").answer for lack in LACKS}


@pytest.mark.parametrize("blend", [*FROM_NOTHING.curriculum, *REFRESH.curriculum])
def test_every_stretch_of_training_has_them(blend: Blend) -> None:
    talks = drawn(lambda scribe: dialogue(scribe, blend))
    assert any("no tool" in part.answer for talk in talks for part in talk.rounds)
