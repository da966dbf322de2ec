"""Our operations that write prompts as tokens, beside a real vLLM's: forms, tokens, options and errors."""

import json
from collections.abc import AsyncIterator, Mapping
from itertools import product
from typing import Any, Final, NamedTuple

import httpx
import pytest
import pytest_asyncio
from starlette.types import ASGIApp

from generated.tokens import models as m
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.tiny_models.long_demo import CONTEXT
from tests.support.token_servers.real_server import Engines
from tests.unit.verbatim_kit.runtime.client import send

pytestmark = pytest.mark.timeout(900)

TOKENIZE, DETOKENIZE = "/tokenize", "/detokenize"
CHAT, COMPLETION = "/v1/chat/completions/render", "/v1/completions/render"
GENERATE: Final = "/inference/v1/generate"

Body = dict[str, Any]

HELLO: Final = [{"role": "user", "content": "Hello"}]
TURNS: Final = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello!"},
    {"role": "user", "content": [{"type": "text", "text": "What is"}, {"type": "text", "text": "2+2?"}]},
]
OPEN: Final = [*HELLO, {"role": "assistant", "content": "I am"}]
TOOL: Final = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
BARE_TOOL: Final = {"type": "function", "function": {"name": "now"}}
CALL: Final = {
    "id": "c1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
}
CALLS: Final = [
    {"role": "user", "content": "Weather?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
]
LONG: Final = [{"role": "user", "content": "word " * CONTEXT}]

# Answered by the same JSON.
TOKENIZED: Final[Mapping[str, Body]] = {
    "a text": {"prompt": "Hello"},
    "no text": {"prompt": ""},
    "many scripts, and a special token": {"prompt": "Grüße 日本 \U0001f600 <|im_start|>\n\t x"},
    "longer than the context": {"prompt": "a " * CONTEXT},
    "no special tokens": {"prompt": "Hello", "add_special_tokens": False},
    "token texts": {"prompt": "Hé 日", "return_token_strs": True, "add_special_tokens": True},
    "null for token texts": {"prompt": "Hello", "return_token_strs": None},
    "null for the model": {"prompt": "Hello", "model": None},
    "a message": {"messages": HELLO},
    "turns": {"messages": TURNS},
    "a last answer": {"messages": OPEN},
    "no generation prompt": {"messages": HELLO, "add_generation_prompt": False},
    "a generation prompt": {"messages": HELLO, "add_generation_prompt": True},
    "an open answer": {"messages": OPEN, "add_generation_prompt": False, "continue_final_message": True},
    "special tokens beside the template's": {"messages": HELLO, "add_special_tokens": True},
    "token texts of messages": {"messages": HELLO, "return_token_strs": True},
    "tools": {"messages": HELLO, "tools": [TOOL]},
    "no tools": {"messages": HELLO, "tools": []},
    "null for tools": {"messages": HELLO, "tools": None},
    "calls and results": {"messages": CALLS, "tools": [TOOL]},
    "calls without their tools": {"messages": CALLS},
    "template variables": {"messages": HELLO, "chat_template_kwargs": {"enable_thinking": False}},
    "null for the template": {"messages": HELLO, "chat_template": None},
    "messages longer than the context": {"messages": LONG},
}
DETOKENIZED: Final[Mapping[str, Body]] = {
    "tokens": {"tokens": [435, 101, 5, 6, 7]},
    "special tokens": {"tokens": [0, 1, 2, 3]},
    "half a character": {"tokens": [200]},
    "none": {"tokens": []},
    "more than the context": {"tokens": [5] * (CONTEXT + 1)},
    "null for the model": {"tokens": [72], "model": None},
}
# Refused by both with the same status; the forms of errors are each one's own.
REFUSED: Final[tuple[tuple[str, Body], ...]] = (
    (TOKENIZE, {}),
    (TOKENIZE, {"prompt": ["Hello"]}),
    (TOKENIZE, {"prompt": 5}),
    (TOKENIZE, {"prompt": "Hello", "model": "other"}),
    (TOKENIZE, {"messages": []}),
    (TOKENIZE, {"messages": "Hello"}),
    (TOKENIZE, {"messages": [{"role": "user", "content": None}]}),
    (TOKENIZE, {"messages": OPEN, "add_generation_prompt": True, "continue_final_message": True}),
    (TOKENIZE, {"messages": HELLO, "chat_template": "{{ 1 }}"}),
    (DETOKENIZE, {}),
    (DETOKENIZE, {"tokens": "Hello"}),
    (DETOKENIZE, {"tokens": ["a"]}),
    (DETOKENIZE, {"tokens": [-1]}),
    (DETOKENIZE, {"tokens": [10**30]}),
    (DETOKENIZE, {"tokens": [1], "model": "other"}),
    (CHAT, {"messages": []}),
    (CHAT, {"messages": HELLO, "model": "other"}),
    (CHAT, {"messages": HELLO, "use_beam_search": True, "n": 2}),
    (CHAT, {"messages": HELLO, "temperature": -1}),
    (CHAT, {"messages": HELLO, "top_p": 3}),
    (CHAT, {"messages": HELLO, "n": 0}),
    (CHAT, {"messages": HELLO, "max_tokens": 0}),
    (CHAT, {"messages": HELLO, "max_tokens": 2 * CONTEXT}),
    (CHAT, {"messages": LONG}),
    (COMPLETION, {}),
    (COMPLETION, {"prompt": ""}),
    (COMPLETION, {"prompt": []}),
    (COMPLETION, {"prompt": "Hello", "suffix": "x"}),
    (COMPLETION, {"prompt": "Hello", "max_tokens": 2 * CONTEXT}),
)
# With vLLM's status and ours: each difference that specs/openai/NOTES.md names.
OTHERWISE: Final[tuple[tuple[str, Body, int, int], ...]] = (
    (TOKENIZE, {"prompt": "Hello", "unknown": 1}, 200, 400),
    (TOKENIZE, {"prompt": "Hello", "messages": HELLO}, 200, 400),
    (TOKENIZE, {"prompt": "Hello", "tools": [TOOL]}, 200, 400),
    (TOKENIZE, {"prompt": "Hello", "add_special_tokens": None}, 400, 200),
    (TOKENIZE, {"messages": HELLO, "add_generation_prompt": None}, 400, 200),
    (TOKENIZE, {"messages": OPEN, "continue_final_message": True}, 400, 200),
    (TOKENIZE, {"messages": [{"role": "nobody", "content": "x"}]}, 200, 400),
    (DETOKENIZE, {"tokens": [10**6]}, 200, 400),
    (CHAT, {"messages": HELLO, "unknown": 1}, 200, 400),
    (CHAT, {"messages": HELLO, "truncate_prompt_tokens": 4}, 200, 400),
    (CHAT, {"messages": HELLO, "max_tokens": 7, "max_completion_tokens": 9}, 200, 400),
    (
        CHAT,
        {"messages": HELLO, "tools": [TOOL]},
        400,
        200,
    ),  # vLLM needs a parser of calls, named at its start
    (COMPLETION, {"prompt": "Hello", "echo": True}, 200, 400),
    (COMPLETION, {"prompt": [10**6]}, 200, 400),
)
# Rendered as the same request, and so answered by the same tokens.
RENDERED: Final[Mapping[str, tuple[str, Body]]] = {
    "plain": (CHAT, {"messages": HELLO}),
    "turns": (CHAT, {"messages": TURNS}),
    "as many tokens as fit": (CHAT, {"messages": HELLO, "max_tokens": None}),
    "the new name of a bound": (CHAT, {"messages": HELLO, "max_tokens": None, "max_completion_tokens": 9}),
    "a stream": (CHAT, {"messages": HELLO, "stream": True}),
    "a stream with counts": (
        CHAT,
        {"messages": HELLO, "stream": True, "stream_options": {"include_usage": True}},
    ),
    "counts so far": (
        CHAT,
        {
            "messages": HELLO,
            "stream": True,
            "stream_options": {"include_usage": True, "continuous_usage_stats": True},
        },
    ),
    "a seed": (CHAT, {"messages": HELLO, "seed": 3}),
    "stop texts": (CHAT, {"messages": HELLO, "stop": ["xyz", "!"]}),
    "a stop text that is kept": (CHAT, {"messages": HELLO, "stop": "e", "include_stop_str_in_output": True}),
    "stop tokens": (CHAT, {"messages": HELLO, "stop_token_ids": [457]}),
    "log-probabilities": (CHAT, {"messages": HELLO, "logprobs": True, "top_logprobs": 3}),
    "the prompt's": (CHAT, {"messages": HELLO, "prompt_logprobs": 2}),
    "a bias": (CHAT, {"messages": HELLO, "logit_bias": {"5": 50}}),
    "penalties": (
        CHAT,
        {"messages": HELLO, "presence_penalty": 0.5, "frequency_penalty": -0.5, "repetition_penalty": 1.2},
    ),
    "no end": (CHAT, {"messages": HELLO, "ignore_eos": True, "min_tokens": 3}),
    "special tokens in the text": (CHAT, {"messages": HELLO, "skip_special_tokens": False}),
    "some tokens alone": (CHAT, {"messages": HELLO, "allowed_token_ids": [5, 6]}),
    "bad words": (CHAT, {"messages": HELLO, "bad_words": ["there"]}),
    "a salt": (CHAT, {"messages": HELLO, "cache_salt": "mine"}),
    "a priority": (CHAT, {"messages": HELLO, "priority": 3}),
    "a name": (CHAT, {"messages": HELLO, "request_id": "own"}),
    "a regular expression": (CHAT, {"messages": HELLO, "structured_outputs": {"regex": "a{3,4}b"}}),
    "a schema": (CHAT, {"messages": HELLO, "structured_outputs": {"json": {"type": "integer"}}}),
    "choices": (CHAT, {"messages": HELLO, "structured_outputs": {"choice": ["yes", "no"]}}),
    "a grammar": (CHAT, {"messages": HELLO, "structured_outputs": {"grammar": 'root ::= "a" | "b"'}}),
    "any object": (CHAT, {"messages": HELLO, "response_format": {"type": "json_object"}}),
    "a schema of OpenAI's": (
        CHAT,
        {
            "messages": HELLO,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "n", "schema": {"type": "integer"}},
            },
        },
    ),
    "no generation prompt": (CHAT, {"messages": HELLO, "add_generation_prompt": False}),
    "an open answer": (
        CHAT,
        {"messages": OPEN, "add_generation_prompt": False, "continue_final_message": True},
    ),
    "template variables": (CHAT, {"messages": HELLO, "chat_template_kwargs": {"enable_thinking": False}}),
    "a prompt": (COMPLETION, {"prompt": "Hello"}),
    "prompts": (COMPLETION, {"prompt": ["Hello", "Hi"], "request_id": "own"}),
    "token ids": (COMPLETION, {"prompt": [5, 6]}),
    "lists of token ids": (COMPLETION, {"prompt": [[5], [6, 7]]}),
    "a prompt's log-probabilities": (COMPLETION, {"prompt": "Hello", "logprobs": 2}),
    "no special tokens": (COMPLETION, {"prompt": "Hello", "add_special_tokens": False}),
}


