"""A response's output: the same items, told step by step or whole."""

from collections.abc import Sequence
from typing import Any

import hypothesis.strategies as st
import orjson
from hypothesis import given
from pydantic import TypeAdapter

from engine.port.events import TokenEvent
from generated.openai import models as m
from handlers.chat.delta import ChatDelta, ChatFinish, ToolCallDelta
from handlers.contracts.openai.responses.answer.events import ResponseEvents
from handlers.contracts.openai.responses.answer.output import ResponseOutput

EVENT: TypeAdapter[Any] = TypeAdapter(m.ResponseStreamEvent)
REASONING, WORD = ChatDelta(index=0, reasoning="Hm"), ChatDelta(index=0, content="Hi")
END = ChatDelta(index=0, finish=ChatFinish.STOP)


def calls(index: int, arguments: str = "", *, name: str | None = None) -> ChatDelta:
    id = None if name is None else f"call_{index}"
    return ChatDelta(index=0, tool_calls=(ToolCallDelta(index=index, id=id, name=name, arguments=arguments),))


def told(output: ResponseOutput, *deltas: ChatDelta) -> list[Any]:
    """The events as JSON, their numbers checked."""
    events = ResponseEvents()
    texts = [
        EVENT.dump_json(event) if not isinstance(event, bytes) else event
        for delta in deltas
        for event in events.write(output.feed(delta))
    ]
    found = [orjson.loads(text) for text in texts]
    assert [event["sequence_number"] for event in found] == list(range(len(found)))
    return found


def items(output: ResponseOutput) -> list[dict[str, Any]]:
    return [item.model_dump() for item in output.wire()]


def test_a_text_is_told_from_its_item_to_its_part_to_its_pieces_and_back() -> None:
    output = ResponseOutput(None)
    kinds = [event["type"] for event in told(output, WORD, WORD, END)]
    assert kinds == [
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
    ]


def test_items_stand_in_the_order_in_which_the_model_wrote_them() -> None:
    output = ResponseOutput(None)
    deltas = (
        REASONING,
        WORD,
        calls(0, "{", name="add"),
        calls(0, "}"),
        calls(1, "{}", name="sub"),
        WORD,
        END,
    )
    added = [event for event in told(output, *deltas) if event["type"] == "response.output_item.added"]
    assert [item["type"] for item in items(output)] == [
        "reasoning",
        "message",
        "function_call",
        "function_call",
        "message",
    ]
    assert [event["output_index"] for event in added] == [0, 1, 2, 3, 4]
    assert [event["item"]["id"] for event in added] == [item["id"] for item in items(output)]
    assert [item["arguments"] for item in items(output)[2:4]] == ["{}", "{}"]


def test_an_item_is_told_without_content_until_it_is_whole() -> None:
    output = ResponseOutput(None)
    events = told(output, REASONING, calls(0, "{}", name="add"), END)
    added = [event["item"] for event in events if event["type"] == "response.output_item.added"]
    done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert [(item["status"], item.get("content"), item.get("arguments")) for item in added] == [
        ("in_progress", [], None),
        ("in_progress", None, ""),
    ]
    assert done == items(output)
    assert {item["status"] for item in done} == {"completed"}


def test_a_bound_of_tokens_leaves_the_last_item_incomplete() -> None:
    output = ResponseOutput(None)
    told(output, REASONING, WORD, ChatDelta(index=0, finish=ChatFinish.LENGTH))
    assert output.is_cut
    assert [item["status"] for item in items(output)] == ["completed", "incomplete"]


def test_thoughts_that_are_cut_are_all_of_the_output() -> None:
    output = ResponseOutput(None)
    told(output, REASONING, ChatDelta(index=0, finish=ChatFinish.LENGTH))
    assert [item["type"] for item in items(output)] == ["reasoning"]


