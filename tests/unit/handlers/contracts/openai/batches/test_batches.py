"""Batches: every line is answered once, as it would be over HTTP, and what ends them otherwise."""

import asyncio
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.support.scripted.engine import ScriptedEngine, fails_after, says
from tests.unit.handlers.contracts.openai.api import MODEL, chat, completion
from tests.unit.handlers.contracts.openai.batches.shop import (
    COMPLETIONS,
    ENDED,
    Shop,
    jsonl,
    request_line,
    shop,
)

QUESTION = {"type": "predicate", "instructions": "It rains."}
BODIES = {
    "/v1/chat/completions": chat(max_tokens=5),
    "/v1/completions": completion(max_tokens=5),
    "/v1/responses": {"model": MODEL, "input": "Hi"},
    "/v1/embeddings": {"model": MODEL, "input": "Hi"},
}


@pytest.mark.parametrize("url", BODIES)
async def test_a_batch_is_answered_line_by_line(url: str) -> None:
    async with shop(says("Hello")) as here:
        body = BODIES[url]
        batch = await here.begin(
            *(request_line(f"line {at}", body, url=url) for at in range(40)),
            endpoint=url,
            metadata={"night": "7"},
        )
        assert batch["status"] == "validating" and batch["metadata"] == {"night": "7"}
        assert batch["expires_at"] - batch["created_at"] == 24 * 3600
        ended = await here.found(batch, *ENDED)
        assert ended["status"] == "completed"
        assert ended["request_counts"] == {"total": 40, "completed": 40, "failed": 0}
        assert ended["error_file_id"] is None
        assert ended["in_progress_at"] <= ended["finalizing_at"] <= ended["completed_at"]
        lines = await here.lines(ended["output_file_id"])
        assert [line["custom_id"] for line in lines] == [f"line {at}" for at in range(40)]
        direct = await here.answer("POST", url.removeprefix("/v1"), json=body)
        for line in lines:
            assert line["error"] is None and line["id"].startswith("batch_req_")
            assert line["response"]["status_code"] == 200 and line["response"]["request_id"]
            assert line["response"]["body"].keys() == direct.keys()
        assert len({line["response"]["request_id"] for line in lines}) == 40
        file = await here.answer("GET", f"/files/{ended['output_file_id']}")
        assert file["purpose"] == "batch_output"
        assert file["filename"] == f"{batch['id']}_output.jsonl"


async def test_a_line_that_is_refused_is_in_the_error_file_as_over_http() -> None:
    async with shop(says("Hello")) as here:
        wrong = {**chat(), "temperature": 9}
        batch = await here.begin(
            request_line("a"), request_line("b", wrong), request_line("c", {"model": "?"})
        )
        ended = await here.found(batch, *ENDED)
        assert ended["request_counts"] == {"total": 3, "completed": 1, "failed": 2}
        (done,) = await here.lines(ended["output_file_id"])
        first, second = await here.lines(ended["error_file_id"])
        assert (done["custom_id"], first["custom_id"], second["custom_id"]) == ("a", "b", "c")
        direct = await here.ask("POST", "/chat/completions", json=wrong)
        assert first["response"]["status_code"] == direct.status_code == 400
        assert first["response"]["body"] == direct.json()
        assert second["response"]["body"]["error"]["param"] == "messages"
        assert first["error"] is None


