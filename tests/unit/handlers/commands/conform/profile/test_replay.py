"""Every fault that keeps a program from going on is found and named, and a good server has none."""

import json
from typing import Any, Final

import httpx
import pytest

from handlers.commands.conform.profile.replay import Replay
from handlers.commands.conform.profile.turn import Call, SentBody, Turn, turn_breaches
from tests.unit.handlers.commands.conform.profile.good_answers import (
    ALL,
    CHAT,
    COMPLETIONS,
    MESSAGES,
    RESPONSES,
    Api,
    Spoil,
)
from tests.unit.handlers.commands.conform.profile.scripted import (
    Json,
    ScriptedClient,
    kinds,
    program,
    results,
    stream,
    whole,
)
from verbatim_kit.conform.checks.checks import RunLimits
from verbatim_kit.conform.client import Answer, NoAnswer
from verbatim_kit.conform.request import Request


def found(api: Api, *, spoil: Spoil = lambda value: None, spoil_call: Spoil = lambda value: None) -> set[str]:
    tested = program(api.path, api.body, api.streamed)
    return kinds(results(tested, api.answers(spoil=spoil, spoil_call=spoil_call)))


@pytest.mark.parametrize("api", ALL, ids=lambda api: api.path)
def test_a_good_server_has_no_fault(api: Api) -> None:
    tested = program(api.path, api.body, api.streamed)
    all_results = results(tested, api.answers())
    assert kinds(all_results) == set()
    assert not any(result.note for result in all_results.values())
    assert all_results["offered"].num_requests == 1
    assert all_results["answers"].num_requests == all_results["streams"].num_requests == 1
    assert ("calls" in all_results) == ("tools" in api.body)


def drop(*place: Any) -> Spoil:
    """Takes a member away."""

    def spoil(value: Json) -> None:
        for step in place[:-1]:
            value = value[step]
        del value[place[-1]]

    return spoil


def put(*place_and_value: Any) -> Spoil:
    """Puts a value to a place."""
    *place, last, new = place_and_value

    def spoil(value: Json) -> None:
        for step in place:
            value = value[step]
        value[last] = new

    return spoil


def call_twice(value: Json) -> None:
    calls = value["choices"][0]["message"]["tool_calls"]
    calls.append(calls[0])


def only_whole(spoil: Spoil) -> Spoil:
    return lambda value: spoil(value) if isinstance(value, dict) else None


def only_stream(spoil: Spoil) -> Spoil:
    return lambda value: spoil(value) if isinstance(value, list) else None


CALL: Final = ("choices", 0, "message", "tool_calls", 0)
PIECE: Final = ("choices", 0, "delta", "tool_calls", 0)
START: Final = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
NO_CALL: Final = "A required tool call is missing"

