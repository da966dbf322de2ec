"""Grammars that are made to stop the engine, over the socket of each contract that takes them."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest

from tests.attack.clients.pulse import pulse
from tests.attack.clients.wire import Answer, connect, exchange, read_answer, request_bytes
from tests.conftest import LIMITS, Server, running_server
from tests.support.clocks.until import wait_until
from tests.support.servers.processes import children, is_alive

Grammar = tuple[str, Any]  # "json" or "regex", and the schema or the pattern

MAX_GROWTH: Final = 300 * 2**20  # of the server's memory, in bytes
MAX_BEAT_S: Final = 5.0  # of a loaded machine of two cores
# After the grace period; and what a busy machine takes with a process that has ended.
MAX_EXIT_S: Final = 3.0
SLACK_S: Final = 4.0

LIST: Final = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}},
            "required": ["value", "next"],
        }
    },
    "$ref": "#/$defs/node",
}
ENDLESS: Final[list[tuple[Grammar, str]]] = [
    (("json", {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}), "#/properties/a"),
    (("json", LIST), "#/$defs/node/properties/next"),
    (("json", {"type": "array", "items": {"$ref": "#"}, "minItems": 1}), "#/items"),
]
ENDLESS_EBNF: Final = [
    ('root ::= "a" root', "rule root"),
    ('root ::= "x" b\nb ::= c | b "y"\nc ::= b b', "rule b"),
]
# Their shortest texts are longer than any answer; they are cut by its length.
LONG: Final[list[Grammar]] = [
    ("json", {"type": "array", "items": {"const": 1}, "minItems": 10**9}),
    ("json", {"type": "string", "minLength": 10**9}),
]
DOUBLING: Final = (
    "root ::= r0\n" + "\n".join(f"r{i} ::= r{i + 1} r{i + 1}" for i in range(30)) + '\nr30 ::= "a"'
)
LONG_EBNF: Final = ['root ::= "a"{100000000}', DOUBLING]
NULLABLE: Final = "\n".join(
    (
        'root ::= "x" r0',
        *(f'r{i} ::= r{i + 1} r{(i * 7 + 3) % 1000} | ""' for i in range(1000)),
        'r1000 ::= "a"',
    )
)
# Allow little text in ever more ways.
AMBIGUOUS_EBNF: Final = [
    'root ::= root root | "a" | ""',
    'root ::= ((("a"?){100}){100}){100}',
    DOUBLING + ' | ""',
    NULLABLE,
]


def slow_rules(number: int) -> str:
    """Compile for half a minute; each number's are another grammar."""
    rules = (f'r{i} ::= r{(i + 1) % 2000} | r{(i * 7 + 3) % 2000} | "a"' for i in range(2000))
    return "\n".join((f'root ::= "x{number}" r0', *rules))


def emails(number: int) -> Any:
    """Return a schema of as many strings with a format as there may be, under names of their own."""
    names = (f"n{number}p{i}" for i in range(512))
    return {"type": "object", "properties": {name: {"type": "string", "format": "email"} for name in names}}


def multiples(number: int) -> Any:
    """3 kB whose automata are large."""
    names = (f"n{number}p{i}" for i in range(60))
    return {
        "type": "object",
        "properties": {name: {"type": "integer", "multipleOf": 1024 - i} for i, name in enumerate(names)},
    }


def counts(number: int) -> str:
    """A pattern of a product of counts."""
    return f"{number}((a{{0,20}}){{0,20}}){{0,20}}"


def tgi(grammar: Grammar) -> bytes:
    kind, value = grammar
    parameters = {"max_new_tokens": 20, "grammar": {"type": kind, "value": value}}
    return request_bytes("/tgi/generate", {"inputs": "Hello", "parameters": parameters})


def hf(grammar: Grammar) -> bytes:
    kind, value = grammar
    parameters = {"max_new_tokens": 20, "grammar": {"type": kind, "value": value}}
    return request_bytes("/hf/generate", {"inputs": "Hello", "parameters": parameters})


def openai(grammar: Grammar) -> bytes:
    kind, value = grammar
    if kind == "json":
        form: dict[str, Any] = {
            "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": value}}
        }
    else:
        form = {f"guided_{kind}": value}
    messages = [{"role": "user", "content": "Hello"}]
    body = {"model": "verbatim-demo", "messages": messages, "max_tokens": 20, **form}
    return request_bytes("/openai/v1/chat/completions", body)


CONTRACTS: Final[list[Callable[[Grammar], bytes]]] = [tgi, hf, openai]


def asserts_healthy(server: Server) -> None:
    answer = exchange(server.url, request_bytes("/generate", {"inputs": "Hello"}))
    assert answer.status == 200, answer.body
    answer = exchange(server.url, tgi(("regex", f"[a-z]{{{time.time_ns() % 97 + 2}}}")))
    assert answer.status == 200, answer.body