def test_an_answer_of_nothing_is_an_empty_message() -> None:
    for before in ((), (REASONING,)):
        output = ResponseOutput(None)
        told(output, *before, END)
        assert items(output)[-1]["content"] == [
            {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        ]


def test_an_answer_that_is_cut_before_anything_can_be_told_is_an_empty_message() -> None:
    output = ResponseOutput(None)
    told(output, ChatDelta(index=0, finish=ChatFinish.LENGTH))
    (item,) = items(output)
    assert (item["type"], item["status"], item["content"][0]["text"]) == ("message", "incomplete", "")


def test_a_call_is_an_answer_by_itself() -> None:
    output = ResponseOutput(None)
    told(output, calls(0, "{}", name="add"), END)
    assert [item["type"] for item in items(output)] == ["function_call"]


def test_what_breaks_off_stays_incomplete() -> None:
    output = ResponseOutput(None)
    told(output, WORD)
    output.break_off()
    (item,) = items(output)
    assert (item["status"], item["content"][0]["text"]) == ("incomplete", "Hi")


def test_log_probabilities_come_with_the_pieces_of_a_message_and_with_all_of_it() -> None:
    def logprobs(events: Sequence[TokenEvent]) -> list[m.ResponseLogprob]:
        return [m.ResponseLogprob(token="Hi", bytes=[72, 105], logprob=-0.5, top_logprobs=[])]

    output = ResponseOutput(logprobs)
    events = told(output, WORD, WORD, END)
    deltas = [event["logprobs"] for event in events if event["type"] == "response.output_text.delta"]
    (done,) = [event["logprobs"] for event in events if event["type"] == "response.output_text.done"]
    assert deltas[0] + deltas[1] == done == items(output)[0]["content"][0]["logprobs"]
    assert len(done) == 2


def pieces() -> st.SearchStrategy[list[ChatDelta]]:
    """An answer in deltas: thoughts, texts and calls in any order."""
    text = st.text(min_size=1, max_size=5)

    @st.composite
    def answer(draw: st.DrawFn) -> list[ChatDelta]:
        deltas, num_calls = [], 0
        for kind in draw(st.lists(st.sampled_from(["thought", "text", "call", "more"]), max_size=8)):
            if kind == "thought":
                deltas.append(ChatDelta(index=0, reasoning=draw(text)))
            elif kind == "text":
                deltas.append(ChatDelta(index=0, content=draw(text)))
            elif kind == "call":
                deltas.append(calls(num_calls, draw(st.text(max_size=3)), name="f"))
                num_calls += 1
            elif deltas and deltas[-1].tool_calls:
                deltas.append(calls(num_calls - 1, draw(text)))
        finish = draw(st.sampled_from([ChatFinish.STOP, ChatFinish.LENGTH]))
        return [*deltas, ChatDelta(index=0, finish=finish)]

    return answer()


@given(pieces())
def test_pieces_of_each_item_joined_are_the_item(deltas: list[ChatDelta]) -> None:
    output = ResponseOutput(None)
    gained: dict[str, str] = {}
    ids = []
    for event in told(output, *deltas):
        if event["type"] == "response.output_item.added":
            ids.append(event["item"]["id"])
        elif event["type"].endswith(".delta"):
            assert ids[event["output_index"]] == event["item_id"]
            assert event.get("content_index", 0) == 0
            gained[event["item_id"]] = gained.get(event["item_id"], "") + event["delta"]
    for item in items(output):
        text = item["arguments"] if item["type"] == "function_call" else item["content"][0]["text"]
        assert gained.get(item["id"], "") == text


@given(pieces())
def test_a_piece_is_written_as_its_model_writes_it(deltas: list[ChatDelta]) -> None:
    events, output = ResponseEvents(), ResponseOutput(None)
    written = [event for delta in deltas for event in events.write(output.feed(delta))]
    for text in (event for event in written if isinstance(event, bytes)):
        assert EVENT.dump_json(EVENT.validate_json(text)) == text
