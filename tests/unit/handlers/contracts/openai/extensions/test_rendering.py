"""Prompts as tokens, as routers and other front ends ask for them."""

from base64 import b64decode, b64encode
from typing import Any

import pytest

from engine.port.request import GrammarKind, MediaKind
from tests.support.scripted.engine import says
from tests.support.scripted.media_processor import png, seeing_engine
from tests.unit.handlers.contracts.openai.api import CHAT, COMPLETIONS, MODEL, TOOL, Api

HELLO: dict[str, Any] = {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}]}
TOKENIZE, DETOKENIZE = "/openai/tokenize", "/openai/detokenize"


async def test_a_rendered_chat_is_what_the_engine_would_be_asked() -> None:
    api = Api(says("a"))
    body = {
        **HELLO,
        "max_tokens": 7,
        "temperature": 0.5,
        "top_k": 4,
        "seed": -3,
        "stop": ["x"],
        "n": 2,
        "logit_bias": {"5": 1},
        "cache_salt": "mine",
        "request_id": "own",
        "tools": [TOOL],
        "tool_choice": "required",
    }
    rendered = (await api.post(f"{CHAT}/render", body)).json()
    await api.post(CHAT, body)
    (asked,) = api.engine.requests
    assert rendered["request_id"] == "chatcmpl-own"
    assert rendered["token_ids"] == [*asked.prompt.token_ids]
    assert (rendered["model"], rendered["cache_salt"], rendered["stream"]) == (MODEL, "mine", False)
    params = rendered["sampling_params"]
    assert (params["n"], params["max_tokens"], params["temperature"], params["top_k"]) == (2, 7, 0.5, 4)
    assert (params["seed"], params["stop"], params["logit_bias"]) == (-3, ["x"], {"5": 1.0})
    assert asked.sampling.grammar is not None
    assert asked.sampling.grammar.kind is GrammarKind.STRUCTURAL_TAG
    assert params["structured_outputs"] == {"structural_tag": asked.sampling.grammar.source}


async def test_a_rendered_chat_has_its_files() -> None:
    engine, media = seeing_engine(script=says("a"))
    url = f"data:image/png;base64,{b64encode(png()).decode()}"
    content = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "What is it?"}]
    body = {"model": MODEL, "messages": [{"role": "user", "content": content}]}
    rendered = (await Api(engine).post(f"{CHAT}/render", body)).json()
    (file,) = rendered["content_parts"]
    assert file["type"] == "image_url"
    assert b64decode(file["url"].partition(",")[2]) == png()
    assert rendered["token_ids"].count(media._token_ids[MediaKind.IMAGE]) == 1


async def test_a_rendered_response_is_what_the_engine_would_be_asked() -> None:
    api = Api(says("a"))
    tool = {"type": "function", "name": "add", "parameters": {"type": "object"}}
    body = {
        "model": MODEL,
        "input": "Hello",
        "max_output_tokens": 7,
        "seed": -3,
        "stop": ["x"],
        "tools": [tool],
    }
    rendered = (await api.post("/openai/v1/responses/render", body)).json()
    await api.post("/openai/v1/responses", body)
    (asked,) = api.engine.requests
    assert rendered["request_id"].startswith("resp_")
    assert rendered["token_ids"] == [*asked.prompt.token_ids]
    params = rendered["sampling_params"]
    assert (params["max_tokens"], params["seed"], params["stop"]) == (7, -3, ["x"])
    status, error = await api.error("/openai/v1/responses/render", {**body, "max_output_tokens": 10**6})
    assert (status, error["param"]) == (400, "input")


async def test_options_of_a_stream_are_rendered() -> None:
    api = Api(says("a"))
    for path, body in ((CHAT, HELLO), (COMPLETIONS, {"model": MODEL, "prompt": "a"})):
        options = {"include_usage": True, "include_obfuscation": False}
        found = (await api.post(f"{path}/render", {**body, "stream": True, "stream_options": options})).json()
        [rendered] = found if isinstance(found, list) else [found]
        assert rendered["stream_options"] == {"include_usage": True, "continuous_usage_stats": False}
        found = (await api.post(f"{path}/render", body)).json()
        [rendered] = found if isinstance(found, list) else [found]
        assert rendered["stream_options"] is None


