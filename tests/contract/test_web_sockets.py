"""Operations that take messages of WebSockets answer each as the document says, valid or not."""

import json
import os
from collections.abc import Iterator
from threading import Thread
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.sync.server import ServerConnection, serve

from handlers.commands.conform.contracts import contract_named
from handlers.commands.conform.models import names_of
from handlers.composition import TABLES
from handlers.shared_settings.shared_settings import EMBEDDED_MODEL
from tests.contract.requests.boundaries import ONE_IN, chosen_rows
from verbatim_kit.conform.bounds.boundaries import Row
from verbatim_kit.conform.bounds.verdicts import deviation
from verbatim_kit.conform.checks.web_sockets import SocketClient, message_faults, web_socket_faults
from verbatim_kit.conform.client import Client
from verbatim_kit.conform.document import Endpoint, endpoints
from verbatim_kit.conform.request import Request
from verbatim_kit.conform.target import Target

NUM_EXAMPLES: Final = 10 * int(os.environ.get("VERBATIM_FUZZ_EXAMPLES", "5"))
CONTRACTS: Final = [
    name for name, table in TABLES.items() if any(operation.web_socket for operation in table)
]
JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(params=CONTRACTS)
def asked(request: pytest.FixtureRequest, server_url: str) -> Iterator[tuple[Target, Endpoint, SocketClient]]:
    """A contract's only operation that takes messages, and a client of it."""
    client = Client(f"{server_url}/{request.param}", {}, timeout_s=100)
    target = Target(contract_named(request.param), client, names_of(EMBEDDED_MODEL))
    (endpoint,) = (one for one in endpoints(target.document) if one.takes_messages)
    with SocketClient(target, endpoint, 100) as socket:
        yield target, endpoint, socket
    client.close()


@pytest.mark.timeout(300)
def test_examples_are_answered_and_what_is_no_message_is_refused(
    asked: tuple[Target, Endpoint, SocketClient],
) -> None:
    target, endpoint, _ = asked
    found = list(web_socket_faults(target, endpoint, 100))
    assert sum(number for number, _ in found) > 10
    assert [fault.instance.message for _, faults in found for fault in faults] == []


@pytest.mark.timeout(600)
def test_what_the_document_bounds_is_bounded_in_messages(
    asked: tuple[Target, Endpoint, SocketClient],
) -> None:
    target, endpoint, socket = asked
    rows = [row for row in chosen_rows(target.contract.name, ONE_IN) if is_of_message(row, socket)]
    assert rows
    for row in rows:
        answer = socket.send(socket.message(row.request.body))
        assert deviation(row, answer) is None, f"{row.name}: {deviation(row, answer)} {answer.text[:300]}"
        body = json.loads(socket.message(row.request.body))
        del body["type"]
        faults = message_faults(target, endpoint, socket, row.name, row.request._replace(body=body), answer)
        assert [fault.instance.message for fault in faults] == []


def is_of_message(row: Row, socket: SocketClient) -> bool:
    """Return whether a row's request can be a message, and is not about what no message has."""
    field = row.field.partition(".")[0]
    return isinstance(row.request.body, dict) and field not in {*socket.without, *socket.sets}


@pytest.mark.fuzz
@pytest.mark.timeout(1200)
def test_no_text_gets_an_answer_that_the_document_does_not_declare(
    asked: tuple[Target, Endpoint, SocketClient],
) -> None:
    target, endpoint, socket = asked
    example = dict(next(iter(endpoint.examples.values())))
    named = target.document["components"]["schemas"]["CreateResponseBody"]["properties"]
    members = st.sampled_from(sorted([*named, "type"]))
    changed = st.dictionaries(members, JSON, max_size=2).map(
        lambda changes: json.dumps({**json.loads(socket.message(example)), **changes})
    )

    @settings(max_examples=NUM_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.text() | JSON.map(json.dumps) | changed)
    def send(text: str) -> None:
        answer = socket.send(text)
        assert answer.status == 200 or answer.status in endpoint.statuses, (answer.status, text)
        assert answer.status < 500, (answer.text, text)
        if answer.status != 200:
            faults = list(
                socket.error_faults("random", Request("POST", endpoint.path, raw=text.encode()), answer)
            )
            assert [fault.instance.message for fault in faults] == []

    send()


def test_a_server_that_answers_otherwise_has_faults() -> None:
    """Its errors lack a member, and all its answers are errors."""

    def answer(connection: ServerConnection) -> None:
        for _ in connection:
            connection.send(json.dumps({"type": "error", "status": 400, "error": {"message": "No."}}))

    with serve(answer, "127.0.0.1", 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        client = Client(f"http://127.0.0.1:{server.socket.getsockname()[1]}", {}, timeout_s=10)
        target = Target(contract_named("open_responses"), client, names_of(EMBEDDED_MODEL))
        (endpoint,) = (one for one in endpoints(target.document) if one.takes_messages)
        found = [fault.kind for _, faults in web_socket_faults(target, endpoint, 10) for fault in faults]
        client.close()
        server.shutdown()
    assert {"The document's own example is refused", "The error over a WebSocket is not as declared"} == {
        *found
    }
