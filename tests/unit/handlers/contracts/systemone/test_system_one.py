"""Questions about a state."""

from typing import Any

import pytest

from tests.unit.handlers.contracts.openai.api import MODEL
from tests.unit.handlers.contracts.openai.decisions.scripted import DECISIONS, api, body, predicate, prompts

SYSTEM_ONE = "/systemone/v1/systemone"
WEIGHTS = {"Y": 0.2, "N": 0.1, "A": 0.3, "B": 0.1, "0": 0.05, "1": 0.25, "2": 0.6, "3": 0.1}


def weigh(prompt: str, text: str) -> float:
    """Return the probability of a token; all that have no weight are certain."""
    return WEIGHTS.get(text, 1.0)


def asked(state: object = "The gate is open.", **questions: object) -> dict[str, Any]:
    return {"model": MODEL, "state": state, "questions": questions}


async def answer(request: dict[str, Any], path: str = SYSTEM_ONE) -> Any:
    found = await api(weigh).answer(path, request)
    assert found.keys() == {"model", "answers", "usage"}
    return found["answers"]


async def test_each_question_has_its_answer_under_its_id() -> None:
    answers = await answer(
        asked(
            alarm={"type": "noul", "instructions": "Call someone?"},
            who={"type": "choice", "criteria": {"guard": None, "owner": "At night"}},
            risk={"type": "score", "criteria": ["none", {"some": 1}, ["high"], "fatal"]},
        )
    )
    assert list(answers) == ["alarm", "who", "risk"]
    assert answers["alarm"] == {"type": "noul", "noul": pytest.approx(2 / 3)}
    assert answers["who"] == {
        "type": "choice",
        "choice": "guard",
        "confidence": pytest.approx(0.5),
        "probabilities": {"guard": pytest.approx(0.75), "owner": pytest.approx(0.25)},
    }
    assert answers["risk"] == {
        "type": "score",
        "score": pytest.approx(1.75),
        "confidence": pytest.approx(0.55),
        "legend": {"0": "none", "1": {"some": 1}, "2": ["high"], "3": "fatal"},
        "probabilities": {str(n): pytest.approx(each) for n, each in enumerate((0.05, 0.25, 0.6, 0.1))},
    }


async def test_it_is_served_at_the_root_too() -> None:
    request = asked(a={"type": "noul", "instructions": "So?"})
    assert await answer(request, "/v1/systemone") == await answer(request)


async def test_the_same_words_are_the_same_prompt_as_a_decision() -> None:
    server = api()
    await server.answer(DECISIONS, body(predicate("It is thirsty."), input="The fern is brown."))
    decided = prompts(server)
    server.engine.requests.clear()
    await server.answer(
        SYSTEM_ONE, asked("The fern is brown.", name={"type": "noul", "instructions": "It is thirsty."})
    )
    assert prompts(server) == decided


async def test_json_is_compact_and_criteria_describe_the_options() -> None:
    server = api()
    question = {"type": "noul", "instructions": ["So", 1], "criteria": {"true": {"if": "é"}, "false": None}}
    await server.answer(SYSTEM_ONE, asked({"hour": 23, "open": True}, q=question))
    assert prompts(server)[0].startswith(
        '<|im_start|>user\n{"hour":23,"open":true}\n\n["So",1]\n\nYes: {"if":"é"}\nNo\n\nDoes this hold?'
    )


async def test_the_models_are_listed() -> None:
    found = (await api().get("/systemone/v1/models")).json()["models"]
    assert found == [{"name": MODEL, "description": "Scripted", "release_date": "1970-01-01"}]


CHOICE = {"type": "choice", "criteria": {"a": None, "b": None}}


@pytest.mark.parametrize(
    ("request_body", "loc", "kind"),
    [
        (asked(), ["body", "questions"], "too_short"),
        (asked(None, a=CHOICE), ["body", "state"], "type_error"),
        (asked(a={"type": "noul"}), ["body", "questions", "a", "instructions"], "missing"),
        (asked(a={"type": "choice", "criteria": {}}), ["body", "questions", "a", "criteria"], "too_short"),
        (asked(a={"type": "score", "criteria": []}), ["body", "questions", "a", "criteria"], "too_short"),
        (asked(a={"type": "choice"}), ["body", "questions", "a", "criteria"], "missing"),
        (asked(a={**CHOICE, "joint": True}), ["body", "questions", "a", "joint"], "extra_forbidden"),
        (asked(a={"type": "box"}), ["body", "questions", "a", "type"], "value_error"),
        ({**asked(a=CHOICE), "assets": {"x": {}}}, ["body", "assets", "x", "type"], "missing"),
        (
            asked(**{f"q{number}": CHOICE for number in range(401)}),
            ["body", "questions"],
            "too_long",
        ),
        (asked("x" * 500_000, a=CHOICE), ["body", "state"], "value_error"),
    ],
)
async def test_what_is_wrong_has_its_place(request_body: Any, loc: list[object], kind: str) -> None:
    response = await api().post(SYSTEM_ONE, request_body)
    assert response.status_code == 422, response.text
    (detail,) = response.json()["detail"]
    assert (detail["loc"], detail["type"]) == (loc, kind)
    assert detail["msg"]
    assert response.headers["x-typesafe-request-id"]


async def test_other_errors_have_a_kind_and_a_message() -> None:
    response = await api().post(SYSTEM_ONE, {**asked(a=CHOICE), "model": "other"})
    assert response.status_code == 404
    assert response.json()["detail"]["error_type"] == "not_found_error"
    assert response.json()["detail"].keys() == {"error_type", "message"}
