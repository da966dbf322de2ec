"""Answers to questions."""

from typing import Any

import pytest

from tests.unit.handlers.contracts.openai.api import MODEL
from tests.unit.handlers.contracts.openai.decisions.scripted import (
    DECISIONS,
    api,
    body,
    choice,
    predicate,
    prompts,
    score,
)

END = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"


WEIGHTS = {"Y": 0.2, "N": 0.1, "A": 0.3, "B": 0.2, "C": 0.1, "0": 0.3, "1": 0.2, "2": 0.1}


def weigh(prompt: str, text: str) -> float:
    """Return the probability of a token; all that have no weight are certain."""
    return WEIGHTS.get(text, 1.0)


async def answers(*questions: object, **fields: Any) -> list[Any]:
    answer = await api(weigh).answer(DECISIONS, body(*questions, **fields))
    assert answer.keys() == {"model", "answers", "usage"}
    assert answer["model"] == MODEL
    found: list[Any] = answer["answers"]
    return found


async def test_a_predicate_has_the_probability_that_it_holds() -> None:
    assert await answers(predicate(name="thirsty")) == [
        {"type": "predicate", "name": "thirsty", "probability": pytest.approx(2 / 3)}
    ]


async def test_a_choice_has_the_probability_of_each_value_as_it_was_given() -> None:
    (answer,) = await answers(choice("water", {"value": "true", "description": "It is so"}, True))
    assert answer == {
        "type": "choice",
        "name": None,
        "choice": "water",
        "confidence": pytest.approx(0.25),
        "probabilities": [
            {"value": "water", "probability": pytest.approx(3 / 6)},
            {"value": "true", "probability": pytest.approx(2 / 6)},
            {"value": True, "probability": pytest.approx(1 / 6)},
        ],
    }


async def test_a_score_is_the_mean_of_its_levels() -> None:
    (answer,) = await answers(score("none", "some", "high", name="harm"))
    assert answer["score"] == pytest.approx(4 / 6)
    assert answer["confidence"] == pytest.approx(0.0)
    assert answer["probabilities"] == [
        {"value": 0, "label": "none", "probability": pytest.approx(3 / 6)},
        {"value": 1, "label": "some", "probability": pytest.approx(2 / 6)},
        {"value": 2, "label": "high", "probability": pytest.approx(1 / 6)},
    ]


async def test_answers_are_in_the_order_of_the_questions() -> None:
    names = [f"n{number}" for number in range(400)]
    found = await answers(*(predicate(name=name) for name in names))
    assert [answer["name"] for answer in found] == names


async def test_all_prompts_begin_with_the_input_and_the_first_is_alone() -> None:
    server = api()
    answer = await server.answer(DECISIONS, body(choice("a", "b"), score("x", "y")))
    assert prompts(server) == [
        "<|im_start|>user\nThe fern is brown.\n\nWhat next?\n\nA: a\nB: b\n\n"
        "Which option fits best? Reply with its label only." + END,
        "<|im_start|>user\nThe fern is brown.\n\nHow bad?\n\n0: x\n1: y\n\n"
        "Which level fits best? Reply with its label only." + END,
    ]
    num_tokens = sum(len(request.prompt.token_ids) for request in server.engine.requests)
    assert answer["usage"] == {
        "input_tokens": num_tokens,
        "input_tokens_details": {"cached_tokens": 6, "cache_write_tokens": 0},
        "output_tokens": 0,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": num_tokens,
    }


async def test_nothing_but_the_first_token_of_a_reply_is_computed() -> None:
    server = api()
    await server.answer(DECISIONS, body(choice("a", "b")))
    request = server.engine.request
    assert request.stopping.max_tokens == 1
    assert request.sampling.is_greedy