WHOLE: Final = [
    (CHAT, put("choices", []), "choices does not match the schema of clients: minItems"),
    (
        CHAT,
        put("choices", 0, "message", "content", 3),
        "choices.message.content does not match the schema of clients: type",
    ),
    (
        CHAT,
        put("choices", 0, "finish_reason", None),
        "choices.finish_reason does not match the schema of clients: type",
    ),
    (CHAT, put("created", "now"), "created does not match the schema of clients: type"),
    (COMPLETIONS, drop("choices", 0, "text"), "choices does not match the schema of clients: required"),
    (
        MESSAGES,
        put("content", 0, "citations", None),
        "content.citations does not match the schema of clients: type",
    ),
    (MESSAGES, put("stop_reason", None), "stop_reason does not match the schema of clients: type"),
    (RESPONSES, drop("output", 0, "id"), "output does not match the schema of clients: required"),
    (RESPONSES, put("usage", None), "usage does not match the schema of clients: type"),
]
STREAMED: Final = [
    (CHAT, put(1, "id", "c2"), "The chunks of one answer have different ids"),
    (CHAT, put(3, "choices", 0, "finish_reason", None), "No chunk has a finish_reason"),
    (CHAT, put(2, {"error": {"message": "out of order"}}), "The stream ends with an error"),
    (CHAT, lambda events: events.clear(), "The stream has no events"),
    (
        CHAT,
        put(0, "choices", 0, "delta", "role", "user"),
        "choices.delta.role does not match the schema of clients: enum",
    ),
    (COMPLETIONS, put(1, "choices", 0, "finish_reason", None), "No chunk has a finish_reason"),
    (MESSAGES, drop(0), "The stream does not have exactly one message_start, at its start"),
    (MESSAGES, drop(6), "The stream does not have exactly one message_stop, at its stop"),
    (MESSAGES, drop(5), "No message_delta has a stop_reason"),
    (MESSAGES, drop(1), "A delta is for a block that is not open"),
    (MESSAGES, put(4, "index", 1), "A block stops that is not open"),
    (MESSAGES, drop(4), "A block does not stop"),
    (MESSAGES, put(2, START), "A block starts twice"),
    (MESSAGES, put(2, {"type": "error"}), "The stream ends with an error"),
    (RESPONSES, drop(0), "The stream does not begin with response.created"),
    (RESPONSES, drop(4), "The stream does not end with response.completed"),
    (RESPONSES, put(0, "response", "id", "r2"), "The events of one answer have different ids"),
    (RESPONSES, put(2, "item_id", "i2"), "A delta is for an item that has not begun"),
    (RESPONSES, put(3, "item", "id", "i2"), "The items that are done are not those that were added"),
    (
        RESPONSES,
        put(4, "response", "output", 0, "id", "i2"),
        "The final answer has other items than the stream",
    ),
    (RESPONSES, put(2, "delta", "Bye"), "The streamed text differs from that of the final answer"),
]
CALLS: Final = [
    (CHAT, only_whole(put(*CALL, "id", "")), "A call has no id"),
    (
        CHAT,
        only_whole(put("choices", 0, "finish_reason", "stop")),
        "The finish reason does not say that tools are called",
    ),
    (
        CHAT,
        only_whole(put(*CALL, "function", "name", "other")),
        "A forced call does not name a function of the request",
    ),
    (
        CHAT,
        only_whole(put(*CALL, "function", "arguments", "{")),
        "The arguments of a forced call are not a JSON object",
    ),
    (CHAT, only_whole(put("choices", 0, "message", "tool_calls", [])), NO_CALL),
    (CHAT, only_whole(call_twice), "Two calls have the same id"),
    (CHAT, only_stream(drop(0, *PIECE, "id")), "A call has no id"),
    (CHAT, only_stream(drop(0, *PIECE, "function", "name")), "A call has no name"),
    (
        CHAT,
        only_stream(drop(0, *PIECE, "type")),
        "The first chunk of a call does not have the type 'function'",
    ),
    (
        CHAT,
        only_stream(drop(1, *PIECE, "index")),
        "choices.delta.tool_calls does not match the schema of clients: required",
    ),
    (CHAT, only_stream(drop(1)), "The arguments of a forced call are not a JSON object"),
    (
        MESSAGES,
        only_whole(put("content", 0, "input", "{}")),
        "content.input does not match the schema of clients: type",
    ),
    (
        MESSAGES,
        only_stream(put(5, "delta", "stop_reason", "end_turn")),
        "The finish reason does not say that tools are called",
    ),
    (
        RESPONSES,
        only_whole(drop("output", 0, "call_id")),
        "output does not match the schema of clients: required",
    ),
    (
        RESPONSES,
        only_stream(put(3, "item", "arguments", None)),
        "item.arguments does not match the schema of clients: type",
    ),
]


@pytest.mark.parametrize(("api", "spoil", "kind"), WHOLE)
def test_a_fault_of_a_whole_answer_is_named(api: Api, spoil: Spoil, kind: str) -> None:
    assert kind in found(api, spoil=only_whole(spoil))


@pytest.mark.parametrize(("api", "spoil", "kind"), STREAMED)
def test_a_fault_of_a_stream_is_named(api: Api, spoil: Spoil, kind: str) -> None:
    assert kind in found(api, spoil=only_stream(spoil))


@pytest.mark.parametrize(("api", "spoil", "kind"), CALLS)
def test_a_fault_of_a_required_call_is_named(api: Api, spoil: Spoil, kind: str) -> None:
    assert kind in found(api, spoil_call=spoil)


def test_events_of_messages_without_names_are_not_read_by_anthropics_clients() -> None:
    reply = MESSAGES._replace(has_names=False).answers()
    assert "An event is not named after its type" in kinds(
        results(program(MESSAGES.path, MESSAGES.streamed), reply)
    )


