"""Compactions by the model, the items that they come to, and items that would steer later answers."""

from typing import Any

import pytest

from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.openai.responses.test_memory import PATH, TOOL, Responses

COMPACT = f"{PATH}/compact"
ITEMS: list[dict[str, Any]] = [
    {"role": "developer", "content": "Be short."},
    {"role": "user", "content": "One"},
    {"role": "assistant", "content": "Uno"},
    {"type": "function_call", "call_id": "c", "name": "add", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": "42"},
    {"role": "user", "content": "Two"},
]


async def test_the_model_reads_all_and_what_it_writes_stands_for_it() -> None:
    api = Responses(says("Counting."))
    compacted = await api.answer(
        COMPACT, {"model": "verbatim-demo", "input": ITEMS, "instructions": "Be kind."}
    )
    prompt = api.last_prompt()
    assert all(text in prompt for text in ("Be kind.", "Be short.", "One", "Uno", "42", "Two", "Summarize"))
    assert compacted["object"] == "response.compaction" and compacted["usage"]["output_tokens"] == 2
    *users, item = compacted["output"]
    assert [each["content"] for each in users] == [
        [{"type": "input_text", "text": text}] for text in ("One", "Two")
    ]
    assert item["type"] == "compaction" and item["encrypted_content"].startswith("verbatim.")
    await api.create([*compacted["output"], {"role": "user", "content": "Three"}])
    short = api.last_prompt()
    assert all(text in short for text in ("One", "Two", "Counting.", "Three"))
    assert short.index("Two") < short.index("Counting.") < short.index("Three")
    await api.create([*ITEMS, item, {"role": "user", "content": "Three"}])
    same = api.last_prompt()
    assert "Uno" not in same and "42" not in same and "Be short." in same and "Counting." in same


async def test_a_stored_conversation_is_compacted_and_goes_on() -> None:
    api = Responses(says("Hello"))
    first = await api.create("One", instructions="Be short.")
    body = {"model": "verbatim-demo", "previous_response_id": first["id"]}
    compacted = await api.answer(COMPACT, body)
    assert [each["type"] for each in compacted["output"]] == ["message", "compaction"]
    assert (await api.find(compacted["id"])).status_code == 404
    more = await api.create(compacted["output"])
    going_on = await api.create("Two", previous_response_id=more["id"])
    assert going_on["status"] == "completed" and "Summary" in api.last_prompt()
    listed = await api.found(f"{going_on['id']}/input_items?order=asc")
    assert listed["data"][1] == compacted["output"][1]


async def test_a_summary_is_kept_where_an_input_is_cut() -> None:
    api = Responses(says("Hello"))
    compacted = await api.answer(COMPACT, {"model": "verbatim-demo", "input": "One"})
    long = {"role": "assistant", "content": "word " * 30}
    items = [compacted["output"][-1], long, {"role": "user", "content": "Two"}]
    await api.create(items, truncation="auto", max_output_tokens=100)
    assert "Hello" in api.last_prompt() and "word" not in api.last_prompt()


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({}, (400, "missing_required_parameter", "input")),
        ({"input": []}, (400, "array_below_min_length", "input")),
        ({"input": "Hi", "store": True}, (400, "unknown_parameter", "store")),
        ({"input": "Hi", "model": "other"}, (404, "model_not_found", "model")),
        (
            {"previous_response_id": "resp_0"},
            (400, "previous_response_not_found", "previous_response_id"),
        ),
    ],
)
async def test_what_cannot_be_compacted_is_refused(body: dict[str, Any], refusal: tuple[Any, ...]) -> None:
    assert await Responses(says("a")).refusal(COMPACT, {"model": "verbatim-demo", **body}) == refusal


async def test_a_model_that_writes_no_summary_loses_nothing_in_silence() -> None:
    status, error = await Responses(says("")).error(COMPACT, {"model": "verbatim-demo", "input": "Hi"})
    assert (status, error["type"]) == (500, "server_error")


@pytest.mark.parametrize("content", ["gAAAA", "verbatim.%", "verbatim._w=="])
async def test_a_compaction_of_another_server_is_refused(content: str) -> None:
    item = {"type": "compaction", "encrypted_content": content}
    refusal = await Responses(says("a")).refused(input=[item, {"role": "user", "content": "Hi"}])
    assert refusal == (400, "unsupported_value", "input[0].encrypted_content")


@pytest.mark.parametrize(
    "item",
    [
        {"type": "compaction_trigger"},
        {"type": "configuration_update", "reasoning": {"effort": "high"}},
        {"type": "configuration_update", "text": {"format": {"type": "text"}}},
    ],
)
async def test_an_item_that_would_change_answers_is_refused_by_name(item: dict[str, Any]) -> None:
    refusal = await Responses(says("a")).refused(input=[{"role": "user", "content": "Hi"}, item])
    assert refusal == (400, "unsupported_value", "input[1].type")


async def test_what_changes_nothing_is_taken() -> None:
    api = Responses(says("Hello"))
    plain = [{"role": "user", "content": "Hi"}]
    call = {"type": "function_call", "call_id": "c", "name": "add", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "c", "output": "1"}
    await api.create([*plain, call, result], tools=[TOOL])
    expected = api.last_prompt()
    caller = {"caller": {"type": "program", "caller_id": "p"}}
    program = {"type": "program", "id": "pg", "call_id": "p", "code": "add()", "fingerprint": "f"}
    output = {"type": "program_output", "id": "po", "call_id": "p", "result": "1", "status": "completed"}
    update = {"type": "configuration_update", "reasoning": {"effort": None}, "text": None}
    items = [update, *plain, program, {**call, "async": True, **caller}, {**result, **caller}, output]
    await api.create(items, tools=[{**TOOL, "async": True}])
    assert api.last_prompt() == expected
