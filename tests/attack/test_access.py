"""Web pages that would use a server on their visitor's machine, and keys that would do what they may not."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.attack.clients.pulse import pulse
from tests.attack.clients.wire import Answer, exchange, request_bytes
from tests.conftest import LIMITS, Server, running_server
from tests.support.clocks.until import wait_until
from tests.unit.handlers.access.keys.key_files import table, write

TRITON = "/v2/models/verbatim-demo/generate"
PAGE = "https://evil.example"


class Keyed(NamedTuple):
    """A server, the file of its keys, and its audit log."""

    server: Server
    file: Path
    log: Path


def ask(url: str, path: str, *headers: str, host: str = "127.0.0.1", body: bytes | None = None) -> Answer:
    """Send a request with exactly these headers; one with a body is a POST of plain text."""
    lines = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1", f"Host: {host}", *headers]
    if body is not None:
        lines += ["Content-Type: text/plain", f"Content-Length: {len(body)}"]
    return exchange(url, "\r\n".join([*lines, "", ""]).encode() + (body or b""))


@pytest.fixture(autouse=True)
def stays_healthy(attacked: Server) -> None:
    with pulse(attacked.url):
        pass


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "0.0.0.0:8080"]
)
@pytest.mark.parametrize(
    "path", ["/health", "/info", "/docs", "/playground", "/openai/openapi.json", "/v1/models"]
)
def test_a_rebound_name_reads_nothing(attacked: Server, host: str, path: str) -> None:
    refused = ask(attacked.url, path, host=host)
    assert refused.status == 403
    assert b"allowed-hosts" in refused.body


def test_a_rebound_name_generates_nothing(attacked: Server) -> None:
    body = b'{"text_input": "Hello", "parameters": {"max_tokens": 4}}'
    plain = ask(attacked.url, TRITON, host="evil.example", body=body)
    # A page at a rebound name is of the same origin as the server, as far as its browser can see.
    own = ask(attacked.url, TRITON, "Origin: http://evil.example", host="evil.example", body=body)
    for refused in (plain, own):
        assert refused.status == 403
        assert "--allowed-hosts" in refused.json()["error"]


@pytest.mark.parametrize("origin", [PAGE, "null", "http://127.0.0.1.evil.example", "http://localhost:1"])
def test_a_page_cannot_send_text_that_needs_no_preflight(attacked: Server, origin: str) -> None:
    body = b'{"text_input": "Hello", "parameters": {"max_tokens": 4}}'
    refused = ask(attacked.url, TRITON, f"Origin: {origin}", body=body)
    assert refused.status == 403
    assert "error" in refused.json()
    assert ask(attacked.url, TRITON, body=body).status == 200, "what no page sends is answered"


@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", "/generate", TRITON, "/anthropic/v1/messages", "/none"]
)
def test_a_preflight_is_refused_and_lets_nothing_follow(attacked: Server, path: str) -> None:
    asked = ("Method: POST", "Headers: content-type", "Private-Network: true")
    headers = (f"Origin: {PAGE}", *(f"Access-Control-Request-{line}" for line in asked))
    answer = exchange(attacked.url, request_bytes(path, method="OPTIONS", headers=headers))
    assert answer.status == 403
    assert not [name for name in answer.headers if name.startswith("access-control-")]


def test_the_servers_own_pages_and_plain_clients_are_answered(attacked: Server) -> None:
    authority = attacked.url.removeprefix("http://")
    for path in ("/docs", "/openai/docs", "/playground", "/playground/about"):
        page = ask(attacked.url, path, host=authority)
        assert (page.status, b"error" in page.body[:20]) == (200, False), path
    body = b'{"text_input": "Hello", "parameters": {"max_tokens": 4}}'
    for host in (authority, authority.replace("127.0.0.1", "localhost")):
        answer = ask(attacked.url, TRITON, f"Origin: http://{host}", host=host, body=body)
        assert answer.status == 200 and "text_output" in answer.json()


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyed]:
    """A server with keys of a file, and its audit log."""
    directory = tmp_path_factory.mktemp("keys")
    file, log = directory / "keys.toml", directory / "audit.log"
    write(
        file,
        table("a", "key-a"),
        table("b", "key-b"),
        table("revoked", "key-revoked"),
        table("tgi-only", "key-tgi", contracts='["tgi"]'),
        table("slow", "key-slow", requests_per_minute=5),
        table("frugal", "key-frugal", tokens_per_minute=10),
        table("expired", "key-expired", expires="2020-01-01T00:00:00Z"),
    )
    options = ("--api-keys-file", str(file), "--audit-log", str(log), "--require-key", "all")
    with running_server(*LIMITS, *options) as server:
        yield Keyed(server, file, log)


def chat(url: str, key: str | None, content: str = "Hello", **fields: object) -> Answer:
    body = {"model": "verbatim-demo", "messages": [{"role": "user", "content": content}], "max_tokens": 2}
    headers = () if key is None else (f"Authorization: Bearer {key}",)
    return exchange(url, request_bytes("/v1/chat/completions", {**body, **fields}, headers=headers))


@pytest.mark.parametrize(
    "key",
    [None, "", " ", "key-c", "key-a ,key-b", "key", "key-a\x00", "key-expired", "key-tgi", "k" * 10_000],
)
def test_no_other_key_is_let_in(keyed: Keyed, key: str | None) -> None:
    refused = chat(keyed.server.url, key)
    if key == "key-a\x00":
        assert refused.status == 400, "no header may have such a byte"
    else:
        assert (refused.status, refused.json()["error"]["code"]) == (401, "invalid_api_key")
    assert chat(keyed.server.url, "key-a").status == 200


def test_what_the_file_holds_is_no_key(keyed: Keyed) -> None:
    for line in keyed.file.read_text().splitlines():
        refused = chat(keyed.server.url, line.partition('"')[2].rstrip('"'))
        assert (refused.status, refused.json()["error"]["code"]) == (401, "invalid_api_key")


def test_a_revoked_key_is_refused_while_the_server_runs(keyed: Keyed) -> None:
    assert chat(keyed.server.url, "key-revoked").status == 200
    tables = keyed.file.read_text().split("\n\n")
    write(keyed.file, "[[key]")  # while somebody edits it
    write(keyed.file, "\n\n".join(one for one in tables if '"revoked"' not in one))
    deadline_s = time.monotonic() + 30
    while chat(keyed.server.url, "key-revoked").status != 401:
        assert time.monotonic() < deadline_s, "a second is what it should take"
    assert chat(keyed.server.url, "key-a").status == 200


def test_a_key_cannot_ask_for_more_than_its_rate(keyed: Keyed) -> None:
    url = keyed.server.url
    started_s = time.monotonic()
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: chat(url, "key-slow"), range(24)))
    elapsed_s = time.monotonic() - started_s
    num_answered = sum(answer.status == 200 for answer in answers)
    assert 5 <= num_answered <= 5 + 5 * elapsed_s / 60 + 1
    refused = [answer for answer in answers if answer.status != 200]
    assert all(answer.status == 429 and 1 <= int(answer.headers["retry-after"]) <= 12 for answer in refused)
    assert chat(url, "key-a").status == 200


def test_a_key_cannot_read_and_write_more_tokens_than_its_rate(keyed: Keyed) -> None:
    first, second = (chat(keyed.server.url, "key-frugal", max_tokens=40) for _ in range(2))
    assert (first.status, second.status) == (200, 429)
    spent = first.json()["usage"]["total_tokens"]
    assert int(second.headers["retry-after"]) > (spent - 10) * 6 - 60


def test_no_key_learns_what_another_has_asked(keyed: Keyed) -> None:
    """A cached prompt is answered faster, so a shared cache would let others guess a prompt word by word."""
    secret = "The launch code is seven four one nine. " * 8

    def cached(key: str, **fields: object) -> int:
        usage = chat(keyed.server.url, key, secret, **fields).json()["usage"]
        found: int = usage["prompt_tokens_details"]["cached_tokens"]
        return found

    assert cached("key-a") == 0
    assert cached("key-b") == 0
    assert cached("key-a") > 0
    assert cached("key-b", cache_salt="same") == 0
    assert cached("key-a", cache_salt="same") == 0
    assert cached("key-a", cache_salt="same") > 0


def test_nothing_but_probes_is_open_where_all_is_closed(keyed: Keyed) -> None:
    url = keyed.server.url
    for path in ("/info", "/metrics", "/docs", "/playground", "/openai/openapi.json", "/v2", "/nothing"):
        refused = ask(url, path)
        assert refused.status == 401, path
        assert b"Missing or wrong API key" in refused.body, path
        assert ask(url, path, "Authorization: Bearer key-a").status in (200, 404), path
    for path in ("/health", "/v2/health/live", "/v2/health/ready"):
        assert ask(url, path).status == 200, path


def test_the_log_names_who_asked_and_never_what(keyed: Keyed) -> None:
    headers = ("Authorization: Bearer key-a", "X-Request-Id: audited-1")
    exchange(keyed.server.url, request_bytes("/generate", {"inputs": "unspeakable"}, headers=headers))
    exchange(
        keyed.server.url, request_bytes("/generate?q=unspeakable\u0022%0a", method="GET", headers=headers)
    )
    wait_until(lambda: keyed.log.read_text().count("audited-1") >= 2)
    text = keyed.log.read_text()
    entries = [json.loads(line)["fields"] for line in text.splitlines()]
    answered, wrong_method = (entry for entry in entries if entry["request_id"] == "audited-1")
    assert (answered["key"], answered["operation"], answered["status"]) == ("a", "generate", 200)
    assert answered["prompt_tokens"] > 0 and answered["generated_tokens"] > 0
    assert wrong_method["status"] == 405
    assert "unspeakable" not in text and "key-a" not in text
