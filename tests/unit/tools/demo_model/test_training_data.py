"""The training data: which tokens count, who sees whom, and that the split holds."""

import json
from collections.abc import Callable

import pytest
from tokenizers import Tokenizer

from engine.demo_model import DEMO_MODEL
from tools.demo_model.corpus import (
    GIVEN_WEIGHT,
    PROMPT_WEIGHT,
    REPLY_WEIGHT,
    Document,
    batches,
    documents,
    render,
    segments,
)
from tools.demo_model.dialogue import Call, Dialogue, Round, given, parts_of
from tools.demo_model.recipe import FROM_NOTHING
from tools.demo_model.scribe import Phrases, Scribe, Split, is_held_out
from tools.demo_model.skills.forcing import astray, forced_call, forced_form
from tools.demo_model.tokenizer import END_OF_TURN

ROUND = Round("Hi", "A greeting.", "Hello!")


def replies(talk: Dialogue) -> list[str]:
    return [part.text for part in segments(render(talk)) if part.weight == REPLY_WEIGHT]


def test_a_thought_is_the_models_own() -> None:
    assert replies(Dialogue("", (ROUND,))) == ["<think>\nA greeting.\n</think>\n\nHello!<|im_end|>"]


def test_an_empty_think_block_is_given_to_the_model() -> None:
    assert replies(Dialogue("", (ROUND,)).without_thoughts()) == ["Hello!<|im_end|>"]


def test_the_empty_think_block_is_not_learnt_lest_thoughts_be_skipped() -> None:
    parts = list(segments(render(Dialogue("", (ROUND, ROUND)).without_thoughts())))
    blocks = [part for part in parts if part.text == "<think>\n\n</think>\n\n"]
    assert [part.weight for part in blocks] == [GIVEN_WEIGHT] * 2 == [0.0] * 2
    assert "".join(part.text for part in parts) == render(Dialogue("", (ROUND, ROUND)).without_thoughts())


@pytest.mark.parametrize("skill", [forced_form, forced_call])
def test_how_a_forced_answer_begins_is_not_learnt_lest_it_come_unasked(
    skill: Callable[[Scribe], Dialogue],
) -> None:
    scribe = Scribe(1, Split.SEEN)
    for talk in (skill(scribe).without_thoughts() for _ in range(50)):
        parts = list(segments(render(talk)))
        reply = parts[[part.text for part in parts].index("<think>\n\n</think>\n\n") + 1 : -1]
        assert reply[0].text.startswith("<tool_call>" if talk.tools else "{")
        assert (reply[0].weight, reply[-1].weight) == (0.0, 1.0)
        text = "".join(part.text for part in reply).removesuffix(END_OF_TURN)
        assert json.loads(text.removeprefix("<tool_call>").removesuffix("</tool_call>"))


def test_a_string_that_went_astray_is_given_and_its_end_is_learnt() -> None:
    scribe = Scribe(1, Split.SEEN)
    call = given('<tool_call>\n{"name": "save", "arguments": {"') + 'a": "b", "c": ["d", 1]}}\n</tool_call>'
    strayed = [parts_of(astray(scribe, call)) for _ in range(50)]
    assert {len(parts) for parts in strayed} == {3, 5, 7}
    for begun, name, *rest in strayed:
        assert (begun, name) == ("", '<tool_call>\n{"name": "save", "arguments": {"')
        assert all(part.startswith('"') for part in rest[2::2])
        json.loads(("".join((name, *rest))).removeprefix("<tool_call>").removesuffix("</tool_call>"))


def test_call_and_answer_are_both_replies() -> None:
    talk = Round("?", "", "Sunny.", calls=(Call("weather", {"city": "Oslo"}),), results=("sunny",))
    call, answer = replies(Dialogue("", (talk,)))
    assert call == '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call><|im_end|>'
    assert answer == "Sunny.<|im_end|>"


def test_documents_are_the_same_for_the_same_seed() -> None:
    tokenizer = Tokenizer.from_file(str(DEMO_MODEL / "tokenizer.json"))
    one, two = (documents(tokenizer, 7, FROM_NOTHING.curriculum[-1]) for _ in range(2))
    assert [next(one) for _ in range(20)] == [next(two) for _ in range(20)]


def test_prompts_weigh_less_than_replies_and_empty_thoughts_nothing() -> None:
    tokenizer = Tokenizer.from_file(str(DEMO_MODEL / "tokenizer.json"))
    source = documents(tokenizer, 7, FROM_NOTHING.curriculum[-1])
    assert {weight for _ in range(50) for weight in next(source).weights} == {
        GIVEN_WEIGHT,
        PROMPT_WEIGHT,
        REPLY_WEIGHT,
    }


def test_packed_documents_see_only_themselves_and_the_past() -> None:
    source = iter([Document([5, 6, 7], [0.0, 1.0, 1.0]), Document([8, 9], [0.0, 1.0])] * 100)
    batch = next(batches(source, num_rows=1, row_length=5))
    mask = batch.mask()[0, 0]
    assert batch.tokens[0].tolist() == [5, 6, 7, 8, 9]
    assert batch.targets[0].tolist() == [6, 7, 0, 9, 0]
    assert batch.weights[0].tolist() == [1.0, 1.0, 0.0, 1.0, 0.0]
    assert mask[4].tolist() == [False, False, False, True, True]
    assert mask[0].tolist() == [True, False, False, False, False]


def test_branches_see_what_all_see_and_themselves_and_go_on_from_there() -> None:
    forked = Document([5, 6, 7, 8, 9], [1.0] * 5, branches=(0, 0, 1, 1, 2))
    source = iter([forked, Document([4], [0.0])] * 100)
    batch = next(batches(source, num_rows=1, row_length=6))
    mask = batch.mask()[0, 0]
    assert batch.positions[0].tolist() == [0, 1, 2, 3, 2, 0]
    assert mask[3].tolist() == [True, True, True, True, False, False]
    assert mask[4].tolist() == [True, True, False, False, True, False]
    assert mask[5].tolist() == [False, False, False, False, False, True]


def test_the_two_splits_share_no_invented_word_and_no_wording() -> None:
    seen, unseen = Scribe(0, Split.SEEN), Scribe(0, Split.UNSEEN)
    wordings = Phrases.of("a|b", unseen="c")
    assert not any(is_held_out(seen.invented()) for _ in range(200))
    assert all(is_held_out(unseen.invented()) for _ in range(200))
    assert {seen.say(wordings) for _ in range(50)} == {"a", "b"}
    assert unseen.say(wordings) == "c"
