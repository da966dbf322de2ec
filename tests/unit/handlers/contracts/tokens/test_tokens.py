"""The token API over a scripted engine, without a network."""

import asyncio
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import httpx
import orjson
import pytest

from engine.port.errors import EngineDied, InvalidGrammar, NoTokenLeft
from engine.port.events import FinishReason
from engine.port.request import Grammar, GrammarKind, Watermark
from generated.tokens import models as m
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import Script, ScriptedEngine, fails_after, says
from tests.unit.verbatim_kit.runtime.client import events, send

PATH: Final = "/tokens/inference/v1/generate"
PARAMS: Final = "sampling_params"
TAG: Final = '{"type": "structural_tag", "format": {"type": "any_text"}}'


class Api:
    def __init__(self, script: Script, **settings: Any) -> None:
        self.engine = ScriptedEngine(script)
        self._app = build_app(Settings(**settings), self.engine)

    async def post(self, fields: dict[str, Any] | None = None, **params: Any) -> httpx.Response:
        body = {"token_ids": [72, 101], PARAMS: params, **(fields or {})}
        return await send(self._app, "POST", PATH, json=body)

    async def answer(self, fields: dict[str, Any] | None = None, **params: Any) -> Any:
        response = await self.post(fields, **params)
        assert response.status_code == 200, response.text
        return response.json()

    async def events(self, fields: dict[str, Any] | None = None, **params: Any) -> list[Any]:
        *found, done = events(await self.post({"stream": True, **(fields or {})}, **params))
        assert done == "[DONE]"
        return [orjson.loads(one) for one in found]


async def test_a_whole_answer_has_the_tokens_of_each_sequence_and_their_counts() -> None:
    found = await Api(says("a", "b")).answer({"request_id": "r"}, n=2, logprobs=1)
    assert found["request_id"] == "r"
    assert [choice["token_ids"] for choice in found["choices"]] == [[100, 101, 102]] * 2
    assert [choice["finish_reason"] for choice in found["choices"]] == ["stop", "stop"]
    first = found["choices"][0]["logprobs"]["content"][0]
    own = {"token_id": 100, "logprob": -0.5, "rank": 1}
    assert first == {**own, "top_logprobs": [own]}
    assert found["usage"] == {
        "prompt_tokens": 2,
        "completion_tokens": 6,
        "total_tokens": 8,
        "prompt_tokens_details": {"cached_tokens": 0},
    }


async def test_a_stream_begins_with_how_the_sequence_began_and_ends_with_the_counts() -> None:
    options = {"stream_options": {"include_usage": True}}
    first, second, last, counts = await Api(says("a", "b")).events(options)
    assert first["choices"][0]["start"] == {"queue_s": 0.25, "cached_tokens": 0}
    assert second["choices"] == [{"index": 0, "token_ids": [101], "finish_reason": None}]
    assert last["choices"] == [{"index": 0, "token_ids": [102], "finish_reason": "stop", "stop_reason": None}]
    assert counts["choices"] == [] and counts["usage"]["completion_tokens"] == 3


async def test_a_plain_event_is_the_models_own_text() -> None:
    text = events(await Api(says("a", "b")).post({"stream": True, "request_id": 'r"%d'}))[1]
    choice = m.GenerateStreamChoice(index=0, token_ids=[101], finish_reason=None)
    assert text == m.GenerateStreamResponse(request_id='r"%d', choices=[choice]).model_dump_json()


async def test_the_prompts_log_probabilities_come_with_the_first_event_alone() -> None:
    first, *others = await Api(says("a")).events(prompt_logprobs=0)
    assert [place and [*place] for place in first["prompt_logprobs"]] == [None, ["101"]]
    assert all("prompt_logprobs" not in event for event in others)


async def test_counts_so_far_come_with_every_event_that_asks_for_them() -> None:
    options = {"stream_options": {"include_usage": True, "continuous_usage_stats": True}}
    found = await Api(says("a", "b")).events(options)
    assert [event["usage"]["completion_tokens"] for event in found] == [1, 2, 3, 3]


async def test_parameters_reach_the_engine() -> None:
    api = Api(says("a"))
    await api.answer(
        {"priority": 3, "cache_salt": "s"},
        **{"max_tokens": None, "seed": 2**64 - 1, "top_k": -1, "typical_p": 0.5, "watermark": {"delta": 1.5}},
        **{"logit_bias": {"7": 2}, "banned_token_ids": [5], "stop_token_ids": [9], "ignore_eos": True},
        **{"logprobs": 0, "logprob_token_ids": [4, 4, 3], "stop": "x", "bad_words": ["y"]},
    )
    request = api.engine.request
    sampling, stopping = request.sampling, request.stopping
    assert (request.priority, request.cache_salt) == (3, "s")
    assert stopping.max_tokens == api.engine.model_info.max_total_tokens - 2
    assert (sampling.seed, sampling.top_k, sampling.typical_p) == (2**64 - 1, None, 0.5)
    assert (sampling.watermark, sampling.logit_bias) == (Watermark(0.5, 1.5), {7: 2.0})
    assert (sampling.banned_token_ids, sampling.logprob_token_ids) == ((5,), (4, 3))
    assert (stopping.stop, stopping.stop_token_ids, stopping.ignore_eos) == (("x",), (9,), True)


