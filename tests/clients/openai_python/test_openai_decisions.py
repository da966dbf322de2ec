"""openai-python's decisions against the embedded model, with its own strict validation of all answers."""

from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai import OpenAI
from openai.lib.decisions_tool_runner import DecisionsToolRunner
from openai.types.decision import (
    AnswerAnswerResourceChoice,
    AnswerAnswerResourcePredicate,
    AnswerAnswerResourceScore,
)

MODEL = "verbatim-demo"
QUESTIONS: list[Any] = [
    {"type": "predicate", "name": "late", "instructions": "The parcel was late."},
    {
        "type": "choice",
        "instructions": "Who?",
        "choices": [{"value": "shop"}, {"value": "post"}, {"value": True}],
    },
    {
        "type": "score",
        "name": "anger",
        "instructions": "How angry?",
        "levels": [{"label": "a"}, {"label": "b"}],
    },
]


@pytest.fixture
def client(server_url: str) -> Iterator[OpenAI]:
    with OpenAI(
        base_url=f"{server_url}/openai/v1", api_key="-", max_retries=0, _strict_response_validation=True
    ) as client:
        yield client


def test_each_question_has_its_answer(client: OpenAI) -> None:
    decision = client.decisions.create(
        model=MODEL, input="The parcel arrived after nine days.", questions=QUESTIONS
    )
    late, who, anger = decision.answers
    assert isinstance(late, AnswerAnswerResourcePredicate)
    assert (late.name, 0 <= late.probability <= 1) == ("late", True)
    assert isinstance(who, AnswerAnswerResourceChoice)
    assert who.name is None
    assert [each.value for each in who.probabilities] == ["shop", "post", True]
    assert sum(each.probability for each in who.probabilities) == pytest.approx(1)
    assert isinstance(anger, AnswerAnswerResourceScore)
    assert 0 <= anger.score <= 1
    assert decision.usage.total_tokens == decision.usage.input_tokens > 0
    assert decision.usage.input_tokens_details.cached_tokens > 0


def test_items_of_every_kind_are_read(client: OpenAI) -> None:
    items: list[Any] = [
        {"role": "developer", "content": "Be strict."},
        {"role": "user", "content": [{"type": "input_json", "data": {"days": 9}}]},
        {"type": "function_call", "call_id": "c", "name": "track", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "lost"},
        {"type": "custom_tool_call", "call_id": "d", "name": "ask", "input": "where?"},
        {
            "type": "custom_tool_call_output",
            "call_id": "d",
            "output": [{"type": "input_text", "text": "here"}],
        },
        {"role": "assistant", "content": "I see.", "phase": "final_answer"},
    ]
    decision = client.decisions.create(
        model=MODEL, input=items, questions=QUESTIONS, prompt_cache_key="k", safety_identifier="u"
    )
    assert [answer.name for answer in decision.answers] == ["late", None, "anger"]


def test_the_runner_of_tools_is_answered_until_it_is_done(client: OpenAI) -> None:
    """Each step takes away what was chosen, so that only the end is left."""
    left = ["shelf", "cellar"]

    def candidates(observation: object) -> list[Any]:
        actions: list[Any] = [
            {
                "id": place,
                "description": f"Look there: {place}",
                "execute": lambda place=place: left.remove(place),
            }
            for place in left
        ]
        return [*actions, {"id": "done", "description": "Finish", "done": True}]

    runner = DecisionsToolRunner(
        observe=lambda: f"Places to look at: {left}.", candidates=candidates, verify=lambda observation: True
    )
    result = runner.run(client, {"model": MODEL, "input": "Find the parcel."}, max_steps=5)
    assert result["status"] == "verified"
    assert result["decisions"]
    assert {*result["completed_candidate_ids"], *left} == {"shelf", "cellar"}


def test_a_wrong_question_is_refused_by_name(client: OpenAI) -> None:
    wrong: Any = {"type": "choice", "instructions": "Who?", "choices": []}
    with pytest.raises(openai.BadRequestError) as error:
        client.decisions.create(model=MODEL, input="x", questions=[wrong])
    assert error.value.param == "questions[0].choices"
