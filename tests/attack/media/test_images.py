"""Images that are made to take long, over the socket of a server that reads images."""

import re
from base64 import b64encode
from collections.abc import Iterator
from typing import Any, Final

import httpx
import pytest

from engine.config import IMAGE_PIXELS
from engine.media.files.image_file import MAX_SCANS
from tests.attack.clients.pulse import pulse
from tests.attack.clients.wire import connect, request_bytes
from tests.attack.media.test_media_processes import decoding, programs
from tests.attack.test_grammars import MAX_BEAT_S, memory
from tests.conftest import Server, running_server
from tests.support.clocks.until import wait_until
from tests.support.samples import images
from tests.support.tiny_models.media import image_bytes
from tests.unit.engine.media.files.test_image_file import png_of

CHAT: Final = "/openai/v1/chat/completions"
MAX_GROWTH: Final = 2**28  # of the server's memory, in bytes
SIDE: Final = int(IMAGE_PIXELS**0.5)
# Decoding it takes all the time that there is, and sending it little.
SLOW: Final = images.jpeg_of_scans(MAX_SCANS, SIDE)


@pytest.fixture(scope="module")
def seeing() -> Iterator[Server]:
    with running_server("verbatim-demo-vision") as server:
        yield server


def asked(image: bytes) -> dict[str, Any]:
    url = "data:image/png;base64," + b64encode(image).decode()
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "What?"}]
    messages = [{"role": "user", "content": parts}]
    return {"model": "verbatim-demo-vision", "max_tokens": 2, "messages": messages}


def post(server: Server, image: bytes) -> httpx.Response:
    return httpx.post(server.url + CHAT, json=asked(image), timeout=120.0)


def num_decoded(server: Server) -> int:
    metrics = httpx.get(server.url + "/metrics").text
    return int(re.findall(r'verbatim_bounded_process_ends{end="done",input="media"} (\d+)', metrics)[0])


HOSTILE: Final = {
    "scans": images.jpeg_of_scans(6_000, 1_000),
    "few scans of many pixels": SLOW,
    "segments": images.jpeg_with_segments(600_000),
    "chunks": images.png_with_chunks(200_000),
    "texts": images.png_with_texts(5_000, 10**6),
    "comments": images.gif_with_comments(10**6),
    "values": images.png_with_exif(400_000),
    "profile": images.png_with_profile(10**8),
    "pixels": png_of(SIDE, SIDE),
    "more pixels": png_of(65_535, 65_535),
    "canvas": images.webp_of_canvas(16_383),
    **{f"frames of {format}": images.moving(format, 3_000) for format in ("GIF", "PNG", "WEBP")},
}


@pytest.mark.parametrize("image", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_image_costs_the_server_neither_time_nor_memory(seeing: Server, image: bytes) -> None:
    assert post(seeing, image_bytes(64, 64)).status_code == 200
    before = memory(seeing.process.pid)
    with pulse(seeing.url) as taken:
        answer = post(seeing, image)
    assert answer.status_code in (200, 400)
    if answer.status_code == 400:
        assert answer.json()["error"]["param"] == "messages[0].content[0]"
    assert taken.slowest_s < MAX_BEAT_S
    assert memory(seeing.process.pid) - before < MAX_GROWTH
    wait_until(lambda: not decoding(seeing))


def test_clients_that_leave_take_no_place_of_others(seeing: Server) -> None:
    before, num_before = programs(seeing), num_decoded(seeing)
    images_of_their_own = [SLOW + bytes([number]) for number in range(12)]
    connections = [connect(seeing.url) for _ in images_of_their_own]
    for connection, image in zip(connections, images_of_their_own, strict=True):
        connection.sendall(request_bytes(CHAT, asked(image)))
    wait_until(lambda: decoding(seeing))
    for connection in connections:
        connection.close()
    assert post(seeing, image_bytes(64, 64, seed=1)).status_code == 200
    wait_until(lambda: not decoding(seeing))
    assert programs(seeing) == before
    assert num_decoded(seeing) < num_before + len(connections) / 2