class Servers(NamedTuple):
    """vLLM by its URL, and our application over our own engine."""

    client: httpx.AsyncClient
    app: ASGIApp

    async def theirs(self, path: str, body: Body) -> httpx.Response:
        return await self.client.post(path, json=body)

    async def ours(self, path: str, body: Body) -> httpx.Response:
        return await send(self.app, "POST", path, json=body)


@pytest_asyncio.fixture(scope="session")
async def servers(engines: Engines, url: str) -> AsyncIterator[Servers]:
    app = build_app(Settings(served_model_name="m", root=("openai", "tokens")), engines.own)
    async with httpx.AsyncClient(base_url=url, timeout=120) as client:
        yield Servers(client, app)


@pytest.mark.parametrize("name", TOKENIZED)
async def test_tokenize_answers_as_vllms(servers: Servers, name: str) -> None:
    await assert_same(servers, TOKENIZE, TOKENIZED[name])


@pytest.mark.parametrize("name", DETOKENIZED)
async def test_detokenize_answers_as_vllms(servers: Servers, name: str) -> None:
    await assert_same(servers, DETOKENIZE, DETOKENIZED[name])


async def assert_same(servers: Servers, path: str, body: Body) -> None:
    asked = {"model": "m", **body}
    theirs, ours = await servers.theirs(path, asked), await servers.ours(path, asked)
    assert (theirs.status_code, ours.status_code) == (200, 200), (theirs.text, ours.text)
    assert ours.json() == theirs.json()


