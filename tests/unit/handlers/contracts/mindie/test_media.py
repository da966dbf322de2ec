"""Images, sounds and videos in MindIE's contract, in all its forms."""

from base64 import b64encode
from typing import Any, Final

import pytest

from tests.support.scripted.media_processor import MP4, WAV, png, seeing_engine
from tests.unit.handlers.contracts.mindie.api import Api, conversation

IMAGE: Final = b64encode(png()).decode()
SOUND: Final = b64encode(WAV).decode()
VIDEO: Final = b64encode(MP4).decode()
WORDS: Final = {"type": "text", "text": "See "}


def user(*parts: object) -> dict[str, Any]:
    return conversation({"role": "user", "content": list(parts)})


@pytest.mark.parametrize(
    ("part", "data"),
    [
        ({"type": "image_url", "image_url": f"data:image/png;base64,{IMAGE}"}, png()),
        ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE}"}}, png()),
        ({"type": "image_url", "image_url": IMAGE}, png()),
        ({"image_url": IMAGE}, png()),
        ({"type": "audio_url", "audio_url": f"data:audio/wav;base64,{SOUND}"}, WAV),
        ({"type": "video_url", "video_url": {"url": f"data:video/mp4;base64,{VIDEO}"}}, MP4),
        ({"type": "input_audio", "input_audio": {"data": SOUND, "format": "wav"}}, WAV),
        ({"input_audio": {"data": SOUND, "format": "flac"}}, WAV),
    ],
)
async def test_media_come_in_every_form(part: dict[str, Any], data: bytes) -> None:
    engine, media = seeing_engine()
    api = Api(engine)
    for parts in ([WORDS, part], [part]):
        media.items.clear()
        engine.requests.clear()
        answer = await api.answer({**user(*parts), "max_tokens": 5000})
        assert [item.data for item in media.items] == [data]
        assert answer["usage"]["prompt_tokens"] == len(engine.request.prompt.token_ids)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            user(WORDS, {"image_url": "https://example.com/a.png"}),
            "messages[0].content[1]: this server fetches no URLs",
        ),
        (user({"image_url": "file:///etc/passwd"}), "messages[0].content[0]: this server reads no files"),
        (user({"image_url": "/etc/passwd"}), "messages[0].content[0]: the data URL's content is no base64"),
        (user({"image_url": "http://a/" + "b" * 4096}), "`messages[0].content[0]` must have at most 4096"),
        (user(*[{"image_url": IMAGE}] * 21), "`messages` must have at most 20 media"),
        (user({"audio_url": f"data:;base64,{IMAGE}"}), "messages[0].content[0]: the content is not sound"),
        (user({"type": "input_audio"}), "`messages[0].content[0]` has no `input_audio`"),
    ],
)
async def test_what_cannot_be_read_is_refused_by_its_part(body: dict[str, Any], message: str) -> None:
    api = Api(seeing_engine()[0], max_media_items=50)
    assert (await api.refusal(body)).startswith(message)
