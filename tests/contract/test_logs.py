"""The log of a server in processes of its own: lines of one shape, one for each request."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import LIMITS, running_server

CHAT: Any = {
    "model": "verbatim-demo",
    "messages": [{"role": "user", "content": "an unspeakable word"}],
    "max_tokens": 4,
    "stream": True,
}


@pytest.mark.long
def test_all_lines_are_json_of_one_shape_and_each_request_is_one_of_them(tmp_path: Path) -> None:
    """The worker logs the request of the client; that of the worker to the engine's process is no line."""
    path = tmp_path / "log"
    options = ("--log-format", "json", "--api-workers", "1", *LIMITS)
    with path.open("w") as log, running_server(*options, log=log) as server:
        said = [json.loads(line) for line in server.said]
        with httpx.Client(base_url=server.url, timeout=60) as client:
            answer = client.post("/v1/chat/completions", json=CHAT, headers={"x-request-id": "mine"})
            assert answer.status_code == 200
            assert client.get("/health").status_code == 200
    written = [json.loads(line) for line in path.read_text().splitlines()]
    for line in (*said, *written):
        assert line.keys() == {"timestamp", "level", "fields", "target"}
        assert isinstance(line["fields"]["message"], str)
    (request,) = (line["fields"] for line in written if line["target"] == "verbatim.requests")
    assert (request["request_id"], request["status"], request["end"]) == ("mine", 200, "complete")
    assert request["generated_tokens"] > 0
    assert "unspeakable" not in path.read_text()
