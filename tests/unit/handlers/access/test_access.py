"""Keys, limits, closed pages and the audit log, over the whole application."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp

from handlers.access.keys.key_file import InvalidKeyFile
from handlers.access.visits.record_log import CannotWriteAuditLog, RecordLog
from handlers.composition import CONTRACTS, TABLES, build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.access.keys.key_files import table, write
from tests.unit.verbatim_kit.runtime.client import send

CHAT = {"messages": [{"role": "user", "content": "Hi"}], "model": "verbatim-demo", "max_tokens": 5}
BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "openai": ("/openai/v1/chat/completions", CHAT),
    "tgi": ("/tgi/generate", {"inputs": "Hi"}),
    "hf": ("/hf/generate", {"inputs": "Hi"}),
    "triton": ("/triton/v2/models/verbatim-demo/generate", {"text_input": "Hi"}),
    "aleph_alpha": ("/aleph_alpha/chat/completions", CHAT),
    "mindie": ("/mindie/v1/chat/completions", CHAT),
    "anthropic": ("/anthropic/v1/messages", CHAT),
    "systemone": (
        "/systemone/v1/systemone",
        {
            "model": "verbatim-demo",
            "state": "Hi",
            "questions": {"a": {"type": "choice", "criteria": {"x": None, "y": None}}},
        },
    ),
    "tokens": ("/tokens/inference/v1/generate", {"token_ids": [72], "sampling_params": {"max_tokens": 5}}),
}
# The status by which each contract refuses a key that has used up its limit.
RATE_STATUSES = {name: 429 for name in BODIES} | {"triton": 503, "mindie": 503}


class Guarded:
    """An application with a file of keys."""

    def __init__(self, tmp_path: Path, *tables: str, **settings: Any) -> None:
        path = write(tmp_path / "keys.toml", *tables)
        self.engine = ScriptedEngine(says("a", "b"))
        self.app = build_app(Settings(api_keys_file=str(path), **settings), self.engine)

    async def ask(self, contract: str, key: str | None) -> Any:
        path, body = BODIES[contract]
        headers = {"anthropic-version": "2023-06-01"} | bearer(key)
        return await send(self.app, "POST", path, json=body, headers=headers)


def bearer(key: str | None) -> dict[str, str]:
    return {} if key is None else {"authorization": f"Bearer {key}"}


async def test_each_key_of_the_file_is_let_in_by_each_contract_and_no_other_is(tmp_path: Path) -> None:
    served = Guarded(tmp_path, table("a", "key-a"), table("b", "key-b"), api_key="single")
    for contract in BODIES:
        for key, status in (("key-a", 200), ("key-b", 200), ("single", 200), ("key-c", 401), (None, 401)):
            answer = await served.ask(contract, key)
            assert answer.status_code == status, contract
            assert ("Missing or wrong API key" in answer.text) is (status == 401), contract


@pytest.mark.parametrize("contract", BODIES)
async def test_the_header_of_azures_clients_has_the_key_too(tmp_path: Path, contract: str) -> None:
    served = Guarded(
        tmp_path, table("a", "key-a", contracts=f'["{contract}"]'), table("b", "key-b", contracts="[]")
    )
    path, body = BODIES[contract]
    for headers, status in (
        ({"api-key": "key-a"}, 200),
        ({"api-key": "key-a", "authorization": "Bearer no"}, 200),
        ({"api-key": "no", "authorization": "Bearer key-a"}, 200),
        ({"api-key": "key-b"}, 401),
        ({"api-key": "no"}, 401),
        ({"api-key": ""}, 401),
    ):
        sent = {"anthropic-version": "2023-06-01", **headers}
        assert (await send(served.app, "POST", path, json=body, headers=sent)).status_code == status, headers


async def test_a_key_is_for_the_contracts_that_its_entry_names(tmp_path: Path) -> None:
    served = Guarded(tmp_path, *(table(name, name, contracts=f'["{name}"]') for name in BODIES))
    for contract in BODIES:
        assert (await served.ask(contract, contract)).status_code == 200
        refused = await served.ask(contract, "tgi" if contract == "openai" else "openai")
        assert refused.status_code == 401
        assert f"not for {contract}" in refused.text


async def test_a_key_that_has_expired_says_so(tmp_path: Path) -> None:
    served = Guarded(tmp_path, table("a", "key-a", expires="2020-01-31T00:00:00Z"))
    refused = await served.ask("openai", "key-a")
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "invalid_api_key")
    assert "expired" in refused.json()["error"]["message"]


async def test_a_key_over_its_requests_is_told_when_to_come_back(tmp_path: Path) -> None:
    served = Guarded(
        tmp_path, *(table(name, name, requests_per_minute=2) for name in BODIES), table("b", "key-b")
    )
    for contract in BODIES:
        statuses = [(await served.ask(contract, contract)).status_code for _ in range(2)]
        refused = await served.ask(contract, contract)
        assert [*statuses, refused.status_code] == [200, 200, RATE_STATUSES[contract]]
        assert 1 <= int(refused.headers["retry-after"]) <= 30
        assert "2 requests a minute" in refused.text
        assert (await served.ask(contract, "key-b")).status_code == 200


async def test_a_key_pays_for_the_tokens_of_prompt_and_answer(tmp_path: Path) -> None:
    served = Guarded(tmp_path, *(table(name, name, tokens_per_minute=1) for name in BODIES))
    for contract in BODIES:
        assert (await served.ask(contract, contract)).status_code == 200
        refused = await served.ask(contract, contract)
        assert refused.status_code == RATE_STATUSES[contract]
        num_tokens = len(served.engine.requests[-1].prompt.token_ids) + 3  # two pieces and the end
        wait_s = int(refused.headers["retry-after"])
        assert num_tokens * 60 - 30 <= wait_s <= num_tokens * 60, "as long as what was overdrawn takes"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/tgi/tokenize", {"inputs": "Hi"}),
        ("/hf/tokenize", {"inputs": "Hi"}),
        (
            "/aleph_alpha/tokenize",
            {"model": "verbatim-demo", "prompt": "Hi", "tokens": True, "token_ids": True},
        ),
        ("/anthropic/v1/messages/count_tokens", {"messages": CHAT["messages"], "model": "verbatim-demo"}),
    ],
)
async def test_what_generates_nothing_counts_as_a_request(
    tmp_path: Path, path: str, body: dict[str, Any]
) -> None:
    app = Guarded(tmp_path, table("a", "key-a", requests_per_minute=1)).app
    headers = {"anthropic-version": "2023-06-01"} | bearer("key-a")
    first, second = [await send(app, "POST", path, json=body, headers=headers) for _ in range(2)]
    assert (first.status_code, second.status_code) == (200, 429)
    assert "1 requests a minute" in second.text
    assert int(second.headers["retry-after"]) > 0


def test_only_lists_and_descriptions_declare_no_status_for_a_limit() -> None:
    operations = [one for operations in TABLES.values() for one in operations if one.is_secured]
    unlimited = [one for one in operations if not one.errors.keys() & {429, 503, 529}]
    assert {one.method for one in unlimited} == {"GET"}


async def test_embeddings_are_charged_too(tmp_path: Path) -> None:
    served = Guarded(tmp_path, table("a", "key-a", tokens_per_minute=1))
    body = {"model": "verbatim-demo", "input": ["one two three", "four"]}
    answers = [
        await send(served.app, "POST", "/v1/embeddings", json=body, headers=bearer("key-a")) for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [200, 429]
    assert len(answers[0].json()["data"]) == 2
    assert answers[1].json()["error"]["code"] == "rate_limit_exceeded"


async def test_a_refusal_by_the_limit_speaks_the_contracts_language(tmp_path: Path) -> None:
    served = Guarded(tmp_path, table("a", "key-a", requests_per_minute=1))
    await served.ask("openai", "key-a")
    openai = (await served.ask("openai", "key-a")).json()["error"]
    assert (openai["type"], openai["code"]) == ("rate_limit_error", "rate_limit_exceeded")
    assert (await served.ask("tgi", "key-a")).json()["error_type"] == "overloaded"
    assert (await served.ask("anthropic", "key-a")).json()["error"]["type"] == "rate_limit_error"
    assert (await served.ask("mindie", "key-a")).json()["error_type"] == "Service Unavailable"
    assert (await served.ask("aleph_alpha", "key-a")).json()["code"] == "TOO_MANY_REQUESTS"


async def test_a_refused_key_is_charged_for_nothing(tmp_path: Path) -> None:
    served = Guarded(tmp_path, table("a", "key-a", requests_per_minute=1, contracts='["tgi"]'))
    for _ in range(3):
        refused = await served.ask("openai", "key-a")
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "invalid_api_key")
    assert (await served.ask("tgi", "key-a")).status_code == 200


def salts(served: Guarded) -> list[str | None]:
    return [request.cache_salt for request in served.engine.requests]


async def test_keys_share_no_cached_prompts_and_each_shares_its_own(tmp_path: Path) -> None:
    served = Guarded(tmp_path, table("a", "key-a"), table("b", "key-b"), api_key="single")
    for key in ("key-a", "key-b", "single", "key-a"):
        for contract in BODIES:
            await served.ask(contract, key)
    found = salts(served)
    num = len(BODIES)
    groups = [set(found[place * num : (place + 1) * num]) for place in range(4)]
    assert all(len(group) == 1 for group in groups), "one salt for a key, whatever the contract"
    assert groups[0] == groups[3]
    assert len(groups[0] | groups[1] | groups[2]) == 3
    assert None not in found


async def test_equal_salts_of_two_keys_differ_and_of_one_key_agree(tmp_path: Path) -> None:
    served = Guarded(tmp_path, table("a", "key-a"), table("b", "key-b"))
    path, body = BODIES["openai"]
    for key, salt in (("key-a", "s"), ("key-a", "s"), ("key-b", "s"), ("key-a", "t"), ("key-a", "\x00")):
        headers = bearer(key)
        assert (
            await send(served.app, "POST", path, json={**body, "cache_salt": salt}, headers=headers)
        ).status_code == 200
    await served.ask("openai", "key-a")
    first, again, others, another, zero, without = salts(served)
    assert first == again
    assert len({first, others, another, zero, without}) == 5


@pytest.mark.parametrize("num_words", [60, 2_000], ids=["on the event loop", "in a thread"])
async def test_keys_share_no_remembered_tokens_and_each_shares_its_own(
    tmp_path: Path, num_words: int
) -> None:
    served = Guarded(tmp_path, table("a", "key-a"), table("b", "key-b"))
    memory = served.engine.tokenizer.memory
    messages = [{"role": "user", "content": f"{num_words} " + "one " * num_words}]
    body = {"model": "verbatim-demo", "messages": messages, "max_tokens": 1}

    async def num_encoded(key: str) -> int:
        before = memory.num_encoded
        answer = await send(served.app, "POST", "/v1/chat/completions", json=body, headers=bearer(key))
        assert answer.status_code == 200
        return memory.num_encoded - before

    assert await num_encoded("key-a") > num_words
    assert await num_encoded("key-b") > num_words
    assert await num_encoded("key-a") == await num_encoded("key-b") == 0


async def test_nothing_is_remembered_where_prompts_are_not_cached(tmp_path: Path) -> None:
    served = Guarded(tmp_path, table("a", "key-a"), prefix_caching=False)
    before = served.engine.tokenizer.memory.num_encoded
    body = {"model": "verbatim-demo", "messages": [{"role": "user", "content": "one " * 200}]}
    answer = await send(served.app, "POST", "/v1/chat/completions", json=body, headers=bearer("key-a"))
    assert answer.status_code == 200
    assert served.engine.tokenizer.memory.num_encoded == before


async def test_texts_for_embedding_are_kept_apart_too(tmp_path: Path) -> None:
    served = Guarded(tmp_path, table("a", "key-a"))
    body = {"model": "verbatim-demo", "input": "one"}
    await send(served.app, "POST", "/v1/embeddings", json=body, headers=bearer("key-a"))
    (text,) = served.engine.texts
    assert text.cache_salt is not None


@pytest.mark.parametrize("settings", [{}, {"api_key": "single"}])
async def test_with_one_key_or_none_a_salt_is_what_the_request_says(settings: dict[str, Any]) -> None:
    engine = ScriptedEngine(says("a"))
    app = build_app(Settings(**settings), engine)
    path, body = BODIES["openai"]
    for salt in ({}, {"cache_salt": "s"}):
        await send(app, "POST", path, json={**body, **salt}, headers=bearer("single"))
    assert [request.cache_salt for request in engine.requests] == [None, "s"]


async def test_a_key_with_limits_is_told_what_is_left_of_them(tmp_path: Path) -> None:
    limits = table("a", "key-a", requests_per_minute=2, tokens_per_minute=600)
    served = Guarded(tmp_path, limits, table("b", "key-b"))
    answer = await served.ask("openai", "key-a")
    assert answer.headers["x-ratelimit-limit-requests"] == "2"
    assert answer.headers["x-ratelimit-remaining-requests"] == "1"
    assert answer.headers["x-ratelimit-reset-requests"] == "30s"
    assert answer.headers["x-ratelimit-limit-tokens"] == "600"
    num_tokens = len(served.engine.requests[0].prompt.token_ids) + 3
    assert int(answer.headers["x-ratelimit-remaining-tokens"]) in (600 - num_tokens, 601 - num_tokens)
    answer = await served.ask("anthropic", "key-a")
    assert answer.status_code == 200
    assert answer.headers["anthropic-ratelimit-requests-remaining"] == "0"
    assert answer.headers["anthropic-ratelimit-requests-reset"].endswith("Z")
    assert int(answer.headers["anthropic-ratelimit-tokens-remaining"]) < 600
    refused = await served.ask("openai", "key-a")
    assert (refused.status_code, refused.headers["x-ratelimit-remaining-requests"]) == (429, "0")
    unlimited = await served.ask("openai", "key-b")
    assert not [name for name in unlimited.headers if "ratelimit" in name]


async def statuses_of_all(app: ASGIApp, key: str | None) -> dict[str, int]:
    """The status of each operation of each contract under its prefix, and of each page."""
    found = {}
    for name, operations in TABLES.items():
        for operation in operations:
            path = f"/{name}{operation.path}"
            for parameter in ("model:path", "model_name:path", "model_id:path"):
                path = path.replace(f"{{{parameter}}}", "verbatim-demo")
            path = path.replace("{model_version}", "1")
            answer = await send(app, operation.method, path, content=b"", headers=bearer(key))
            found[f"{name}.{operation.id}"] = answer.status_code
    for path in ("/docs", "/playground", "/playground/about", "/playground/state", "/nothing"):
        found[path] = (await send(app, "GET", path, headers=bearer(key))).status_code
    for name in CONTRACTS:
        for page in ("docs", "openapi.json"):
            found[f"/{name}/{page}"] = (
                await send(app, "GET", f"/{name}/{page}", headers=bearer(key))
            ).status_code
    return found


PROBES = {"tgi.health", "hf.healthCheck", "tokens.health"} | {
    f"triton.{one}" for one in ("serverLive", "serverReady", "modelReady", "modelVersionReady")
}
SECURED = {f"{name}.{one.id}" for name, table in TABLES.items() for one in table if one.is_secured}


async def test_without_more_said_the_documents_decide_what_asks_for_a_key() -> None:
    app = build_app(Settings(api_key="key"), ScriptedEngine(says("a")))
    found = await statuses_of_all(app, None)
    assert {name for name, status in found.items() if status == 401} == SECURED
    assert 401 not in (await statuses_of_all(app, "key")).values()


async def test_all_but_probes_can_be_closed() -> None:
    app = build_app(Settings(api_key="key", require_key="all"), ScriptedEngine(says("a")))
    found = await statuses_of_all(app, None)
    assert {name for name, status in found.items() if status != 401} == PROBES
    assert 401 not in (await statuses_of_all(app, "key")).values()
    refused = await send(app, "GET", "/tgi/metrics")
    assert refused.json()["error_type"] == "unauthorized"
    assert refused.headers["www-authenticate"] == "Bearer"


async def test_a_key_opens_what_belongs_to_its_contracts_alone(tmp_path: Path) -> None:
    served = Guarded(tmp_path, table("a", "key-a", contracts='["tgi"]'), require_key="all")
    for path, status in (("/tgi/metrics", 200), ("/hf/metrics", 401), ("/docs", 200)):
        assert (await send(served.app, "GET", path, headers=bearer("key-a"))).status_code == status
    for name in ("x-api-key", "api-key"):
        assert (await send(served.app, "GET", "/docs", headers={name: "key-a"})).status_code == 200


def test_every_probe_is_an_operation_of_its_contract() -> None:
    for name, served in CONTRACTS.items():
        assert served.contract.probes <= {operation.id for operation in TABLES[name]}


def test_closing_needs_a_key_to_open_with() -> None:
    with pytest.raises(ValueError, match="neither api_key nor api_keys_file"):
        Settings(require_key="all")


def test_a_wrong_file_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(InvalidKeyFile, match="'grpc'"):
        Guarded(tmp_path, table("a", "key-a", contracts='["grpc"]'))
    with pytest.raises(CannotWriteAuditLog):
        build_app(Settings(audit_log=str(tmp_path)), ScriptedEngine(says("a")))


async def test_each_request_is_in_the_audit_log_and_nothing_that_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs: list[RecordLog] = []
    start = RecordLog.__init__

    def keep(log: RecordLog, *arguments: Any) -> None:
        start(log, *arguments)
        logs.append(log)

    monkeypatch.setattr(RecordLog, "__init__", keep)
    path = tmp_path / "audit"
    served = Guarded(tmp_path, table("ci", "key-a"), audit_log=str(path), access_log=False)
    (log,) = logs
    log.start()
    secret = {**CHAT, "messages": [{"role": "user", "content": "a secret word"}]}
    headers = bearer("key-a") | {"x-request-id": "mine-1"}
    for body in (secret, {**secret, "stream": True}):
        await send(served.app, "POST", "/openai/v1/chat/completions", json=body, headers=headers)
    await send(served.app, "POST", "/tgi/generate", json={"inputs": "secret"}, headers=bearer("wrong-key"))
    nothing = await send(served.app, "GET", "/no%0Athing?key-a", headers=bearer("key-a"))
    log.close()
    text = path.read_text()
    whole, streamed, refused, missing = (json.loads(line)["fields"] for line in text.splitlines())
    assert {name: whole[name] for name in ("key", "contract", "operation", "status", "request_id")} == {
        "key": "ci",
        "contract": "openai",
        "operation": "createChatCompletion",
        "status": 200,
        "request_id": "mine-1",
    }
    num_prompt = len(served.engine.requests[0].prompt.token_ids)
    for one in (whole, streamed):
        assert (one["prompt_tokens"], one["generated_tokens"]) == (num_prompt, 3)
        assert one["duration_s"] > 0
        assert one["client"] == "127.0.0.1"
    assert (refused["key"], refused["status"], refused["operation"]) == (None, 401, "generate")
    assert (missing["status"], missing["contract"], missing["operation"]) == (404, None, None)
    assert missing["request_id"] == nothing.headers["x-request-id"]
    assert "secret" not in text and "key-a" not in text and "wrong-key" not in text
