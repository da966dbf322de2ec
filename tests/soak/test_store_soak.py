"""Clients with stored conversations, a fifth of which leave in the middle of an answer. Every stored answer
is the one that was sent, also while the bounds of the store make it forget, and no key finds another's.

300 clients for five minutes (`VERBATIM_SOAK_CLIENTS`, `VERBATIM_SOAK_SECONDS`), or fewer in a bounded run.
"""

import asyncio
import json
import os
import sqlite3
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import aiohttp
import pytest

from tests.conftest import running_server
from tests.support.selection.effort import IS_WHOLE

NUM_CLIENTS: Final = int(os.environ.get("VERBATIM_SOAK_CLIENTS", "300" if IS_WHOLE else "60"))
SECONDS: Final = float(os.environ.get("VERBATIM_SOAK_SECONDS", "300" if IS_WHOLE else "60"))
NUM_KEYS: Final = 7
SHARE_LEAVING: Final = 0.2
MAX_KEPT: Final = 40  # answers that a client remembers
# By what bounds the store: the option, and the most records and bytes.
BOUNDS: Final = {
    "nothing": ((), 100_000, 256_000_000),
    "records": (("--store-records", "60"), 60, 256_000_000),
    "bytes": (("--store-megabytes", "1"), 100_000, 1_000_000),
}
# What a response holds besides its text, so that a megabyte is soon full.
METADATA: Final = {f"note-{number}": "n" * 500 for number in range(16)}

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        sys.platform != "linux", reason="it takes as many sockets as Linux lets a process have"
    ),
    pytest.mark.timeout(7200),
]


class Sent(NamedTuple):
    """An answer that a client has got whole. key: the API key that it was asked with."""

    key: str
    response: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.response["id"])


class Conversations:
    """All clients, each of which goes on with its own conversation and looks at what others have."""

    def __init__(self, url: str, keys: list[str], session: aiohttp.ClientSession) -> None:
        self.counts: Counter[str] = Counter()
        self.sent: dict[str, Sent] = {}
        self._url = f"{url}/openai/v1/responses"
        self._keys = keys
        self._session = session

    async def run(self, seconds: float) -> None:
        """Let all clients talk for so long."""
        ends_at = asyncio.get_running_loop().time() + seconds
        async with asyncio.TaskGroup() as clients:
            for number in range(NUM_CLIENTS):
                clients.create_task(self._talk(Random(number), self._keys[number % NUM_KEYS], ends_at))

    async def check_all(self) -> None:
        """Compare all answers that are still stored with what was sent."""
        for sent in list(self.sent.values()):
            await self._compare(sent)

    async def _talk(self, random: Random, key: str, ends_at: float) -> None:
        own: list[Sent] = []
        while asyncio.get_running_loop().time() < ends_at:
            before = own[-1] if own and random.random() < 0.7 else None
            body = self._body(random, before)
            if random.random() < SHARE_LEAVING:
                await self._leave(key, body, random)
            elif (answered := await self._ask(key, body)) is None:
                own.clear()  # what it would go on from is forgotten
            else:
                own = [*own[1 - MAX_KEPT :], answered]
            if own:
                await self._compare(random.choice(own))
            await self._try_others(random, key)

    def _body(self, random: Random, before: Sent | None) -> dict[str, Any]:
        return {
            "model": "verbatim-demo",
            "input": random.choice(["Hello! My name is Ada.", "What is my name?", "What is 2 plus 3?"]),
            "max_output_tokens": random.choice([2, 6, 12]),
            "metadata": METADATA,
            "stream": random.random() < 0.5,
            **({} if before is None else {"previous_response_id": before.id}),
        }

    async def _ask(self, key: str, body: dict[str, Any]) -> Sent | None:
        """Return the answer; None where the conversation is forgotten."""
        async with self._post(key, body) as answer:
            if answer.status == 400:
                error = (await answer.json())["error"]
                assert error["code"] == "previous_response_not_found", error
                self.counts["conversations that were forgotten"] += 1
                return None
            assert answer.status == 200, await answer.text()
            response = (
                [event async for event in _events(answer)][-1] if body["stream"] else await answer.json()
            )
        response = response["response"] if body["stream"] else response
        assert response["status"] in ("completed", "incomplete") and response["store"] is True, response
        self.counts["answers"] += 1
        sent = Sent(key, response)
        assert sent.id not in self.sent
        self.sent[sent.id] = sent
        return sent

    async def _leave(self, key: str, body: dict[str, Any], random: Random) -> None:
        """Close the connection at any place of the stream; then all of the answer is stored, or nothing."""
        num_events, begun = random.randint(1, 12), ""
        text, whole = "", None
        async with self._post(key, {**body, "stream": True}) as answer:
            if answer.status != 200:
                self.counts["conversations that were forgotten"] += 1
                return
            async for event in _events(answer):
                if event["type"] == "response.created":
                    begun = event["response"]["id"]
                text += event.get("delta", "") if event["type"] == "response.output_text.delta" else ""
                whole = event.get("response") if event["type"] == "response.completed" else None
                num_events -= 1
                if num_events == 0:
                    answer.close()
                    break
        self.counts["clients that left"] += 1
        status, stored = await self._get(key, begun)
        if status == 404:
            self.counts["answers that were left and are not stored"] += 1
            return
        assert stored["status"] in ("completed", "incomplete"), stored
        found = "".join(
            part["text"] for item in stored["output"] if item["type"] == "message" for part in item["content"]
        )
        assert found.startswith(text) and (whole is None or stored == whole)
        self.counts["answers that were left and are stored whole"] += 1

    async def _compare(self, sent: Sent) -> None:
        status, stored = await self._get(sent.key, sent.id)
        if status == 404:
            self.counts["answers that were looked for and forgotten"] += sent.id in self.sent
            self.sent.pop(sent.id, None)
            return
        assert stored == sent.response
        self.counts["answers that were compared"] += 1

    async def _try_others(self, random: Random, key: str) -> None:
        """Ask for another key's response in every way, none of which may find it."""
        others = [
            sent for sent in random.sample([*self.sent.values()], min(9, len(self.sent))) if sent.key != key
        ]
        if not others:
            return
        other = others[0].id
        assert (await self._get(key, other))[0] == 404
        assert (await self._get(key, f"{other}/input_items"))[0] == 404
        headers = {"Authorization": f"Bearer {key}"}
        async with self._session.delete(f"{self._url}/{other}", headers=headers) as answer:
            assert answer.status == 404
        reference = {"type": "item_reference", "id": others[0].response["output"][0]["id"]}
        asked: list[dict[str, Any]] = [
            {"input": "What is my name?", "previous_response_id": other},
            {"input": [reference, {"role": "user", "content": "Well?"}]},
        ]
        for fields in asked:
            async with self._post(
                key, {"model": "verbatim-demo", "max_output_tokens": 2, **fields}
            ) as answer:
                assert answer.status in (400, 404), await answer.text()
        self.counts["tries at another key's response"] += 5

    async def _get(self, key: str, path: str) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {key}"}
        async with self._session.get(f"{self._url}/{path}", headers=headers) as answer:
            assert answer.status in (200, 404), await answer.text()
            return answer.status, await answer.json()

    def _post(self, key: str, body: dict[str, Any]) -> Any:
        return self._session.post(self._url, json=body, headers={"Authorization": f"Bearer {key}"})