@pytest.mark.parametrize(("path", "body"), REFUSED)
async def test_both_refuse_with_the_same_status(servers: Servers, path: str, body: Body) -> None:
    asked = {"model": "m", **body}
    theirs, ours = await servers.theirs(path, asked), await servers.ours(path, asked)
    assert ours.status_code == theirs.status_code >= 400, (theirs.text, ours.text)
    assert ours.json()["error"]["param"]  # vLLM names a field less often


@pytest.mark.parametrize(("path", "body", "vllm", "here"), OTHERWISE)
async def test_a_difference_that_is_named_is_still_there(
    servers: Servers, path: str, body: Body, vllm: int, here: int
) -> None:
    asked = {"model": "m", **body}
    theirs, ours = await servers.theirs(path, asked), await servers.ours(path, asked)
    assert (theirs.status_code, ours.status_code) == (vllm, here), (theirs.text, ours.text)


async def test_a_tool_without_parameters_is_written_by_each_in_its_own_way(servers: Servers) -> None:
    """vLLM hands the template nulls; here it gets what OpenAI says that absent parameters mean."""
    asked = {"model": "m", "messages": HELLO, "tools": [BARE_TOOL]}
    theirs, ours = await servers.theirs(TOKENIZE, asked), await servers.ours(TOKENIZE, asked)
    texts = [
        (await servers.ours(DETOKENIZE, {"tokens": each.json()["tokens"]})).json()["prompt"]
        for each in (theirs, ours)
    ]
    assert '"parameters": null' in texts[0] and '"parameters": {"type": "object"' in texts[1]