def memory(pid: int) -> int:
    """Resident, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


def compiling(pid: int) -> list[int]:
    """The processes that compile grammars for the server."""
    return [process for program in children(pid) for process in children(program)]


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize(("grammar", "place"), ENDLESS, ids=lambda value: str(value)[:20])
def test_a_schema_without_a_finite_value_is_refused_where_it_stands(
    attacked: Server, contract: Callable[[Grammar], bytes], grammar: Grammar, place: str
) -> None:
    answer = exchange(attacked.url, contract(grammar))
    assert answer.status in (400, 422)
    assert place in answer.body.decode()
    asserts_healthy(attacked)


@pytest.mark.parametrize(("rules", "place"), ENDLESS_EBNF, ids=lambda value: value[:20])
def test_rules_without_a_finite_text_are_refused_by_name(attacked: Server, rules: str, place: str) -> None:
    answer = exchange(attacked.url, openai(("grammar", rules)))
    assert answer.status == 400
    assert place in answer.json()["error"]["message"]
    asserts_healthy(attacked)


def test_texts_of_astronomic_length_and_of_many_readings_hold_nobody_up(attacked: Server) -> None:
    before = memory(attacked.process.pid)
    hostile = [contract(grammar) for contract in CONTRACTS for grammar in LONG]
    hostile += [openai(("grammar", rules)) for rules in (*LONG_EBNF, *AMBIGUOUS_EBNF)]
    with pulse(attacked.url) as taken, ThreadPoolExecutor(len(hostile)) as pool:
        answers = list(pool.map(lambda raw: exchange(attacked.url, raw, 60.0), hostile))
    assert {answer.status for answer in answers} <= {200, 400, 422, 424, 429, 500, 503}, _statuses(answers)
    assert sum(answer.status == 200 for answer in answers) >= len(CONTRACTS) * len(LONG) + len(LONG_EBNF)
    assert taken.slowest_s < MAX_BEAT_S
    assert memory(attacked.process.pid) - before < MAX_GROWTH
    asserts_healthy(attacked)


def test_large_schemas_and_patterns_hold_nobody_up(attacked: Server) -> None:
    before = memory(attacked.process.pid)
    hostile = [
        contract(("json", make(n))) for make in (emails, multiples) for n, contract in enumerate(CONTRACTS)
    ]
    hostile += [contract(("regex", counts(n))) for n, contract in enumerate(CONTRACTS)]
    with pulse(attacked.url) as taken, ThreadPoolExecutor(len(hostile)) as pool:
        answers = list(pool.map(lambda raw: exchange(attacked.url, raw, 60.0), hostile))
    # A text that becomes too slow fails its own request.
    assert {answer.status for answer in answers} <= {200, 400, 422, 424, 429, 500, 503}, _statuses(answers)
    assert taken.slowest_s < MAX_BEAT_S
    assert memory(attacked.process.pid) - before < MAX_GROWTH
    asserts_healthy(attacked)


def test_slow_rules_close_structured_output_to_nobody(attacked: Server, is_whole: bool) -> None:
    before = memory(attacked.process.pid)
    hostile = [openai(("grammar", slow_rules(n))) for n in range(12 if is_whole else 3)]
    connections = [connect(attacked.url, 120.0) for _ in hostile]
    with pulse(attacked.url) as taken:
        for connection, raw in zip(connections, hostile, strict=True):
            connection.sendall(raw)
        wait_until(lambda: len(compiling(attacked.process.pid)) >= 2)
        answer = exchange(attacked.url, request_bytes("/generate", {"inputs": "Hello"}))
        assert answer.status == 200
        answer = exchange(attacked.url, tgi(("regex", "[0-9]{3}x")), 60.0)
        assert answer.status == 200  # short sources have places of their own
        if is_whole:
            answers = [read_answer(connection) for connection in connections]
            assert {answer.status for answer in answers} <= {400, 422, 429, 503}
            assert any("takes longer" in answer.body.decode() for answer in answers)
        for connection in connections:
            connection.close()  # who has gone is not compiled for
        wait_until(lambda: not compiling(attacked.process.pid))
    assert taken.slowest_s < MAX_BEAT_S
    assert memory(attacked.process.pid) - before < MAX_GROWTH
    asserts_healthy(attacked)


def test_a_server_ends_in_time_while_hostile_grammars_compile_and_run() -> None:
    grace_s = 2
    with running_server(*LIMITS, "--graceful-termination-timeout", str(grace_s)) as server:
        hostile = [
            openai(("grammar", slow_rules(0))),
            openai(("grammar", slow_rules(1))),
            openai(("grammar", DOUBLING)),
        ]
        connections = [connect(server.url) for _ in hostile]
        for connection, raw in zip(connections, hostile, strict=True):
            connection.sendall(raw)
        wait_until(lambda: len(compiling(server.process.pid)) >= 2)
        left = [*children(server.process.pid), *compiling(server.process.pid)]
        started = time.monotonic()
        server.process.terminate()
        server.process.wait(grace_s + 30)
        assert time.monotonic() - started < grace_s + MAX_EXIT_S + SLACK_S
        for connection in connections:
            connection.close()
    wait_until(lambda: not any(map(is_alive, left)))


def _statuses(answers: list[Answer]) -> str:
    return json.dumps([(answer.status, answer.body.decode()[:200]) for answer in answers])
