"""Images of a System One request stand where their names do."""

from base64 import b64encode
from typing import Any

import pytest

from engine.port.request import MediaKind
from tests.support.scripted.media_processor import PLACEHOLDERS, png, seeing_engine
from tests.unit.handlers.contracts.openai.api import Api
from tests.unit.handlers.contracts.openai.decisions.scripted import api, weighs
from tests.unit.handlers.contracts.systemone.test_system_one import SYSTEM_ONE, asked

IMAGE = PLACEHOLDERS[MediaKind.IMAGE]
NOUL = {"type": "noul", "instructions": "A cat?"}


def asset(colour: str = "red", **fields: object) -> dict[str, Any]:
    return {"type": "image", "data_base64": b64encode(png(colour=colour)).decode(), "format": "png", **fields}


async def seen(request: dict[str, Any]) -> list[str]:
    """Return the prompts of a request, with one placeholder for each image, and how many images it had."""
    engine, _ = seeing_engine(script=weighs(lambda prompt, text: 0.5))
    await Api(engine).answer(SYSTEM_ONE, request)
    return [
        engine.tokenizer.decode(prompt.prompt.token_ids, skip_special_tokens=False).replace(IMAGE * 3, IMAGE)
        for prompt in engine.requests
    ]


async def test_images_stand_in_states_instructions_and_criteria() -> None:
    request = {
        **asked(
            {"shown": ["<1>", 'a "b"']},
            a={"type": "noul", "instructions": "Is it <10>?", "criteria": {"true": "like <1>"}},
            b={"type": "choice", "criteria": {"<1>": None, "other": "see <10>"}},
            c={"type": "score", "criteria": ["no <1>", {"like": "<10>"}]},
        ),
        "assets": {"<1>": asset(), "<10>": asset("blue"), 'a "b"': asset("green")},
    }
    prompts = await seen(request)
    state = f'{{"shown":["{IMAGE}","{IMAGE}"]}}'
    for question in (
        f"Is it {IMAGE}?\n\nYes: like {IMAGE}\nNo",
        f"A: {IMAGE}\nB: other - see {IMAGE}",
        f'0: no {IMAGE}\n1: {{"like":"{IMAGE}"}}',
    ):
        assert any(f"user\n{state}\n\n{question}\n\n" in prompt for prompt in prompts), question


async def test_a_state_may_be_nothing_but_an_image() -> None:
    prompts = await seen({**asked("<1>", a=NOUL), "assets": {"<1>": asset(format=None)}})
    assert all(f"user\n{IMAGE}\n\nA cat?" in prompt for prompt in prompts)


@pytest.mark.parametrize(
    ("assets", "loc"),
    [
        ({}, ["assets"]),
        ({"": asset()}, ["assets"]),
        ({"<2>": asset()}, ["assets", "<2>"]),
        ({"<1>": asset(type="sound")}, ["assets", "<1>", "type"]),
        ({"<1>": asset(format="gif")}, ["assets", "<1>", "format"]),
        ({"<1>": {"type": "image", "part": "a"}}, ["assets", "<1>", "data_base64"]),
        ({"<1>": asset(part="a")}, ["assets", "<1>", "part"]),
        ({"<1>": asset(data_base64="#")}, ["assets", "<1>", "data_base64"]),
        ({"<1>": asset(data_base64="AAAA")}, ["assets", "<1>", "data_base64"]),
    ],
)
async def test_what_is_no_image_is_refused_by_its_place(assets: dict[str, Any], loc: list[str]) -> None:
    engine, _ = seeing_engine(script=weighs(lambda prompt, text: 0.5))
    answer = await Api(engine).post(SYSTEM_ONE, {**asked("<1>", a=NOUL), "assets": assets})
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["body", *loc], answer.text


async def test_a_model_of_texts_refuses_images_by_their_place() -> None:
    answer = await api().post(SYSTEM_ONE, {**asked("<1>", a=NOUL), "assets": {"<1>": asset()}})
    assert answer.status_code == 422
    (detail,) = answer.json()["detail"]
    assert detail["loc"] == ["body", "assets", "<1>", "data_base64"]
    assert "reads only text" in detail["msg"]


async def test_questions_of_places_in_an_image_are_refused() -> None:
    request = {**asked("<1>", a={"type": "box", "instructions": "The cat"}), "assets": {"<1>": asset()}}
    answer = await api().post(SYSTEM_ONE, request)
    assert (answer.status_code, answer.json()["detail"][0]["loc"][:3]) == (422, ["body", "questions", "a"])