async def test_tools_that_may_not_be_called_are_in_vllms_prompt_alone(servers: Servers) -> None:
    asked = {"model": "m", "messages": HELLO, "tools": [TOOL], "tool_choice": "none"}
    plain = (await servers.ours(CHAT, {"model": "m", "messages": HELLO})).json()["token_ids"]
    assert (await servers.ours(CHAT, asked)).json()["token_ids"] == plain
    assert len((await servers.theirs(CHAT, asked)).json()["token_ids"]) > len(plain)


async def test_vllm_leaves_out_a_bound_of_16_and_takes_that_for_none(servers: Servers) -> None:
    """It is the default of a completion, and of its class of options, but not of its token API."""
    asked = {"model": "m", "prompt": "Hello", "temperature": 0}
    [theirs] = (await servers.theirs(COMPLETION, asked)).json()
    [ours] = (await servers.ours(COMPLETION, asked)).json()
    assert "max_tokens" not in theirs["sampling_params"] and ours["sampling_params"]["max_tokens"] == 16
    for ask in (servers.theirs, servers.ours):
        [unbound], [bound] = await tokens_of(ask, theirs), await tokens_of(ask, ours)
        assert len(unbound) > 16 and bound == unbound[:16]


@pytest.mark.parametrize("name", RENDERED)
async def test_each_server_answers_what_either_renders_with_the_same_tokens(
    servers: Servers, name: str
) -> None:
    path, body = RENDERED[name]
    asked = {"model": "m", "temperature": 0, "max_tokens": 12, **body}
    if asked["max_tokens"] is None:
        del asked["max_tokens"]
    theirs, ours = await servers.theirs(path, asked), await servers.ours(path, asked)
    assert (theirs.status_code, ours.status_code) == (200, 200), (theirs.text, ours.text)
    pairs = list(zip(each_of(theirs.json()), each_of(ours.json()), strict=True))
    assert pairs
    for rendered in pairs:
        first, second = map(options, rendered)
        assert first == second
        answers = [
            await tokens_of(server, {**one, "stream": False, "stream_options": None})
            for one, server in product(rendered, (servers.theirs, servers.ours))
        ]
        assert answers[0] and answers == [answers[0]] * len(answers)


def each_of(found: Body | list[Body]) -> list[Body]:
    return found if isinstance(found, list) else [found]


def options(rendered: Body) -> Body:
    """Return what a rendered request says, with the token API's defaults, in one form of several."""
    found = m.GenerateRequest.model_validate(rendered).model_dump(by_alias=True)
    params = found.pop("sampling_params")
    if (form := params.pop("structured_outputs")) is not None:
        found["form"] = one_form(form)
    if params["top_k"] == -1:
        params["top_k"] = 0
    for name in ("output_kind", "skip_clone", "skip_reading_prefix_cache", "output_text_buffer_length"):
        params.pop(name)  # they have no effect, and only vLLM writes them
    for name in ("stop", "stop_token_ids", "bad_words"):
        params[name] = params[name] or None
    name = found.pop("request_id")
    if "-own" in name:  # else drawn
        found["request_id"] = name
    return {**found, **params}


def one_form(form: Body) -> Any:
    """Return the form that the text must have: choices as themselves, a schema as an object."""
    if (tag := form["structural_tag"]) is not None:
        return sorted(each["value"] for each in json.loads(tag)["format"]["elements"])
    if form["choice"] is not None:
        return sorted(form["choice"])
    if isinstance(schema := form["json"], str):
        return json.loads(schema)
    if schema is not None:
        return schema
    return {name: form[name] for name in ("regex", "grammar", "json_object") if form[name]}


async def tokens_of(ask: Any, rendered: Body) -> list[list[int]]:
    answer = await ask(GENERATE, rendered)
    assert answer.status_code == 200, answer.text
    return [choice["token_ids"] for choice in answer.json()["choices"]]