async def test_an_input_of_items_is_a_conversation_that_the_question_ends() -> None:
    server = api()
    items = [
        {"role": "system", "content": [{"type": "input_text", "text": "Office."}]},
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Leaves:", "prompt_cache_breakpoint": {"mode": "explicit"}},
                {"type": "input_json", "data": [{"brown": True, "n": None}, {}]},
            ],
        },
        {"role": "user", "content": "Please look."},
        {"type": "function_call", "call_id": "c", "name": "soil", "arguments": "{}", "status": "completed"},
        {"type": "function_call_output", "call_id": "c", "output": "dry"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "I see."}], "phase": "commentary"},
    ]
    await server.answer(DECISIONS, body(choice("a", "b"), input=items))
    assert prompts(server) == [
        "<|im_start|>system\nOffice.<|im_end|>\n"
        '<|im_start|>user\nLeaves:\n[{"brown":true,"n":null},{}]\n\nPlease look.<|im_end|>\n'
        '<|im_start|>assistant\n<tool_call>\n{"name": "soil", "arguments": {}}\n</tool_call><|im_end|>\n'
        "<|im_start|>tool\ndry<|im_end|>\n"
        "<|im_start|>assistant\nI see.<|im_end|>\n"
        "<|im_start|>user\nWhat next?\n\nA: a\nB: b\n\n"
        "Which option fits best? Reply with its label only." + END
    ]


async def test_texts_are_quoted_only_where_a_choice_is_a_boolean() -> None:
    server = api()
    await server.answer(DECISIONS, body(choice("true", True), choice("true", "x"), choice(True, False)))
    first, *others = prompts(server)
    assert '\nA: "true"\nB: true\n' in first
    assert sorted(text[text.index("\nA:") : text.index("\n\nWhich")] for text in others) == [
        "\nA: true\nB: false",
        "\nA: true\nB: x",
    ]


async def test_instructions_may_be_parts() -> None:
    server = api()
    parts = [{"type": "input_text", "text": "Compare:"}, {"type": "input_json", "data": {"a": 1}}]
    await server.answer(DECISIONS, body(predicate(parts)))
    assert 'Compare:\n{"a":1}\n\nDoes this hold?' in prompts(server)[0]


async def test_fields_of_caches_and_users_change_nothing() -> None:
    fields = {
        "safety_identifier": "u",
        "prompt_cache_key": "k",
        "prompt_cache_options": {"mode": "explicit", "ttl": "30m"},
    }
    plain, marked = api(weigh), api(weigh)
    assert await plain.answer(DECISIONS, body(predicate())) == await marked.answer(
        DECISIONS, body(predicate(), **fields)
    )
    assert prompts(plain) == prompts(marked)


async def test_more_values_than_letters_have_labels_of_two_tokens() -> None:
    (answer,) = await answers(choice(*(f"v{number}" for number in range(255))))
    assert len(answer["probabilities"]) == 255
    assert sum(each["probability"] for each in answer["probabilities"]) == pytest.approx(1)
    assert answer["choice"] == "v81"  # of the label DD, the first whose letters are both certain


async def test_permutations_put_each_choice_in_each_place() -> None:
    server = api(weigh, decisions_permutations=3)
    answer = await server.answer(DECISIONS, body(choice("x", "y", "z"), predicate()))
    assert [text[text.index("A:") : text.index("\n\nWhich")] for text in prompts(server)[:3]] == [
        "A: x\nB: y\nC: z",
        "A: y\nB: z\nC: x",
        "A: z\nB: x\nC: y",
    ]
    found = [each["probability"] for each in answer["answers"][0]["probabilities"]]
    assert found == pytest.approx([1 / 3] * 3), "only the place decides in this script"
    assert answer["answers"][1]["probability"] == pytest.approx(2 / 3)


async def test_fewer_permutations_than_choices_are_evenly_spaced() -> None:
    server = api(decisions_permutations=2)
    await server.answer(DECISIONS, body(choice("w", "x", "y", "z")))
    assert [text[text.index("A:") : text.index("A:") + 4] for text in prompts(server)] == ["A: w", "A: y"]