def test_what_the_model_chooses_is_no_fault() -> None:
    """An answer that is cut calls nothing, and a free one may call what it likes with what it likes."""
    message = {"role": "assistant", "content": None}
    cut = {"index": 0, "message": message, "finish_reason": "length"}
    assert found(CHAT, spoil_call=only_whole(put("choices", [cut]))) == set()
    call = {"id": "t1", "type": "function", "function": {"name": "other", "arguments": "{"}}
    chosen = {"index": 0, "message": {**message, "tool_calls": [call]}, "finish_reason": "tool_calls"}
    assert found(CHAT, spoil=only_whole(put("choices", [chosen]))) == set()


@pytest.mark.parametrize(
    ("choice", "is_fault"),
    [({"type": "function", "function": {"name": "wet"}}, False), ("required", True), (None, True)],
)
def test_a_call_of_a_named_function_may_end_with_stop_as_openai_ends_it(choice: Json, is_fault: bool) -> None:
    turn = Turn("", (Call("t1", "wet", "{}"),), is_cut=False, says_calls=False)
    body = {"tools": [{"type": "function", "function": {"name": "wet"}}], "tool_choice": choice}
    kinds_found = [breach.kind for breach in turn_breaches(SentBody(body), turn)]
    assert kinds_found == ["The finish reason does not say that tools are called"] * is_fault


@pytest.mark.parametrize(
    ("text", "is_fault"), [('{"wet": true}', False), ("Yes.", True), ('{"wet": "yes"}', True)]
)
def test_an_object_that_was_asked_for_has_its_schema(text: str, is_fault: bool) -> None:
    schema = {"type": "object", "properties": {"wet": {"type": "boolean"}}, "required": ["wet"]}
    body = {
        "model": "any",
        "messages": [{"role": "user", "content": "Is water wet?"}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": schema}},
    }
    reply = CHAT.answers(spoil=put("choices", 0, "message", "content", text))
    expected = {"The text does not match the requested JSON Schema"} if is_fault else set()
    assert kinds(results(program(CHAT.path, body), reply)) == expected


def usage(*positions: int) -> Spoil:
    """Puts counts into these chunks."""

    def spoil(events: Json) -> None:
        for position in positions:
            events[position]["usage"] = {"prompt_tokens": 4, "completion_tokens": 8, "total_tokens": 12}

    return spoil


@pytest.mark.parametrize(
    ("options", "spoil", "expected"),
    [
        ({"include_usage": True}, usage(), {"No chunk has the usage that was asked for"}),
        ({"include_usage": True}, usage(1), set()),
        ({"continuous_usage_stats": True}, usage(1), {"Not every chunk has the usage that was asked for"}),
        ({"continuous_usage_stats": True}, usage(0, 1), set()),
    ],
)
def test_the_usage_of_a_stream_is_that_which_was_asked_for(
    options: Json, spoil: Spoil, expected: set[str]
) -> None:
    body = {**COMPLETIONS.streamed, "stream_options": options}
    assert (
        kinds(results(program(COMPLETIONS.path, body), COMPLETIONS.answers(spoil=only_stream(spoil))))
        == expected
    )


@pytest.mark.parametrize(("limit", "is_fault"), [(8, False), (9, True)])
def test_an_answer_without_end_has_the_length_that_was_asked_for(limit: int, is_fault: bool) -> None:
    body = {**COMPLETIONS.streamed, "max_tokens": limit, "ignore_eos": True}
    said = kinds(results(program(COMPLETIONS.path, body), COMPLETIONS.answers(spoil=only_stream(usage(1)))))
    assert said == ({"The answer does not have the requested length"} if is_fault else set())


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (whole({"error": "unknown field context_management"}, 400), "The request is refused"),
        (whole({"error": "out of order"}, 500), "The server failed"),
        (whole([]), "The answer is not a JSON object"),
    ],
)
def test_an_answer_that_is_none_is_a_fault(answer: Answer, kind: str) -> None:
    assert kinds(results(program(COMPLETIONS.path, COMPLETIONS.body), lambda request: answer)) == {kind}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (whole({}), "The answer is not the requested stream"),
        (stream([])._replace(body=b"data: {\n\n"), "The stream cannot be parsed"),
    ],
)
def test_a_stream_that_is_none_is_a_fault(answer: Answer, kind: str) -> None:
    assert kinds(results(program(COMPLETIONS.path, COMPLETIONS.streamed), lambda request: answer)) == {kind}


def test_a_connection_that_breaks_is_a_fault() -> None:
    def reply(request: Request) -> Answer:
        raise NoAnswer("ReadError")

    assert kinds(results(program(CHAT.path, CHAT.body), reply)) == {"The server gave no answer"}


