"""A server is checked against a document that has no examples, and no model is asked for."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from verbatim_kit.cli import main
from verbatim_kit.openapi.version_3_2 import as_3_2

PET: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string", "minLength": 1}, "age": {"type": "integer", "minimum": 0}},
    "additionalProperties": False,
}
ERROR = {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}
EVENT = {"type": "object", "required": ["seen"], "properties": {"seen": {"type": "boolean"}}}


def answer(schema: Any, media_type: str = "application/json") -> dict[str, Any]:
    return {"description": "An answer", "content": {media_type: {"schema": schema}}}


LINES = "application/x-ndjson"


def document() -> dict[str, Any]:
    """Return a document by which a pet is kept, and several are watched by events or by lines."""
    refused = answer(ERROR)
    pets = {"type": "array", "minItems": 1, "items": PET}
    return {
        "openapi": "3.1.1",
        "info": {"title": "Pets", "version": "1"},
        "paths": {
            "/pets": {
                "post": {
                    "operationId": "keep",
                    "requestBody": {"required": True, "content": {"application/json": {"schema": PET}}},
                    "responses": {"200": answer(PET), "400": refused},
                }
            },
            "/watch": {
                "post": {
                    "operationId": "watch",
                    "requestBody": {"required": True, "content": {"application/json": {"schema": pets}}},
                    "responses": {"200": answer(EVENT, "text/event-stream"), "400": refused},
                }
            },
            "/follow": {
                "post": {
                    "operationId": "follow",
                    "requestBody": {"required": True, "content": {"application/json": {"schema": pets}}},
                    "responses": {"200": answer(EVENT, LINES), "400": refused},
                }
            },
        },
    }


def fault_of(pet: Any) -> str | None:
    """Return the name of a wrong member; None if there is none."""
    if not isinstance(pet, dict) or not isinstance(pet.get("name"), str) or not pet["name"]:
        return "name"
    age = pet.get("age", 0)  # 1.0 is an integer in JSON Schema
    if type(age) not in (int, float) or age < 0 or age != int(age):
        return "age"
    return next((name for name in pet if name not in PET["properties"]), None)


class Pets(BaseHTTPRequestHandler):
    """A server that keeps the document, except for the members that a test changes.

    forgets: answers without the name. form: the media type of what `/follow` answers with.
    """

    forgets = False
    form = LINES

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or "null")
        streams = self.path in ("/watch", "/follow")
        pets = body if streams and isinstance(body, list) and body else [body]
        fault = next((fault for fault in map(fault_of, pets) if fault is not None), None)
        if self.path not in ("/pets", "/watch", "/follow"):
            self._send(404, "application/json", {"error": "no such path"})
        elif fault is not None or streams != isinstance(body, list):
            self._send(400, "application/json", {"error": f"{fault} is wrong, as are [0].{fault} and [0]"})
        elif self.path == "/watch":
            self._send(200, "text/event-stream", {"seen": True})
        elif self.path == "/follow":
            self._send(200, self.form, {"seen": True})
        else:
            self._send(200, "application/json", {} if self.forgets else body)

    def do_GET(self) -> None:
        self._send(404, "application/json", {"error": "no such path"})

    def _send(self, status: int, media_type: str, value: Any) -> None:
        text = json.dumps(value)
        data = {"text/event-stream": f"data: {text}\n\n", LINES: f"{text}\n"}.get(media_type, text).encode()
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    @override
    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Pets) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def conform(tmp_path: Path, url: str, *options: str, source: dict[str, Any] | None = None) -> int:
    path = tmp_path / "pets.json"
    path.write_text(json.dumps(source or document()))
    checks = ["--check", "examples", "--check", "streams", "--check", "bounds"]
    return main(["conform", "--document", str(path), "--base-url", url, *checks, *options])


def test_a_server_that_keeps_the_document_has_no_fault(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert conform(tmp_path, url) == 0, capsys.readouterr().out


def test_a_document_in_3_2_is_checked_as_one_in_3_1_is(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newer = as_3_2(document())
    assert conform(tmp_path, url, source=newer) == 0, capsys.readouterr().out
    newer["paths"]["/follow"]["post"]["responses"]["200"]["content"][LINES]["itemSchema"] = PET
    assert conform(tmp_path, url, source=newer) == 1
    assert "line *" in capsys.readouterr().out
    del newer["paths"]["/follow"]["post"]["responses"]["200"]["content"][LINES]["itemSchema"]
    assert conform(tmp_path, url, source=newer) == 2
    assert "needs itemSchema" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["application/json", "text/event-stream"])
def test_a_stream_has_the_form_that_is_declared(
    form: str, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pets, "form", form)
    assert conform(tmp_path, url, "--only", "follow") == 1
    assert "The answer is not the requested stream" in capsys.readouterr().out


def test_a_fault_is_found_in_the_answer_to_a_made_body(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pets, "forgets", True)
    assert conform(tmp_path, url) == 1
    assert '"name" is a required property' in capsys.readouterr().out


def test_a_rule_says_what_the_document_cannot(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rules_of_pets.py").write_text(
        "from verbatim_kit.conform.rules import Ban, Rules\n"
        "RULES = Rules(bans=(Ban('*', 'age', 'no pet has an age', is_up_to_the_server=False),))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert conform(tmp_path, url, "--rules", "rules_of_pets") == 1
    assert "age" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rules", "no_such_module"], "No module named 'no_such_module'"),
        (["--parameter", "model"], "--parameter must have the form NAME=VALUE"),
        (["--base-url", "http://127.0.0.1:9"], "does not answer"),
    ],
)
def test_a_run_that_is_not_possible_says_why(
    options: list[str], message: str, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pets.json"
    path.write_text(json.dumps(document()))
    assert main(["conform", "--document", str(path), "--base-url", url, *options]) == 2
    assert message in capsys.readouterr().err
