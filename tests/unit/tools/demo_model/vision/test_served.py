"""The vision model in our engine, behind OpenAI's chat: held-out drawings as data URLs, asked about."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any, Final

import pytest
from PIL import Image
from starlette.types import ASGIApp

from engine.async_engine import AsyncEngine
from handlers.composition import build_app
from handlers.engine_starter import engine_config
from handlers.settings.settings import Settings
from handlers.shared_settings.shared_settings import EMBEDDED_VISION_MODEL
from tests.unit.handlers.contracts.openai.api import CHAT
from tests.unit.tools.demo_model.vision.test_scene import figure, scene
from tests.unit.verbatim_kit.runtime.client import send
from tools.demo_model.evaluation import Trial
from tools.demo_model.vision.model import NUM_PATCHES
from tools.demo_model.vision.questions import (
    QUESTIONS,
    encoded,
    later_trials,
    picture_trials,
    trials_without_picture,
)
from tools.demo_model.vision.scene import Scene

NUM_TRIALS: Final = 3
MOST_MISSED: Final = 0.15  # as in test_answers.py
SETTINGS: Final = Settings(model=EMBEDDED_VISION_MODEL, max_total_tokens=512, max_batch_total_tokens=8192)


@pytest.fixture(scope="module")
async def app() -> AsyncIterator[ASGIApp]:
    """The server that `verbatim serve verbatim-demo-vision` starts, without its socket."""
    engine = await AsyncEngine.start(engine_config(SETTINGS))
    yield build_app(SETTINGS, engine)
    await engine.stop()


def servable(picture: bytes) -> bytes:
    """Return the file, or a PNG of the same pixels where it is a BMP, which the contracts do not take."""
    read = Image.open(BytesIO(picture))
    if read.format != "BMP":
        return picture
    file = BytesIO()
    read.save(file, "PNG")
    return file.getvalue()


def data_url(picture: bytes) -> str:
    return f"data:image/png;base64,{b64encode(picture).decode()}"


def messages_of(trial: Trial) -> list[dict[str, Any]]:
    """The trial's messages with its pictures in OpenAI's parts."""
    pictures = iter(trial.pictures)

    def part(given: Any) -> Any:
        is_image = given["type"] == "image"
        return (
            {"type": "image_url", "image_url": {"url": data_url(servable(next(pictures)))}}
            if is_image
            else given
        )

    return [
        {**message, "content": [part(each) for each in content]}
        if isinstance(content := message["content"], list)
        else dict(message)
        for message in trial.messages
    ]


async def answer(app: ASGIApp, messages: list[dict[str, Any]]) -> Any:
    body = {
        "model": EMBEDDED_VISION_MODEL,
        "messages": messages,
        "temperature": 0,
        "max_completion_tokens": 80,
    }
    response = await send(app, "POST", CHAT, json=body)
    assert response.status_code == 200, response.text
    return response.json()


async def test_held_out_drawings_are_answered_right_by_our_engine(app: ASGIApp) -> None:
    trials = [trial for kind in QUESTIONS for trial in picture_trials(kind, NUM_TRIALS, thinking=False)]
    trials += later_trials(NUM_TRIALS) + trials_without_picture(NUM_TRIALS)
    answers = await asyncio.gather(*(answer(app, messages_of(trial)) for trial in trials))
    missed = [
        (trial.expected.user, trial.expected.answer, choice["message"]["content"])
        for trial, told in zip(trials, answers, strict=True)
        for choice in told["choices"]
        if choice["finish_reason"] != "stop"
        or not any(word in choice["message"]["content"].lower() for word in trial.expected.accept)
    ]
    assert len(missed) <= MOST_MISSED * len(trials), missed


@pytest.mark.parametrize("file_format", ["PNG", "JPEG", "WEBP", "GIF"])
async def test_a_drawing_of_any_size_and_format_is_described(app: ASGIApp, file_format: str) -> None:
    stars = (figure("red star", 0, 0), figure("blue circle", 2, 2))
    for shown in (scene(*stars), Scene(300, 300, (240, 240, 240), stars)):
        image = {"type": "image_url", "image_url": {"url": data_url(encoded(shown, file_format))}}
        told = await answer(
            app, [{"role": "user", "content": [image, {"type": "text", "text": "What do you see?"}]}]
        )
        assert told["choices"][0]["message"]["content"] == "I see a red star and a blue circle."


async def test_a_picture_counts_as_its_tokens(app: ASGIApp) -> None:
    text = {"type": "text", "text": "What do you see?"}
    image = {"type": "image_url", "image_url": {"url": data_url(encoded(scene(figure("red star")), "PNG"))}}
    without, with_one = [
        await answer(app, [{"role": "user", "content": content}]) for content in ([text], [image, text])
    ]
    counts = [told["usage"]["prompt_tokens"] for told in (without, with_one)]
    assert counts[1] - counts[0] == NUM_PATCHES
    assert without["choices"][0]["message"]["content"] == "I see no picture."


async def test_a_picture_behind_its_question_is_read_as_one_before_it(app: ASGIApp) -> None:
    text = {"type": "text", "text": "What do you see?"}
    image = {"type": "image_url", "image_url": {"url": data_url(encoded(scene(figure("red star")), "PNG"))}}
    first, last = [
        await answer(app, [{"role": "user", "content": content}])
        for content in ([image, text], [text, image])
    ]
    assert first["choices"][0]["message"]["content"] == "I see a red star."
    assert last["choices"] == first["choices"]
    assert last["usage"]["prompt_tokens"] == first["usage"]["prompt_tokens"]
