"""Replays the requests that programs sent to a server, without the programs.

`recorded/` has a file for each program: its requests, texts cut short, and the statuses. The server
checks its answers against its own documents.
"""

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from handlers.app import build_app
from handlers.settings.settings import Settings
from tests.scripted_engine import ScriptedEngine, says
from tests.unit.handlers.runtime.client import send

RECORDED: Final = Path(__file__).parent / "recorded"


class Recorded(NamedTuple):
    """A request of a program's. param: the field at fault, if it is refused."""

    path: str
    body: dict[str, Any]
    status: int
    param: str | None


def _exchanges() -> list[Any]:
    return [
        pytest.param(
            Recorded(one["path"], one["body"], one["status"], one.get("param")),
            id=f"{file.stem}: {one['what']}",
        )
        for file in sorted(RECORDED.glob("*.json"))
        for one in json.loads(file.read_text("utf-8"))["exchanges"]
    ]


@pytest.mark.parametrize("exchange", _exchanges())
async def test_a_programs_request_is_answered_as_it_was(exchange: Recorded) -> None:
    engine = ScriptedEngine(says("Hel", "lo"), max_total_tokens=200_000)
    app = build_app(Settings(check_responses="fail"), engine)
    response = await send(app, "POST", f"/openai{exchange.path}", json=exchange.body)
    assert response.status_code == exchange.status, response.text
    if exchange.status != 200:
        assert response.json()["error"]["param"] == exchange.param
        return
    assert "Hel" in response.text and '"error":{' not in response.text
    assert engine.requests
