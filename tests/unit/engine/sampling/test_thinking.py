"""The place of a sequence in its thoughts, token by token."""

import pytest
from msgspec.structs import replace

from engine.port.errors import InvalidRequest
from engine.port.request import ThinkingBudget
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.thinking import ThinkingTables, ThoughtState
from tests.unit.engine.port.text import tiny_tokenizers

BUDGET = ThinkingBudget(max_tokens=3, begin="<t>", end="</t>", closing="\n</t>\n")


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    """Return a tokenizer for which each character of ASCII is a token."""
    return tiny_tokenizers.byte_level()


def written(tokenizer: Tokenizer, text: str, budget: ThinkingBudget, num_tokens: int = 30) -> str:
    """Return what is written by a model that goes on with `text` wherever nothing is forced."""
    state = ThoughtState(ThinkingTables(budget, tokenizer))
    wanted = tokenizer.encode(text, add_special_tokens=False)
    output: list[int] = []
    for _ in range(num_tokens):
        forced_id = state.forced_id
        if forced_id is None:
            if not wanted:
                break
            forced_id = wanted.pop(0)
        state.accept(forced_id)
        output.append(forced_id)
    return tokenizer.decode(output, skip_special_tokens=False)


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ("<t>abc", {}, "<t>abc\n</t>\n"),
        ("<t>abcde", {}, "<t>abc\n</t>\nde"),
        (" \n<t>abcde", {}, " \n<t>abc\n</t>\nde"),
        ("<t>abcde", {"max_tokens": 0}, "<t>\n</t>\nabcde"),
        ("abcde", {"max_tokens": 0, "is_open": True}, "\n</t>\nabcde"),
        ("abcde", {"is_open": True}, "abc\n</t>\nde"),
        # It ends by itself, on the last of its tokens or before.
        ("<t>ab</t>x", {"max_tokens": 6}, "<t>ab</t>x"),
        ("<t></t>abcdefg<t>hijkl", {"max_tokens": 4}, "<t></t>abcdefg<t>hijkl"),
        # The marker that has begun is completed.
        ("<t>a</xyz", {}, "<t>a</t>\nxyz"),
        ("<t>ab<xyz", {}, "<t>ab</t>\nxyz"),
        # So is a character that has begun, unless it goes on as none.
        ("<t>ab€xyz", {}, "<t>ab€\n</t>\nxyz"),
        # No thought at the start, or one that is not certain yet.
        ("x<t>abcde", {}, "x<t>abcde"),
        ("<tabcde", {}, "<tabcde"),
        # Several thoughts have one budget.
        ("x<t>a</t>y<t>bcde", {"is_single": False, "max_tokens": 6}, "x<t>a</t>y<t>b\n</t>\ncde"),
        ("x<t>abc<t>d", {"is_single": False}, "x<t>abc\n</t>\n<t>\n</t>\nd"),
    ],
)
def test_a_thought_is_closed_after_so_many_tokens(
    tokenizer: Tokenizer, text: str, changes: dict[str, int], expected: str
) -> None:
    assert written(tokenizer, text, replace(BUDGET, **changes)) == expected


def test_a_character_that_never_ends_is_not_waited_for(tokenizer: Tokenizer) -> None:
    [lead, *_] = tokenizer.encode("€", add_special_tokens=False)
    state = ThoughtState(ThinkingTables(replace(BUDGET, is_open=True), tokenizer))
    for _ in range(3 + 3):
        assert state.forced_id is None
        state.accept(lead)
    assert state.forced_id is not None


def test_the_token_that_would_begin_another_thought_is_excluded_once_the_budget_is_spent(
    tokenizer: Tokenizer,
) -> None:
    *before, last = tokenizer.encode("<t>", add_special_tokens=False)
    thought = tokenizer.encode("<t>abc", add_special_tokens=False)
    state = ThoughtState(ThinkingTables(replace(BUDGET, is_single=False), tokenizer))
    for token_id in before:
        state.accept(token_id)
    assert state.excluded_id is None  # nothing is spent yet
    for token_id in thought[len(before) :]:
        state.accept(token_id)
    while (forced_id := state.forced_id) is not None:
        state.accept(forced_id)
    assert not state.is_over
    for token_id in before:
        assert state.excluded_id is None
        state.accept(token_id)
    assert state.excluded_id == last


def test_a_fork_goes_its_own_way(tokenizer: Tokenizer) -> None:
    a = tokenizer.encode("a", add_special_tokens=False)[0]
    state = ThoughtState(ThinkingTables(replace(BUDGET, is_open=True), tokenizer))
    state.accept(a)
    other = state.fork()
    other.accept(a)
    other.accept(a)
    assert other.forced_id is not None
    assert state.forced_id is None


@pytest.mark.parametrize("changes", [{"begin": ""}, {"end": ""}, {"closing": "</u>"}, {"closing": ""}])
def test_a_budget_that_cannot_be_kept_is_refused(tokenizer: Tokenizer, changes: dict[str, str]) -> None:
    with pytest.raises(InvalidRequest):
        ThinkingTables(replace(BUDGET, **changes), tokenizer)