FAULTS: dict[str, tuple[bytes, str, str | None]] = {
    "no JSON": (b"{", "invalid_json_line", None),
    "no object": (b"[]", "invalid_json_line", None),
    "no text": (b'{"custom_id": "\xff"}', "invalid_json_line", None),
    "no name": (b'{"method": "POST"}', "missing_required_parameter", "custom_id"),
    "a name that is none": (jsonl({**request_line(""), "custom_id": 1}), "invalid_value", "custom_id"),
    "an empty name": (jsonl(request_line("")), "invalid_value", "custom_id"),
    "a name twice": (jsonl(request_line("first")), "duplicate_custom_id", "custom_id"),
    "another method": (jsonl({**request_line("a"), "method": "GET"}), "invalid_method", "method"),
    "another operation": (jsonl(request_line("a", url="/v1/completions")), "invalid_url", "url"),
    "no body": (b'{"custom_id": "a", "method": "POST", "url": ""}', "missing_required_parameter", "body"),
    "a body that is none": (jsonl({**request_line("a"), "body": []}), "invalid_type", "body"),
    "a stream": (jsonl(request_line("a", chat(stream=True))), "unsupported_value", "body.stream"),
    "another field": (jsonl({**request_line("a"), "priority": 1}), "unknown_parameter", "priority"),
    "too long": (b'"' + b"x" * 2_000_001 + b'"', "line_too_long", None),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_line_that_is_no_request_fails_the_batch_by_its_number(fault: str) -> None:
    line, code, param = FAULTS[fault]
    async with shop(says("Hello")) as here:
        good = jsonl(request_line("first"))
        file = await here.upload(good + b"\n" + line.rstrip(b"\n") + b"\n" + b"{}")
        body = {"input_file_id": file["id"], "endpoint": COMPLETIONS, "completion_window": "24h"}
        ended = await here.found(await here.answer("POST", "/batches", json=body), *ENDED)
        assert ended["status"] == "failed" and ended["failed_at"]
        found, last = ended["errors"]["data"]
        assert (found["code"], found["param"], found["line"]) == (code, param, 3)
        assert (last["code"], last["line"]) == ("missing_required_parameter", 4)
        assert here.engine.requests == []
        assert (ended["output_file_id"], ended["request_counts"]["total"]) == (None, 0)


async def test_a_file_without_a_line_fails_and_a_last_line_needs_no_break() -> None:
    async with shop(says("Hello")) as here:
        ended = await here.found(await here.begin(), *ENDED)
        assert [error["code"] for error in ended["errors"]["data"]] == ["empty_file"]
        file = await here.upload(jsonl(request_line("a")).rstrip())
        body = {"input_file_id": file["id"], "endpoint": COMPLETIONS, "completion_window": "24h"}
        ended = await here.found(await here.answer("POST", "/batches", json=body), *ENDED)
        assert ended["request_counts"]["completed"] == 1


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"endpoint": "/v1/moderations"}, "endpoint"),
        ({"completion_window": "1h"}, "completion_window"),
        ({"input_file_id": "file-0"}, "input_file_id"),
        ({"output_expires_after": {"anchor": "created_at", "seconds": 1}}, "output_expires_after.seconds"),
        ({"metadata": {"a": 1}}, "metadata.a"),
        ({"other": 1}, "other"),
    ],
)
async def test_a_wrong_field_is_refused_by_name(change: dict[str, Any], param: str) -> None:
    async with shop(says("x")) as here:
        file = await here.upload(jsonl(request_line("a")))
        body = {"input_file_id": file["id"], "endpoint": COMPLETIONS, "completion_window": "24h", **change}
        refused = await here.ask("POST", "/batches", json=body)
        assert (refused.status_code, refused.json()["error"]["param"]) == (400, param)
        other = await here.upload(b"a", "user_data")
        refused = await here.ask("POST", "/batches", json={**body, **{"input_file_id": other["id"]}})
        assert refused.status_code == 400


async def test_a_cancelled_batch_keeps_its_answers_and_says_which_lines_have_none() -> None:
    gate = asyncio.Event()
    async with shop(ScriptedEngine(says("Hello"), gate=gate), batch_lines=2) as here:
        batch = await here.begin(*(request_line(str(at)) for at in range(10)))
        await here.found(batch, "in_progress")
        async with asyncio.timeout(10):
            while len(here.engine.requests) < 2:
                await asyncio.sleep(0.01)
        cancelling = await here.answer("POST", f"/batches/{batch['id']}/cancel")
        assert cancelling["status"] == "cancelling" and cancelling["cancelling_at"]
        ended = await here.found(batch, *ENDED)
        assert ended["status"] == "cancelled" and ended["cancelled_at"]
        assert ended["request_counts"] == {"total": 10, "completed": 0, "failed": 10}
        lines = await here.lines(ended["error_file_id"])
        assert [line["custom_id"] for line in lines] == [str(at) for at in range(10)]
        assert {line["error"]["code"] for line in lines} == {"batch_cancelled"}
        assert {line["response"] for line in lines} == {None}
        assert len(here.engine.requests) == 2 and here.engine.num_running == 0
        refused = await here.ask("POST", f"/batches/{batch['id']}/cancel")
        assert refused.status_code == 409
        assert refused.json()["error"]["message"] == "Cannot cancel a batch with status 'cancelled'."
        assert (await here.ask("POST", "/batches/batch_0/cancel")).status_code == 404