async def _events(answer: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    async for line in answer.content:
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))


@pytest.mark.parametrize("bound", BOUNDS)
async def test_every_stored_answer_is_what_was_sent_and_the_bounds_hold(tmp_path: Path, bound: str) -> None:
    bounding, max_records, max_bytes = BOUNDS[bound]
    keys = [f"key-{number}" for number in range(NUM_KEYS)]
    entries = [f'[[key]]\nname = "{key}"\nsha256 = "{sha256(key.encode()).hexdigest()}"\n' for key in keys]
    (tmp_path / "keys.toml").write_text("\n".join(entries))
    options = (
        *("--store", str(tmp_path / "store"), *bounding, "--api-keys-file", str(tmp_path / "keys.toml")),
        *("--max-concurrent-requests", str(2 * NUM_CLIENTS)),
    )
    with (tmp_path / "log").open("w") as log, running_server(*options, log=log) as server:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(300)) as session:
            clients = Conversations(server.url, keys, session)
            await clients.run(SECONDS / len(BOUNDS))
            await clients.check_all()
            num_left = len(clients.sent)
            counts = clients.counts
        assert server.process.poll() is None
    print(bound, num_left, dict(counts))
    assert "Traceback" not in (tmp_path / "log").read_text()
    assert min(counts[name] for name in ("answers", "clients that left", "answers that were compared")) > 0
    num_forgotten = counts["answers that were looked for and forgotten"]
    assert (num_forgotten > 0) is (bound != "nothing")
    assert num_left == counts["answers"] - num_forgotten > 0
    assert counts["tries at another key's response"] > 0
    with closing(sqlite3.connect(tmp_path / "store")) as database:
        [(num_bytes, num_records)] = database.execute("SELECT bytes, records FROM total")
        [found] = database.execute("SELECT sum(size), count(*) FROM record")
    assert found == (num_bytes, num_records)
    assert num_left <= num_records <= max_records and num_bytes <= max_bytes
