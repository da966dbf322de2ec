"""A model with vision decides on images, under either contract and with the same numbers."""

from base64 import b64encode
from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any

import pytest
import pytest_asyncio
from PIL import Image
from starlette.types import ASGIApp

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.demo_vision import DEMO_VISION
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.unit.verbatim_kit.runtime.client import send

TOLERANCE = 1e-5
MODEL = "verbatim-demo-vision"
COLOURS = ("red", "blue", "green")


@pytest_asyncio.fixture(scope="module")
async def app() -> AsyncIterator[ASGIApp]:
    engine = await AsyncEngine.start(EngineConfig(model=str(DEMO_VISION), device="cpu", dtype="float32"))
    yield build_app(Settings(served_model_name=MODEL), engine)
    await engine.stop()


def picture(colour: str) -> str:
    """Return a drawing in base64."""
    file = BytesIO()
    Image.new("RGB", (64, 64), colour).save(file, "PNG")
    return b64encode(file.getvalue()).decode()


async def ask(app: ASGIApp, path: str, body: dict[str, Any]) -> Any:
    answer = await send(app, "POST", path, json={"model": MODEL, **body})
    assert answer.status_code == 200, answer.text
    return answer.json()["answers"]


async def decide(app: ASGIApp, *colours: str) -> list[float]:
    """Return the probabilities of the colours of images, which are the input."""
    parts = [
        {"type": "input_image", "image_url": f"data:image/png;base64,{picture(colour)}"} for colour in colours
    ]
    question = {
        "type": "choice",
        "instructions": "Which colour is the square?",
        "choices": [{"value": colour} for colour in COLOURS],
    }
    body = {"input": [{"role": "user", "content": parts}], "questions": [question]}
    (answer,) = await ask(app, "/openai/v1/decisions", body)
    return [each["probability"] for each in answer["probabilities"]]


async def system_one(app: ASGIApp, colour: str, state: str, instructions: str) -> list[float]:
    """Return the probabilities of the colours. state, instructions: `<image>` stands for the image."""
    question = {
        "type": "choice",
        "instructions": instructions,
        "criteria": dict.fromkeys(COLOURS),
    }
    assets = {"<image>": {"type": "image", "data_base64": picture(colour), "format": "png"}}
    body = {"state": state, "assets": assets, "questions": {"colour": question}}
    answers = await ask(app, "/v1/systemone", body)
    return [answers["colour"]["probabilities"][each] for each in COLOURS]


async def test_both_contracts_have_the_same_numbers(app: ASGIApp) -> None:
    for colour in COLOURS:
        decided = await decide(app, colour)
        found = await system_one(app, colour, "<image>", "Which colour is the square?")
        assert found == pytest.approx(decided, abs=TOLERANCE)


async def test_the_image_decides(app: ASGIApp) -> None:
    red, blue = await decide(app, "red"), await decide(app, "blue")
    assert max(abs(one - other) for one, other in zip(red, blue, strict=True)) > 100 * TOLERANCE
    asked = [await system_one(app, colour, "Look.", "<image> Which colour?") for colour in ("red", "blue")]
    assert asked[0] != pytest.approx(asked[1], abs=100 * TOLERANCE)