async def test_a_request_that_vllms_render_has_written_is_taken_whole() -> None:
    """tests/vllm/test_prompts.py asks a real one for more of them."""
    rendered = {
        "request_id": "chatcmpl-a604b181a7a422bc",
        **dict.fromkeys(("token_offsets", "features", "content_parts", "reasoning_ended"), None),
        **dict.fromkeys(
            ("reasoning_parser_kwargs", "return_token_ids", "stream_options", "cache_salt"), None
        ),
        **dict.fromkeys(("kv_transfer_params", "ec_transfer_params"), None),
        **{"model": None, "output_mode": "tokens", "stream": False, "priority": 0},
    }
    form = {
        **dict.fromkeys(("json", "choice", "grammar", "json_object", "whitespace_pattern"), None),
        **{"regex": "a+", "structural_tag": None, "_backend": None, "_backend_was_auto": False},
        **{"disable_any_whitespace": False, "disable_additional_properties": False},
    }
    params = {
        **{"temperature": 0.0, "max_tokens": 7, "stop": ["xy"], "stop_token_ids": [], "bad_words": []},
        **{"output_kind": 2, "output_text_buffer_length": 1, "skip_clone": True},
        **{"skip_reading_prefix_cache": False, "structured_outputs": form},
    }
    api = Api(says("a"))
    assert (await api.answer(rendered, **params))["request_id"] == rendered["request_id"]
    request = api.engine.request
    assert (request.stopping.max_tokens, request.stopping.stop) == (7, ("xy",))
    assert request.sampling.grammar == Grammar(GrammarKind.REGEX, "a+")


async def test_without_a_bound_a_sequence_fills_the_context_as_over_vllm() -> None:
    api = Api(says("a"))
    await api.answer()
    assert api.engine.request.stopping.max_tokens == api.engine.model_info.max_total_tokens - 2


async def test_no_seed_is_asked_for_where_none_is_given() -> None:
    api = Api(says("a"))
    for params in ({}, {"seed": None}, {"seed": -1}):
        await api.answer(**params)
    assert [request.sampling.seed for request in api.engine.requests] == [None] * 3


@pytest.mark.parametrize(
    ("outputs", "grammar"),
    [
        ({"json": '{"type": "object"}'}, Grammar(GrammarKind.JSON_SCHEMA, '{"type": "object"}')),
        ({"json": {"type": "object"}}, Grammar(GrammarKind.JSON_SCHEMA, '{"type": "object"}')),
        ({"json_object": True}, Grammar(GrammarKind.JSON_OBJECT)),
        ({"regex": "a"}, Grammar(GrammarKind.REGEX, "a")),
        ({"grammar": 'root ::= "a"'}, Grammar(GrammarKind.EBNF, 'root ::= "a"')),
        ({"structural_tag": TAG}, Grammar(GrammarKind.STRUCTURAL_TAG, TAG)),
    ],
)
async def test_a_form_becomes_a_grammar(outputs: dict[str, Any], grammar: Grammar) -> None:
    api = Api(says("a"))
    await api.answer(structured_outputs=outputs)
    assert api.engine.request.sampling.grammar == grammar


@pytest.mark.parametrize(
    ("fields", "params", "field"),
    [
        ({"token_ids": [72, 10**9]}, {}, "token_ids[1]"),
        ({}, {"allowed_token_ids": [10**9]}, f"{PARAMS}.allowed_token_ids[0]"),
        ({}, {"logit_bias": {"999999999": 1}}, f"{PARAMS}.logit_bias.999999999"),
        ({}, {"logprob_token_ids": [1]}, f"{PARAMS}.logprob_token_ids"),
        ({}, {"min_tokens": 9, "max_tokens": 8}, f"{PARAMS}.min_tokens"),
        ({}, {"structured_outputs": {}}, f"{PARAMS}.structured_outputs"),
        ({}, {"structured_outputs": {"regex": "a", "json_object": True}}, f"{PARAMS}.structured_outputs"),
        ({}, {"tempreature": 1}, f"{PARAMS}.tempreature"),
        ({"features": {}}, {}, "features"),
    ],
)
async def test_a_refusal_names_the_field(fields: dict[str, Any], params: dict[str, Any], field: str) -> None:
    answer = await Api(says("a")).post(fields, **params)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["code"]) == (400, "BadRequestError", 400)
    assert error["param"] == field


