"""Images over a real vLLM, sent as `content_parts`: the tokens and answers of Verbatim's own engine."""

from base64 import b64encode
from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any, Final

import pytest
import pytest_asyncio
from PIL import Image

from engine.port.media_item import MediaItem
from engine.port.request import MediaKind
from tests.support.tiny_models.media import VLLM_FAMILIES, image_bytes
from tests.support.tiny_models.video import save_tiny_video_model
from tests.unit.engine.remote.test_media import media_of, prompt_of, tokens_of
from tests.vllm.media_engines import MediaEngines, chat_of, engines_of

pytestmark = [pytest.mark.timeout(900), pytest.mark.asyncio(loop_scope="module")]


def _transparent() -> bytes:
    picture = Image.open(BytesIO(image_bytes(24, 24, seed=3))).convert("RGBA")
    picture.putalpha(Image.linear_gradient("L").resize(picture.size))
    file = BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


# Of sizes that the model takes as they are: torchvision, which scales in vLLM, and Pillow round otherwise.
IMAGES: Final = [
    MediaItem(MediaKind.IMAGE, data)
    for data in (
        image_bytes(24, 24),
        image_bytes(32, 16, seed=1),
        image_bytes(16, 40, seed=2, format="JPEG"),
        _transparent(),
    )
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def seeing(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[MediaEngines]:
    directory = tmp_path_factory.mktemp("qwen2_5_vl")
    save_tiny_video_model(directory, "qwen2_5_vl", VLLM_FAMILIES["qwen2_5_vl"])
    async with engines_of(directory) as engines:
        yield engines


async def test_a_model_that_sees_is_read_over_vllm(seeing: MediaEngines) -> None:
    assert MediaKind.IMAGE in media_of(seeing.vllm).kinds, seeing.said


@pytest.mark.parametrize("places", [(), (0,), (1,), (2,), (3,), (0, 1), (2, 3, 0), (1, 1)])
async def test_images_give_the_tokens_of_the_own_engine(
    seeing: MediaEngines, places: tuple[int, ...]
) -> None:
    await seeing.assert_same_tokens([IMAGES[place] for place in places])


async def test_an_image_that_is_scaled_has_as_many_tokens_in_vllm(seeing: MediaEngines) -> None:
    """Its pixels may differ a little: vLLM scales by torchvision, and Verbatim by Pillow."""
    scaled = MediaItem(MediaKind.IMAGE, image_bytes(60, 30, seed=4))
    assert len(await tokens_of(seeing.vllm, prompt_of(seeing.vllm, scaled))) == 8


async def test_other_images_give_other_tokens(seeing: MediaEngines) -> None:
    """So that equal ones say something about what the model has seen."""
    answers = [await tokens_of(seeing.vllm, prompt_of(seeing.vllm, IMAGES[place])) for place in (0, 1, 3)]
    assert len({str(answer) for answer in answers}) == len(answers)


def chat(*images: bytes) -> dict[str, Any]:
    return chat_of(
        [
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{b64encode(data).decode()}"}}
            for data in images
        ]
    )


async def test_chats_with_images_are_answered_and_refused_alike(seeing: MediaEngines) -> None:
    bodies = (chat(IMAGES[0].data), chat(IMAGES[1].data, IMAGES[3].data), chat(b"hello"))
    answers = await seeing.same_chats(bodies)
    assert [bool(one["error"]) for one in answers] == [False, False, True]


async def test_a_rendered_chat_is_computed_by_vllm(seeing: MediaEngines) -> None:
    await seeing.assert_vllm_computes_what_is_rendered(chat(IMAGES[0].data))
