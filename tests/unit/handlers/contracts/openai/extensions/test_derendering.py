"""Tokens of the token API become what a chat or a completion answers with the same tokens."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from msgspec.structs import replace

from engine.port.events import TokenEvent, TokenLogprob
from engine.port.request import GenerationRequest
from tests.support.scripted.engine import Script, ScriptedEngine, says
from tests.support.scripted.media_processor import seeing_engine
from tests.unit.handlers.chat.models import THINKING_TEMPLATE, chat_tokenizer
from tests.unit.handlers.contracts.openai.api import CALL, CHAT, COMPLETIONS, MODEL, TOOL, Api, chat, spells
from tests.unit.verbatim_kit.runtime.client import events

GENERATE = "/inference/v1/generate"
THINKS = "<think>\nA Möwe.\n</think>\n\n"


def ids(text: str) -> list[int]:
    return chat_tokenizer().encode(text, add_special_tokens=False)


def scored(text: str) -> Script:
    """Return what `spells` does, each token with likelier and unlikelier ones as the engine lists them."""
    script = spells(text)

    def with_others(request: GenerationRequest) -> Iterator[TokenEvent]:
        for event in script(request):
            assert isinstance(event, TokenEvent)
            own = TokenLogprob(event.token_id, "", -0.5, False)
            ranked = (own, TokenLogprob(7, "", -1.5, False), TokenLogprob(8, "", -2.5, False))
            yield replace(event, top_logprobs=ranked[: request.sampling.num_logprobs or 0])

    return with_others


def whole(*texts: str, finish: str = "stop", **fields: Any) -> dict[str, Any]:
    choices = [
        {"index": index, "token_ids": ids(text), "finish_reason": finish, **fields}
        for index, text in enumerate(texts)
    ]
    return {"request_id": "chatcmpl-1", "choices": choices}


async def generated(api: Api, rendered: object) -> Any:
    """Return the answer of the token API, of a stream as a list of its events."""
    answer = await api.post(GENERATE, rendered)
    assert answer.status_code == 200, answer.text
    if not answer.headers["content-type"].startswith("text/event-stream"):
        return answer.json()
    *found, done = events(answer)
    assert done == "[DONE]"
    return [orjson.loads(event) for event in found]


def without_ids(answer: Any) -> Any:
    """Return an answer without what is drawn anew for each."""
    answer = orjson.loads(orjson.dumps(answer))
    answer["id"] = answer["created"] = None
    for choice in answer["choices"]:
        for call in (choice.get("message") or choice.get("delta") or {}).get("tool_calls", ()):
            call.pop("id", None)
    return answer


BODIES = {
    "a text": (THINKS + "Grüße!", {}),
    "two": ("Hi", {"n": 2}),
    "log-probabilities": (THINKS + "Grüße!", {"logprobs": True, "top_logprobs": 2}),
    "ids": ("Hi", {"return_token_ids": True, "service_tier": "auto"}),
    "no thoughts": (THINKS + "Hi", {"include_reasoning": False, "logprobs": True}),
    "thoughts in the content": (THINKS + "Hi", {"separate_reasoning": False}),
    "calls": (f"Well: {CALL}\n{CALL}", {"tools": [TOOL]}),
    "a call with log-probabilities": (CALL, {"tools": [TOOL], "tool_choice": "required", "logprobs": True}),
    "an older function": (CALL, {"functions": [TOOL["function"]]}),
    "a custom tool": (
        '<tool_call>\n{"name": "run", "arguments": {"input": "ls"}}\n</tool_call>',
        {"tools": [{"type": "custom", "custom": {"name": "run"}}]},
    ),
}


@pytest.mark.parametrize(("text", "fields"), BODIES.values(), ids=BODIES)
async def test_a_whole_answer_is_the_chats_own(text: str, fields: dict[str, Any]) -> None:
    api, body = Api(scored(text)), chat(**fields)
    expected = await api.answer(CHAT, body)
    response = await generated(api, await api.answer(f"{CHAT}/render", body))
    written = await api.answer(f"{CHAT}/derender", {"generate_response": response, "chat_request": body})
    assert written["id"] == response["request_id"]
    assert without_ids(written) == without_ids(expected)


@pytest.mark.parametrize(("text", "fields"), BODIES.values(), ids=BODIES)
async def test_the_events_of_a_stream_become_the_chats_own_chunks(text: str, fields: dict[str, Any]) -> None:
    api, body = Api(scored(text)), chat(**{**fields, "stream": True, "n": 1})
    body["stream_options"] = {"include_usage": True}
    expected = await api.chunks(CHAT, body)
    state, chunks = None, []
    for event in await generated(api, await api.answer(f"{CHAT}/render", body)):
        request = {"stream": True, "generate_chunk": event, "stream_state": state, "chat_request": body}
        answer = await api.answer(f"{CHAT}/derender", request)
        chunks.append(answer["chunk"])
        state = answer["stream_state"]
    shown = [chunk for chunk in chunks if chunk["usage"] or _adds(chunk["choices"][0])]
    counts, expected_counts = shown.pop()["usage"], expected.pop()["usage"]
    for field in ("prompt_tokens", "completion_tokens", "total_tokens"):
        assert counts[field] == expected_counts[field]
    assert list(map(without_ids, shown)) == list(map(without_ids, expected))
    assert state is not None and state["held_logprobs"] == []


def _adds(choice: dict[str, Any]) -> bool:
    return bool(choice["delta"] or choice["finish_reason"] or choice.get("token_ids"))


async def test_several_tokens_of_one_event_are_one_chunk_and_calls_keep_their_ids() -> None:
    api, body = Api(says("x")), chat(tools=[TOOL])
    token_ids = ids(f"Well: {CALL}\n{CALL}")
    state: Any = None
    calls, content = dict[int, dict[str, str]](), ""
    for start in range(0, len(token_ids), 7):
        some = token_ids[start : start + 7]
        finish = "stop" if start + 7 >= len(token_ids) else None
        event = {"choices": [{"index": 3, "token_ids": some, "finish_reason": finish}]}
        request = {"stream": True, "generate_chunk": event, "stream_state": state, "chat_request": body}
        answer = await api.answer(f"{CHAT}/derender", request)
        (choice,), state = answer["chunk"]["choices"], answer["stream_state"]
        assert choice["index"] == 3
        content += choice["delta"].get("content") or ""
        for call in choice["delta"].get("tool_calls", ()):
            kept = calls.setdefault(call["index"], {"id": call.get("id"), "arguments": ""})
            assert call.get("id", kept["id"]) == kept["id"]
            kept["arguments"] += call["function"].get("arguments", "")
    assert choice["finish_reason"] == "tool_calls"
    assert content == "Well:"
    assert [orjson.loads(call["arguments"]) for call in calls.values()] == [{"a": 1}, {"a": 1}]
    assert state["last_tool_call_ids"] == [call["id"] for call in calls.values()]


@pytest.mark.parametrize(
    ("fields", "choice", "content", "reason"),
    [
        ({"stop": ["wor"]}, {"stop_reason": "wor"}, "Hello ", "wor"),
        ({"stop": ["wor"], "include_stop_str_in_output": True}, {}, "Hello wor", "wor"),
        ({"stop": ["Hell", "wor"]}, {}, "Hello ", "wor"),  # only the end of the tokens is an end
        ({"stop": ["wor"]}, {"finish_reason": "length"}, "Hello wor", None),
        ({}, {}, "Hello wor", None),
        ({"stop_token_ids": ids("r")}, {"stop_reason": ids("r")[0]}, "Hello wo", ids("r")[0]),
    ],
)
async def test_the_server_says_where_a_text_ends(
    fields: dict[str, Any], choice: dict[str, Any], content: str, reason: object
) -> None:
    request = {"generate_response": whole("Hello wor", **choice), "chat_request": chat(**fields)}
    (answer,) = (await Api(says("x")).answer(f"{CHAT}/derender", request))["choices"]
    assert (answer["message"]["content"], answer["stop_reason"]) == (content, reason)


async def test_a_stop_text_is_held_back_from_event_to_event() -> None:
    api, body = Api(says("x")), chat(stop=["wor"])
    state, content = None, ""
    for at, token_id in enumerate(ids("who wor")):
        finish = "stop" if at == 6 else None
        event = {"choices": [{"index": 0, "token_ids": [token_id], "finish_reason": finish}]}
        request = {"stream": True, "generate_chunk": event, "stream_state": state, "chat_request": body}
        answer = await api.answer(f"{CHAT}/derender", request)
        content += answer["chunk"]["choices"][0]["delta"].get("content") or ""
        state = answer["stream_state"]
    assert content == "who "


async def test_without_its_request_an_answer_is_all_content() -> None:
    api = Api(ScriptedEngine(says("x"), tokenizer=chat_tokenizer(None)))  # without a template
    top = [{"token_id": 72, "logprob": -0.5}, {"token_id": 73, "logprob": -2.0}]
    scores = {"content": [{"token_id": token, "logprob": -0.5, "top_logprobs": top} for token in ids("Hi!")]}
    response = whole("Hi!", logprobs=scores, stop_reason="i!")
    answer = await api.answer(f"{CHAT}/derender", {"generate_response": response, "prompt_tokens": 4})
    (choice,) = answer["choices"]
    assert choice["message"]["content"] == "H"
    assert [len(token["top_logprobs"]) for token in choice["logprobs"]["content"]] == [2]
    assert answer["usage"]["prompt_tokens"] == 4 and answer["usage"]["completion_tokens"] == 3
    event = {"choices": [{"index": 0, "token_ids": ids("Hi")}]}
    answer = await api.answer(f"{CHAT}/derender", {"stream": True, "generate_chunk": event})
    assert answer["chunk"]["choices"][0]["delta"] == {"role": "assistant", "content": "Hi"}


async def test_a_model_that_thinks_needs_the_request() -> None:
    api = Api(ScriptedEngine(says("x")), chat_template=THINKING_TEMPLATE)
    request: dict[str, Any] = {"generate_response": whole("A bird.</think>Hi")}
    status, error = await api.error(f"{CHAT}/derender", request)
    assert (status, error["param"]) == (400, "chat_request")
    answer = await api.answer(f"{CHAT}/derender", {**request, "chat_request": chat()})
    message = answer["choices"][0]["message"]
    assert (message["reasoning_content"], message["content"]) == ("A bird.", "Hi")


async def test_images_of_the_request_are_not_read() -> None:
    engine, media = seeing_engine(script=says("a"))
    content = [{"type": "image_url", "image_url": {"url": "https://images.example/cat.png"}}]
    body = {"model": MODEL, "messages": [{"role": "user", "content": content}]}
    request = {"generate_response": whole("A cat"), "chat_request": body}
    answer = await Api(engine).answer(f"{CHAT}/derender", request)
    assert answer["choices"][0]["message"]["content"] == "A cat"
    assert not media.items


COMPLETION_BODIES = {
    "one": {"prompt": "Hi"},
    "two of two prompts": {"prompt": ["Hi", "Ho"], "n": 2},
    "the better of two": {"prompt": "Hi", "best_of": 2},
    "log-probabilities": {"prompt": ["Hi", "Ho"], "logprobs": 2},
    "of the prompt": {"prompt": ["Hi", "Ho"], "prompt_logprobs": 0, "n": 2},
    "ids": {"prompt": [[72, 73]], "return_token_ids": True},
}


@pytest.mark.parametrize("fields", COMPLETION_BODIES.values(), ids=COMPLETION_BODIES)
async def test_whole_continuations_are_the_completions_own(fields: dict[str, Any]) -> None:
    api, body = Api(scored("Grüße!")), {"model": MODEL, **fields}
    expected = await api.answer(COMPLETIONS, body)
    responses = [await generated(api, one) for one in await api.answer(f"{COMPLETIONS}/render", body)]
    request = {"generate_responses": responses, "completion_request": body}
    written = await api.answer(f"{COMPLETIONS}/derender", request)
    assert written["id"] == responses[0]["request_id"]
    assert without_ids(written) == without_ids(expected)


@pytest.mark.parametrize("fields", [{}, {"logprobs": 1}, {"return_token_ids": True}])
async def test_events_become_the_completions_own_chunks(fields: dict[str, Any]) -> None:
    api = Api(scored("Grüße!"))
    body = {
        "model": MODEL,
        "prompt": "Hi",
        "stream": True,
        "stream_options": {"include_usage": True},
        **fields,
    }
    expected = await api.chunks(COMPLETIONS, body)
    (rendered,) = await api.answer(f"{COMPLETIONS}/render", body)
    state, chunks = None, []
    for event in await generated(api, rendered):
        request = {"stream": True, "generate_chunk": event, "stream_state": state, "completion_request": body}
        answer = await api.answer(f"{COMPLETIONS}/derender", request)
        chunks.append(answer["chunk"])
        state = answer["stream_state"]
    assert list(map(without_ids, chunks)) == list(map(without_ids, expected))


async def test_several_tokens_of_one_event_are_one_piece_of_text() -> None:
    api = Api(says("x"))
    body = {"model": MODEL, "prompt": ["Hi", "Good"], "return_token_ids": True, "logprobs": 0}
    scores = {"content": [{"token_id": token, "logprob": -0.5} for token in ids("day")]}
    event = {"choices": [{"index": 1, "token_ids": ids("day"), "logprobs": scores}]}
    request = {
        "stream": True,
        "generate_chunk": event,
        "completion_request": body,
        "prompt_token_ids": ids("od"),
    }
    answer = await api.answer(f"{COMPLETIONS}/derender", request)
    (choice,) = answer["chunk"]["choices"]
    assert (choice["index"], choice["text"], choice["token_ids"]) == (1, "day", ids("day"))
    assert choice["logprobs"]["tokens"] == ["d", "a", "y"]
    assert choice["logprobs"]["text_offset"] == [4, 5, 6]  # after "Good"


async def test_continuations_without_their_request_go_on_from_tokens() -> None:
    responses = [whole("Hi"), whole("Ho", finish="length")]
    request = {"generate_responses": responses, "prompt_token_ids": [ids("a"), None], "prompt_tokens": [1, 2]}
    answer = await Api(says("x")).answer(f"{COMPLETIONS}/derender", request)
    assert [(one["text"], one["finish_reason"]) for one in answer["choices"]] == [
        ("Hi", "stop"),
        ("Ho", "length"),
    ]
    assert answer["usage"]["prompt_tokens"] == 3


def _of_chat(**fields: Any) -> dict[str, Any]:
    return {"generate_response": whole("Hi"), "chat_request": chat(), **fields}


def _choice(**fields: Any) -> dict[str, Any]:
    return _of_chat(generate_response=whole("Hi", **fields))


def _event(state: object = None, **fields: Any) -> dict[str, Any]:
    event = {"choices": [{"index": 0, "token_ids": ids("Hi"), **fields}]}
    return {"stream": True, "generate_chunk": event, "chat_request": chat(), "stream_state": state}


def _state(*token_ids: int, **fields: Any) -> dict[str, Any]:
    return {"output_token_ids": [*token_ids], "held_logprobs": [], "last_tool_call_ids": [], **fields}


SCORED = {"content": [{"token_id": 1, "logprob": -1}, {"token_id": 2, "logprob": -1}]}
RESPONSE = "generate_response"
CHOICE = f"{RESPONSE}.choices[0]"
EVENT = "generate_chunk.choices[0]"
REFUSALS: list[tuple[dict[str, Any], str]] = [
    ({}, RESPONSE),
    ({"stream": True}, "generate_chunk"),
    (_of_chat(stream_state=_state()), "stream_state"),
    ({**_event(), RESPONSE: whole("Hi")}, RESPONSE),
    (_of_chat(prompt_token_ids=[10**6]), "prompt_token_ids[0]"),
    (_of_chat(chat_request=chat(typical_p=0.5)), "chat_request.typical_p"),
    (_of_chat(chat_request=chat(timings_per_token=True)), "chat_request.timings_per_token"),
    (_of_chat(chat_request={"model": MODEL, "messages": []}), "chat_request.messages"),
    (_of_chat(chat_request=chat(temprature=0)), "chat_request.temprature"),
    (_of_chat(chat_request=chat(logprobs=True)), f"{CHOICE}.logprobs"),
    (_of_chat(chat_request=chat(prompt_logprobs=0)), f"{RESPONSE}.prompt_logprobs"),
    (_choice(token_ids=[]), f"{CHOICE}.token_ids"),
    (_choice(token_ids=[5, 10**6]), f"{CHOICE}.token_ids[1]"),
    (_choice(token_ids=[5] * 10_000), f"{CHOICE}.token_ids"),
    (_choice(finish_reason=None), f"{CHOICE}.finish_reason"),
    (_choice(finish_reason="abort"), f"{CHOICE}.finish_reason"),
    (_choice(index=1), f"{RESPONSE}.choices"),
    (_of_chat(generate_response={**whole("Hi"), "output_mode": "text"}), f"{RESPONSE}.output_mode"),
    (
        _of_chat(chat_request=chat(logprobs=True), generate_response=whole("Hi", logprobs=SCORED)),
        f"{CHOICE}.logprobs.content",
    ),
    ({**_event(), "chat_request": chat(prompt_logprobs=0)}, "chat_request.prompt_logprobs"),
    (_event(token_ids=[], finish_reason="stop"), f"{EVENT}.token_ids"),
    (_event(_state(*[5] * 10_000)), f"{EVENT}.token_ids"),
    (_event(_state(10**6)), "stream_state.output_token_ids[0]"),
    (_event(_state(5, held_logprobs=SCORED["content"])), "stream_state.held_logprobs"),
    (_event(_state(5, prev_tokens=[])), "stream_state.prev_tokens"),
]


@pytest.mark.parametrize(("body", "field"), REFUSALS, ids=[field for _, field in REFUSALS])
async def test_what_is_no_answer_is_refused_by_its_field(body: dict[str, Any], field: str) -> None:
    api = Api(ScriptedEngine(says("x"), max_total_tokens=9_000))
    status, error = await api.error(f"{CHAT}/derender", body)
    assert (status, error["param"]) == (400, field), error["message"]


TWO = {"model": MODEL, "prompt": ["Hi", "Ho"]}
TEXT_EVENT = {"stream": True, "generate_chunk": {"choices": [{"index": 0, "token_ids": [5]}]}}
TEXT_REFUSALS: list[tuple[dict[str, Any], str]] = [
    ({}, "generate_responses"),
    ({"generate_responses": []}, "generate_responses"),
    ({"generate_responses": [whole("Hi")], "completion_request": TWO}, "generate_responses"),
    ({"generate_responses": [whole("Hi")], "prompt_tokens": 1}, "prompt_tokens"),
    ({"generate_responses": [whole("Hi")], "prompt_tokens": [1, 2]}, "prompt_tokens"),
    ({"generate_responses": [whole("Hi")], "prompt_token_ids": [1]}, "prompt_token_ids[0]"),
    ({"generate_responses": [whole("Hi")], "prompt_token_ids": [[1], [2]]}, "prompt_token_ids"),
    ({"generate_responses": [whole("Hi")], "prompt_token_ids": [[10**6]]}, "prompt_token_ids[0][0]"),
    (
        {"generate_responses": [whole("Hi")], "completion_request": {**TWO, "echo": True}},
        "completion_request.echo",
    ),
    (
        {
            "generate_responses": [whole("Hi"), whole("Ho")],
            "completion_request": {**TWO, "prompt_logprobs": 0},
        },
        "generate_responses[0].prompt_logprobs",
    ),
    ({**TEXT_EVENT, "prompt_tokens": [1]}, "prompt_tokens"),
    ({**TEXT_EVENT, "prompt_token_ids": [1, [1]]}, "prompt_token_ids[1]"),
    ({**TEXT_EVENT, "completion_request": TWO}, "prompt_token_ids"),
    ({**TEXT_EVENT, "completion_request": TWO, "prompt_token_ids": ids("x")}, "prompt_token_ids"),
    (
        {**TEXT_EVENT, "completion_request": {"model": MODEL, "prompt": "a", "best_of": 2}},
        "completion_request.best_of",
    ),
    ({"stream": True}, "generate_chunk"),
]


@pytest.mark.parametrize(("body", "field"), TEXT_REFUSALS, ids=[field for _, field in TEXT_REFUSALS])
async def test_what_is_no_continuation_is_refused_by_its_field(body: dict[str, Any], field: str) -> None:
    status, error = await Api(says("x")).error(f"{COMPLETIONS}/derender", body)
    assert (status, error["param"]) == (400, field), error["message"]


@pytest.mark.parametrize("path", [CHAT, COMPLETIONS])
async def test_another_model_is_not_found(path: str) -> None:
    field = "generate_response" if path == CHAT else "generate_responses"
    response: object = whole("Hi") if path == CHAT else [whole("Hi")]
    answer = await Api(says("x")).post(f"{path}/derender", {"model": "other", field: response})
    assert answer.status_code == 404