def test_a_connection_that_breaks_once_is_none_since_clients_send_again() -> None:
    breaks = iter([False, True])

    def reply(request: Request) -> Answer:
        if next(breaks, False):
            raise NoAnswer("ReadError")
        answered: Answer = COMPLETIONS.answers()(request)
        return answered

    assert kinds(results(program(COMPLETIONS.path, COMPLETIONS.body), reply)) == set()


def test_no_request_is_sent_again_after_its_time() -> None:
    sent = []

    def reply(request: Request) -> Answer:
        sent.append(request)
        raise NoAnswer("ReadTimeout") from httpx.ReadTimeout("")

    assert kinds(results(program(COMPLETIONS.path, COMPLETIONS.body), reply)) == {"The server gave no answer"}
    assert [request.body for request in sent[1:]] == [{**COMPLETIONS.body, "model": "small"}]


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_path_that_is_not_there_is_no_fault(status: int) -> None:
    tested = program(CHAT.path, CHAT.body, CHAT.streamed)
    all_results = results(tested, lambda request: whole({"detail": "Not Found"}, status))
    assert set(all_results) == {"offered"}
    assert all_results["offered"].num_requests == 0
    assert all_results["offered"].note == "not offered: POST /v1/chat/completions"


def test_a_model_that_is_not_there_is_a_refusal_and_no_absent_path() -> None:
    def reply(request: Request) -> Answer:
        return whole({"error": "no such model"}, 404 if "model" in request.body else 400)

    assert kinds(results(program(CHAT.path, CHAT.body), reply)) == {"The request is refused"}


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 2048 tokens. However, you requested 5000 tokens",
        "the request exceeds the available context size, try increasing it",
        "prompt is too long: 5000 tokens > 2048 maximum",
    ],
)
def test_a_context_that_is_too_short_is_noted_and_no_fault(message: str) -> None:
    tested = program(CHAT.path, CHAT.body)
    all_results = results(tested, lambda request: whole({"error": {"message": message}}, 400))
    assert kinds(all_results) == set()
    assert all_results["answers"].num_requests == 0
    assert "too long for the model's context" in all_results["answers"].note


def test_a_request_that_is_refused_is_not_sent_again_with_a_required_tool() -> None:
    all_results = results(program(CHAT.path, CHAT.body), lambda request: whole({"error": "no"}, 400))
    assert set(all_results) == {"offered", "answers"}


def test_a_tool_that_cannot_be_required_is_noted_and_no_fault() -> None:
    def reply(request: Request) -> Answer:
        is_forced = request.body.get("tool_choice") == "required"
        answered: Answer = whole({"error": "auto only"}, 400) if is_forced else CHAT.answers()(request)
        return answered

    all_results = results(program(CHAT.path, CHAT.body), reply)
    assert kinds(all_results) == set()
    assert (
        all_results["calls"].note == 'skipped: a tool call cannot be required (400: {"error": "auto only"})'
    )


def test_requests_have_the_servers_model_and_few_tokens() -> None:
    client = ScriptedClient(MESSAGES.answers())
    body = {**MESSAGES.body, "thinking": {"type": "enabled", "budget_tokens": 1024}}
    list(Replay(client, "small", RunLimits(0, 10), lambda text: None).results([program(MESSAGES.path, body)]))
    client.close()
    sent = [request.body for request in client.sent if request.body]
    assert {one["model"] for one in sent} == {"small"}
    assert [(one["max_tokens"], one.get("thinking")) for one in sent[-2:]] == [
        (1024 + 128, body["thinking"]),
        (1024 + 128, None),
    ]


def test_nothing_is_sent_when_the_time_is_up() -> None:
    late = RunLimits(0, 10, deadline_s=0.0)
    all_results = results(program(CHAT.path, CHAT.body), CHAT.answers(), late)
    assert all_results["answers"].note == "skipped: the time limit was reached"
    assert all_results["answers"].num_requests == 0


def test_the_words_of_a_fault_say_what_was_sent_and_why_it_matters() -> None:
    all_results = results(program(CHAT.path, CHAT.body), CHAT.answers(spoil=put("choices", [])))
    [finding] = all_results["answers"].findings
    [instance] = finding.instances
    assert instance.label == "request 0"
    assert instance.expected == "Every client of this API reads it"
    assert instance.request.body["messages"] == CHAT.body["messages"]
    assert instance.answer is not None and json.loads(instance.answer.body)["choices"] == []
