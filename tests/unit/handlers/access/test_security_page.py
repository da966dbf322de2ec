"""The routes that SECURITY.md says are open are the open ones."""

import re
from pathlib import Path
from typing import Literal

import pytest

from handlers.composition import CONTRACTS, TABLES, build_app
from handlers.root_paths.probes import PROBES
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.verbatim_kit.runtime.client import send

PAGE = (Path(__file__).parents[4] / "SECURITY.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| (?P<of>[^|]+) \| (?P<what>`[A-Z]+ /.*`) \| (?P<operations>.+) \| (?P<all>.+) \|$", re.M
)
MODEL = ("model", "model_name", "model_id")
VALUES = {**dict.fromkeys(MODEL, "verbatim-demo"), "model_version": "1", "response_id": "resp_0"}
VALUES |= {"file_id": "file-0", "batch_id": "batch_0", "conversation_id": "conv_0", "item_id": "msg_0"}


def stated(setting: str) -> dict[str, bool]:
    """Return whether each route asks for a key, as the table says; operations stand under their prefix."""
    found: dict[str, bool] = {}
    for row in ROW.finditer(PAGE):
        prefix = f"/{row['of']}" if row["of"] in CONTRACTS else ""
        for method, path in re.findall(r"`([A-Z]+) (/[^`]*)`", row["what"]):
            contracts = list(CONTRACTS) if "{contract}" in path else [""]
            for contract in contracts:
                route = f"{method} {prefix}{path.replace('{contract}', contract)}"
                assert route not in found, f"{route} stands there twice"
                found[route] = row[setting].startswith("key")
    return found


@pytest.mark.parametrize("setting", ["operations", "all"])
async def test_what_asks_for_a_key_is_what_the_page_says(setting: Literal["operations", "all"]) -> None:
    """The status alone is compared: requests are empty, and whatever is let in may be refused for that."""
    app = build_app(Settings(api_key="key", require_key=setting), ScriptedEngine(says("a")))
    for route, asks in stated(setting).items():
        method, path = route.split(" ")
        for name, value in VALUES.items():
            path = path.replace(f"{{{name}}}", value)
        status = (await send(app, method, path, content=b"")).status_code
        assert (status == 401) == asks, f"{route} answered {status}"


def test_the_page_has_every_operation_and_every_page() -> None:
    operations = {
        f"{one.method} /{name}{one.path.replace(':path', '')}"
        for name, operations in TABLES.items()
        for one in operations
    }
    pages = {f"GET /{name}/{page}" for name in CONTRACTS for page in ("docs", "openapi.json")}
    playground = {f"GET /playground{path}" for path in ("", "/about", "/state")}
    root = {"GET /docs", "GET /openapi.json", "POST /ping", "POST /invocations", "GET /nothing"}
    probes = {f"GET {path}" for path in PROBES}
    assert set(stated("all")) == operations | pages | playground | root | probes
