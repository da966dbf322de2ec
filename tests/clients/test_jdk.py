"""The HTTP client of Java's JDK, which asks for `Upgrade: h2c` unless it is told not to."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "jdk" / "Ask.java"

pytestmark = pytest.mark.skipif(
    shutil.which("javac") is None, reason="there is no JDK: no `javac` on the path"
)


def ask(url: str, body: object) -> list[tuple[int, str, str]]:
    """Status, HTTP version and body of two answers."""
    done = subprocess.run(
        ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", SOURCE, url, json.dumps(body)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=100,
    )
    # A stream's lines belong to the answer whose line they follow.
    answers = done.stdout.replace("\n\n", "\0").splitlines()
    return [(int(status), kind, text) for status, kind, text in (line.split(" ", 2) for line in answers)]


def test_a_body_arrives_whole(server_url: str) -> None:
    body = {"inputs": "Hello", "parameters": {"max_new_tokens": 4, "details": True}}
    answers = ask(f"{server_url}/generate", body)
    assert [(status, kind) for status, kind, _ in answers] == [(200, "HTTP_1_1")] * 2
    assert all(json.loads(text)["details"]["generated_tokens"] <= 4 for _, _, text in answers)


def test_a_stream_arrives_whole(server_url: str) -> None:
    body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 4, "stream": True, "model": "tgi"}
    answers = ask(f"{server_url}/v1/chat/completions", body)
    assert [status for status, _, _ in answers] == [200, 200]
    assert all(text.endswith("data: [DONE]") for _, _, text in answers)