async def test_lines_that_have_no_answer_within_a_day_expire(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handlers.contracts.openai.batches.batches._WINDOW_S", 1.0)
    gate = asyncio.Event()
    async with shop(ScriptedEngine(says("Hello"), gate=gate), batch_lines=2) as here:
        batch = await here.begin(*(request_line(str(at)) for at in range(4)))
        ended = await here.found(batch, *ENDED)
        assert ended["status"] == "expired" and ended["expired_at"]
        lines = await here.lines(ended["error_file_id"])
        assert [line["error"]["code"] for line in lines] == ["batch_expired"] * 4
        assert ended["request_counts"] == {"total": 4, "completed": 0, "failed": 4}


async def test_batches_are_listed_page_by_page() -> None:
    async with shop(says("x")) as here:
        made = [await here.begin(request_line("a")) for _ in range(3)]
        ids = [batch["id"] for batch in made][::-1]
        whole = await here.answer("GET", "/batches")
        assert [batch["id"] for batch in whole["data"]] == ids and not whole["has_more"]
        first = await here.answer("GET", "/batches", params={"limit": 1})
        assert [batch["id"] for batch in first["data"]] == ids[:1] and first["has_more"]
        rest = await here.answer("GET", "/batches", params={"after": first["last_id"]})
        assert [batch["id"] for batch in rest["data"]] == ids[1:]
        refused = await here.ask("GET", "/batches", params={"after": "batch_0"})
        assert (refused.status_code, refused.json()["error"]["param"]) == (400, "after")


async def test_lines_run_after_all_other_requests_and_few_at_once() -> None:
    gate = asyncio.Event()
    async with shop(ScriptedEngine(says("x"), gate=gate), batch_lines=3) as here:
        batch = await here.begin(*(request_line(str(at), chat(priority=-5)) for at in range(9)))
        async with asyncio.timeout(10):
            while here.engine.num_running < 3:
                await asyncio.sleep(0.01)
        request = asyncio.create_task(here.answer("POST", "/chat/completions", json=chat()))
        await asyncio.sleep(0.7)
        *lines, last = here.engine.requests
        assert len(lines) == 3
        assert {line.priority for line in lines} == {2**31 - 1} and last.priority == 0
        gate.set()
        await request
        assert (await here.found(batch, *ENDED))["request_counts"]["completed"] == 9


async def test_no_line_begins_while_a_request_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ScriptedEngine(says("x"))
    idle = engine.stats()
    waiting = type(idle)(
        num_running=4, num_waiting=1, num_blocks=8, num_free_blocks=0, counters=idle.counters
    )
    monkeypatch.setattr(engine, "stats", lambda: waiting)
    async with shop(engine) as here:
        batch = await here.begin(request_line("a"))
        await here.found(batch, "in_progress")
        await asyncio.sleep(1.0)
        assert engine.requests == []
        monkeypatch.setattr(engine, "stats", lambda: idle)
        await here.found(batch, "completed")


async def test_a_line_that_finds_the_server_full_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handlers.batches.line_requests._RETRY_S", 0.05)
    gate = asyncio.Event()
    monkeypatch.setattr("handlers.composition._has_room_for_lines", lambda engine, limit: True)
    async with shop(ScriptedEngine(says("x"), gate=gate), max_concurrent_requests=1) as here:
        request = asyncio.create_task(here.answer("POST", "/chat/completions", json=chat()))
        await asyncio.sleep(0.1)
        batch = await here.begin(request_line("a"))
        await here.found(batch, "in_progress")
        await asyncio.sleep(0.5)
        assert len(here.engine.requests) == 1
        gate.set()
        await request
        assert (await here.found(batch, *ENDED))["request_counts"]["completed"] == 1


async def test_a_line_at_which_the_server_fails_is_asked_three_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handlers.batches.line_requests._RETRY_S", 0.01)
    async with shop(fails_after(RuntimeError("a bug"), "x")) as here:
        ended = await here.found(await here.begin(request_line("a")), *ENDED)
        assert ended["request_counts"] == {"total": 1, "completed": 0, "failed": 1}
        (line,) = await here.lines(ended["error_file_id"])
        assert line["response"]["status_code"] == 500
        assert len(here.engine.requests) == 3


async def test_a_restarted_server_goes_on_and_asks_no_line_again(tmp_path: Path) -> None:
    gate, path = asyncio.Event(), tmp_path / "store"
    gate.set()
    engine = ScriptedEngine(says("x"), gate=gate)
    async with shop(engine, store=path, batch_lines=1) as here:
        batch = await here.begin(*(request_line(str(at)) for at in range(30)))
        async with asyncio.timeout(10):
            while (await here.found(batch, "in_progress"))["request_counts"]["completed"] < 5:
                await asyncio.sleep(0)
            gate.clear()
            while engine.num_running == 0:
                await asyncio.sleep(0)
        num_done = (await here.found(batch, "in_progress"))["request_counts"]["completed"]
    async with shop(says("x"), store=path) as here:
        ended = await here.found(batch, *ENDED)
        assert ended["request_counts"] == {"total": 30, "completed": 30, "failed": 0}
        lines = await here.lines(ended["output_file_id"])
        assert [line["custom_id"] for line in lines] == [str(at) for at in range(30)]
        assert len(here.engine.requests) == 30 - num_done


async def test_servers_that_share_a_store_run_each_line_once(tmp_path: Path) -> None:
    path = tmp_path / "store"
    async with (
        shop(says("x"), store=path) as one,
        shop(says("x"), store=path) as two,
        shop(says("x"), store=path) as three,
    ):
        batches = [
            await here.begin(*(request_line(str(at)) for at in range(20)))
            for here in (one, two, three)
            for _ in range(2)
        ]
        for batch in batches:
            ended = await two.found(batch, *ENDED)
            assert ended["request_counts"]["completed"] == 20
            lines = await three.lines(ended["output_file_id"])
            assert [line["custom_id"] for line in lines] == [str(at) for at in range(20)]
        assert sum(len(here.engine.requests) for here in (one, two, three)) == 120


async def test_an_answer_without_room_is_said_to_have_none() -> None:
    async with shop(says("word " * 4000), store_file_megabytes=1, max_total_tokens=None) as here:
        batch = await here.begin(*(request_line(str(at), BODIES[COMPLETIONS]) for at in range(100)))
        ended = await here.found(batch, *ENDED)
        counts = ended["request_counts"]
        assert counts["completed"] > 5 and counts["failed"] > 5
        lines = await here.lines(ended["error_file_id"])
        assert {line["error"]["code"] for line in lines} == {"storage_limit_exceeded"}
        done = await here.lines(ended["output_file_id"])
        assert sorted(int(line["custom_id"]) for line in done + lines) == list(range(100))


KEYS = """
[[key]]
name = "ada"
sha256 = "{ada}"
[[key]]
name = "bob"
sha256 = "{bob}"
"""


async def test_each_key_finds_its_own_files_and_batches_alone(tmp_path: Path) -> None:
    hashes = {name: sha256(f"key of {name}".encode()).hexdigest() for name in ("ada", "bob")}
    keys = tmp_path / "keys.toml"
    keys.write_text(KEYS.format(**hashes))
    async with shop(says("x"), api_keys_file=str(keys)) as here:
        ada, bob = (Shop(here.client, here.engine, f"key of {name}") for name in ("ada", "bob"))
        batch = await ada.begin(
            request_line("a", {"model": MODEL, "input": "Hi"}, url="/v1/responses"), endpoint="/v1/responses"
        )
        ended = await ada.found(batch, *ENDED)
        (line,) = await ada.lines(ended["output_file_id"])
        response = line["response"]["body"]["id"]
        assert (await ada.answer("GET", f"/responses/{response}"))["id"] == response
        for method, path in (
            ("GET", f"/batches/{batch['id']}"),
            ("POST", f"/batches/{batch['id']}/cancel"),
            ("GET", f"/files/{batch['input_file_id']}"),
            ("GET", f"/files/{ended['output_file_id']}/content"),
            ("DELETE", f"/files/{ended['output_file_id']}"),
            ("GET", f"/responses/{response}"),
        ):
            assert (await bob.ask(method, path)).status_code == 404, path
        body = {"input_file_id": batch["input_file_id"], "endpoint": COMPLETIONS, "completion_window": "24h"}
        refused = await bob.ask("POST", "/batches", json=body)
        assert (refused.status_code, refused.json()["error"]["param"]) == (400, "input_file_id")
        for path in ("/files", "/batches"):
            assert (await bob.answer("GET", path))["data"] == []
            after = batch["id"] if path == "/batches" else batch["input_file_id"]
            assert (await bob.ask("GET", path, params={"after": after})).status_code == 400
        assert len((await ada.answer("GET", "/files"))["data"]) == 2


async def test_lines_of_a_key_that_is_gone_are_unauthorized(tmp_path: Path) -> None:
    keys, path = tmp_path / "keys.toml", tmp_path / "store"
    hashes = {name: sha256(f"key of {name}".encode()).hexdigest() for name in ("ada", "bob")}
    keys.write_text(KEYS.format(**hashes))
    gate = asyncio.Event()
    settings: dict[str, Any] = {"api_keys_file": str(keys), "store": path}
    async with shop(ScriptedEngine(says("x"), gate=gate), **settings) as here:
        ada = Shop(here.client, here.engine, "key of ada")
        batch = await ada.begin(request_line("a"))
        await ada.found(batch, "in_progress")
    keys.write_text(keys.read_text().replace('"ada"', '"eve"'))
    async with shop(says("x"), **settings) as here:
        await asyncio.sleep(1.5)
        assert here.engine.requests == []
    keys.write_text(keys.read_text().replace('"eve"', '"ada"'))
    async with shop(says("x"), **settings) as here:
        ada = Shop(here.client, here.engine, "key of ada")
        ended = await ada.found(batch, *ENDED)
        (line,) = await ada.lines(ended["error_file_id"])
        assert line["response"]["status_code"] == 401