async def test_each_prompt_is_rendered() -> None:
    api = Api(says("a"))
    body = {"model": MODEL, "prompt": ["Hello", "Good morning"], "request_id": "own", "stream": True}
    rendered = (await api.post(f"{COMPLETIONS}/render", body)).json()
    assert [one["request_id"] for one in rendered] == ["cmpl-own-0", "cmpl-own-1"]
    encode = api.engine.tokenizer.encode
    assert [one["token_ids"] for one in rendered] == [encode("Hello"), encode("Good morning")]
    assert [one["sampling_params"]["max_tokens"] for one in rendered] == [16, 16]
    assert [one["stream"] for one in rendered] == [True, True]
    assert not api.engine.requests


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        (f"{CHAT}/render", {**HELLO, "use_beam_search": True, "n": 2, "temperature": 0}, "use_beam_search"),
        (f"{CHAT}/render", {**HELLO, "typical_p": 0.5}, "typical_p"),
        (f"{CHAT}/render", {**HELLO, "max_tokens": 10**6}, "messages"),
        (f"{CHAT}/render", {**HELLO, "messages": []}, "messages"),
        (f"{COMPLETIONS}/render", {"model": MODEL, "prompt": "a", "echo": True}, "echo"),
        (f"{COMPLETIONS}/render", {"model": MODEL, "prompt": "a", "max_tokens": 10**6}, "prompt"),
        (f"{COMPLETIONS}/render", {"model": MODEL, "prompt": [[10**6]]}, "prompt[0][0]"),
        (TOKENIZE, {}, "prompt"),
        (TOKENIZE, {"prompt": "a", "messages": HELLO["messages"]}, "messages"),
        (TOKENIZE, {"prompt": "a", "tools": [TOOL]}, "tools"),
        (TOKENIZE, {"prompt": "a", "inputs": "a"}, "inputs"),
        (
            TOKENIZE,
            {"messages": [{"role": "tool", "tool_call_id": "1", "content": ""}]},
            "messages[0].tool_call_id",
        ),
        (DETOKENIZE, {"tokens": [5, 10**6]}, "tokens[1]"),
        (DETOKENIZE, {"tokens": [-1]}, "tokens[0]"),
        (DETOKENIZE, {}, "tokens"),
    ],
)
async def test_what_cannot_be_is_refused_by_its_field(path: str, body: dict[str, Any], field: str) -> None:
    answer = await Api(says("a")).post(path, body)
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == field


@pytest.mark.parametrize("path", [TOKENIZE, DETOKENIZE])
async def test_another_model_is_not_found(path: str) -> None:
    body: dict[str, Any] = {"prompt": "a"} if path == TOKENIZE else {"tokens": [1]}
    assert (await Api(says("a")).post(path, {**body, "model": "other"})).status_code == 404


async def test_tokens_of_a_text_and_back() -> None:
    api = Api(says("a"))
    encode = api.engine.tokenizer.encode
    told = (await api.post(TOKENIZE, {"prompt": "Good morning", "return_token_strs": True})).json()
    assert told["tokens"] == encode("Good morning") and told["count"] == len(told["tokens"])
    assert told["max_model_len"] == api.engine.model_info.max_total_tokens
    assert len(told["token_strs"]) == told["count"]
    text = (await api.post(DETOKENIZE, {"model": MODEL, "tokens": told["tokens"]})).json()
    assert text == {"prompt": "Good morning"}
    bare = (await api.post(TOKENIZE, {"prompt": "Good", "add_special_tokens": False})).json()
    assert bare["tokens"] == encode("Good", add_special_tokens=False) and bare["token_strs"] is None


async def test_tokens_of_a_conversation_are_those_of_a_chat() -> None:
    api = Api(says("a"))
    for options in ({}, {"add_generation_prompt": False}, {"tools": [TOOL]}):
        told = (await api.post(TOKENIZE, {"messages": HELLO["messages"], **options})).json()
        rendered = (await api.post(f"{CHAT}/render", {**HELLO, **options})).json()
        assert told["tokens"] == rendered["token_ids"]


async def test_at_the_root_the_paths_are_vllms_only_where_no_other_contract_has_them() -> None:
    both = await Api(says("a")).post("/tokenize", {"inputs": "a"})
    assert both.status_code == 200 and isinstance(both.json(), list)  # TGI's
    alone = Api(says("a"), root=("openai",))
    assert (await alone.post("/tokenize", {"prompt": "a"})).json()["count"] == 1
    assert (await alone.post("/detokenize", {"tokens": [5]})).status_code == 200