@pytest.mark.parametrize(
    ("error", "status", "param"),
    [
        (InvalidGrammar("no"), 400, f"{PARAMS}.structured_outputs"),
        (NoTokenLeft("no"), 400, PARAMS),
        (EngineDied(), 500, None),
    ],
)
async def test_what_the_engine_raises_has_a_status(error: Exception, status: int, param: str | None) -> None:
    api = Api(fails_after(error))
    answer = await api.post()
    assert (answer.status_code, answer.json()["error"]["param"]) == (status, param)
    (late,) = [one["error"] for one in await Api(fails_after(error, "a")).events() if "error" in one]
    assert (late["code"], late["param"]) == (status, param)


async def test_a_server_without_grammars_refuses_a_form() -> None:
    answer = await Api(says("a"), disable_grammar_support=True).post(structured_outputs={"regex": "a"})
    assert answer.json()["error"]["param"] == f"{PARAMS}.structured_outputs"


async def test_a_stop_tells_what_it_was() -> None:
    (choice,) = (await Api(says("a", finish=FinishReason.STOP)).answer(stop_token_ids=[100]))["choices"]
    assert (choice["finish_reason"], choice["stop_reason"]) == ("stop", 100)
    (choice,) = (await Api(says("a", finish=FinishReason.LENGTH)).answer())["choices"]
    assert (choice["finish_reason"], choice["stop_reason"]) == ("length", None)


async def test_a_key_aborts_only_its_own_requests(tmp_path: Path) -> None:
    entries = [f'[[key]]\nname = "{name}"\nsha256 = "{sha256(name.encode()).hexdigest()}"\n' for name in "ab"]
    (tmp_path / "keys.toml").write_text("\n".join(entries))
    engine = ScriptedEngine(says("a"), gate=(gate := asyncio.Event()))
    app = build_app(Settings(api_keys_file=str(tmp_path / "keys.toml")), engine)

    async def post(path: str, body: dict[str, Any], key: str) -> httpx.Response:
        return await send(app, "POST", path, json=body, headers={"authorization": f"Bearer {key}"})

    body = {"token_ids": [72], PARAMS: {}, "request_id": "mine"}
    running = [asyncio.create_task(post(PATH, body, key)) for key in "ab"]
    while engine.num_running < 2:
        await asyncio.sleep(0)
    await post("/tokens/inference/v1/abort_requests", {"request_ids": ["mine"]}, "b")
    gate.set()
    assert [(await each).status_code for each in running] == [200, 503]


async def test_a_request_is_aborted_by_the_name_that_its_client_gave_it() -> None:
    api = Api(says("a"))
    api.engine = ScriptedEngine(says("a"), gate=(gate := asyncio.Event()))
    api._app = build_app(Settings(), api.engine)
    mine = asyncio.create_task(api.post({"request_id": "mine"}))
    other = asyncio.create_task(api.post({"request_id": "other"}))
    while api.engine.num_running < 2:
        await asyncio.sleep(0)
    names = {"request_ids": ["mine", "nobody's"]}
    aborted = await send(api._app, "POST", "/tokens/inference/v1/abort_requests", json=names)
    assert (aborted.status_code, aborted.content) == (200, b"")
    gate.set()
    assert ((await mine).status_code, (await other).status_code) == (503, 200)
    assert (await mine).json()["error"]["message"] == "The request was aborted"
    await api.post({"request_id": "mine"})  # its name is free again
    for body in ({}, {"request_ids": None}, {"request_ids": [1]}):
        assert (
            await send(api._app, "POST", "/tokens/inference/v1/abort_requests", json=body)
        ).status_code == 400


async def test_a_thinking_budget_is_that_of_the_models_own_thoughts() -> None:
    api = Api(says("a"))
    await api.answer(thinking_token_budget=3)
    bound = api.engine.request.sampling.thinking_budget
    assert bound is not None and (bound.max_tokens, bound.end, bound.is_open) == (3, "</think>", False)
    begin = api.engine.tokenizer.encode("<think>", add_special_tokens=False)
    api.engine.requests.clear()
    await api.answer({"token_ids": [72, *begin, 101]}, thinking_token_budget=0)
    bound = api.engine.request.sampling.thinking_budget
    assert bound is not None and bound.is_open
    response = await api.post(thinking_token_budget=-1)
    assert response.status_code == 400 and "thinking_token_budget" in response.text
