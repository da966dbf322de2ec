"""vLLM's token API over an engine of ours, so that an engine over a server is tested with real tokens."""

import json
from contextlib import aclosing
from typing import Any

from aiohttp import web
from msgspec.structs import replace

from engine.port.engine import Engine
from engine.port.errors import InvalidRequest
from engine.port.events import TokenEvent, TokenLogprob
from engine.port.request import (
    GenerationRequest,
    Grammar,
    GrammarKind,
    Prompt,
    SamplingParams,
    StopConditions,
)
from handlers.chat.core import ChatCore
from tests.support.scripted.token_server import DONE, Body, Reply, event

_KINDS = {
    "json": GrammarKind.JSON_SCHEMA,
    "json_object": GrammarKind.JSON_OBJECT,
    "regex": GrammarKind.REGEX,
    "grammar": GrammarKind.EBNF,
    "structural_tag": GrammarKind.STRUCTURAL_TAG,
}
_SAME = (
    "temperature",
    "top_p",
    "min_p",
    "repetition_penalty",
    "presence_penalty",
    "frequency_penalty",
)


def computes(engine: Engine, *, has_options: bool = False) -> Reply:
    """Answer requests with the tokens of an engine.

    has_options: as vLLM's second model runner, started with --enable-prompt-tokens-details and
    --reasoning-parser.
    """
    chat = ChatCore(engine.tokenizer, max_total_tokens=engine.model_info.max_total_tokens)

    async def reply(request: web.Request, body: Body) -> web.StreamResponse:
        if "prompt_logprob_token_ids" in body["sampling_params"] and not has_options:
            return web.json_response({"error": {"message": "requires the V2 model runner"}}, status=400)
        asked = _request(body)
        if (budget := body["sampling_params"].get("thinking_token_budget")) is not None:
            if not has_options:
                return web.json_response({"error": {"message": "requires a reasoning_config"}}, status=400)
            thoughts = chat.thinking_budget(asked.prompt.token_ids, budget)
            asked = replace(asked, sampling=replace(asked.sampling, thinking_budget=thoughts))
        try:
            async with aclosing(engine.submit(asked)) as events:
                if not body.get("stream"):
                    whole = _whole(asked, [each async for each in events])
                    if "prompt_logprob_token_ids" in body["sampling_params"]:
                        whole["prompt_token_id_logprobs"] = "AAAA"
                    return web.json_response({**whole, "usage": _usage(0, has_options)})
                response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
                await response.prepare(request)
                async for each in events:
                    finish = each.finish and ("length" if each.finish.value == "length" else "stop")
                    await response.write(event([each.token_id], finish, _logprobs(asked, [each])))
                if body.get("stream_options", {}).get("include_usage"):
                    last = {"choices": [], "usage": _usage(each.num_cached_tokens, has_options)}
                    await response.write(b"data: " + json.dumps(last).encode() + b"\n\n")
                await response.write(DONE)
                return response
        except InvalidRequest as error:
            return web.json_response({"error": {"message": str(error), "param": None}}, status=400)

    return reply


def _usage(num_cached_tokens: int, has_options: bool) -> dict[str, Any]:
    return {"prompt_tokens_details": {"cached_tokens": num_cached_tokens} if has_options else None}


def _request(body: Body) -> GenerationRequest:
    given: dict[str, Any] = body["sampling_params"]
    ((kind, source),) = given.get("structured_outputs", {"": ""}).items()
    allowed = given.get("allowed_token_ids")
    sampling = SamplingParams(
        **{name: given[name] for name in _SAME if name in given},
        seed=given.get("seed"),
        top_k=given["top_k"] if given.get("top_k", 0) > 0 else None,
        allowed_token_ids=None if allowed is None else tuple(allowed),
        logit_bias={int(token_id): number for token_id, number in given.get("logit_bias", {}).items()},
        bad_words=tuple(given.get("bad_words", ())),
        grammar=Grammar(_KINDS[kind], "" if source is True else source) if kind else None,
        num_logprobs=given.get("logprobs"),
        logprob_token_ids=tuple(dict.fromkeys(given.get("logprob_token_ids", ()))),
        num_prompt_logprobs=given.get("prompt_logprobs"),
    )
    stopping = StopConditions(
        max_tokens=given["max_tokens"],
        min_tokens=given.get("min_tokens", 0),
        stop_token_ids=tuple(given.get("stop_token_ids", ())),
        ignore_eos=given.get("ignore_eos", False),
    )
    return GenerationRequest(
        request_id=f"upstream-{body.get('request_id', 'probe')}",
        prompt=Prompt(tuple(body["token_ids"])),
        sampling=sampling,
        stopping=stopping,
        cache_salt=body.get("cache_salt"),
        priority=body.get("priority", 0),
    )


def _logprobs(asked: GenerationRequest, events: list[TokenEvent]) -> dict[str, Any] | None:
    if events[0].logprob is None:
        return None
    return {
        "content": [
            {
                "token_id": each.token_id,
                "logprob": each.logprob,
                "top_logprobs": [
                    {"token_id": each.token_id, "logprob": each.logprob},
                    *_entries(each.top_logprobs, but=each.token_id),
                ][: max(asked.sampling.num_logprobs or 0, 1)],
            }
            for each in events
        ]
    }


def _entries(found: tuple[TokenLogprob, ...], but: int | None = None) -> list[dict[str, Any]]:
    return [{"token_id": one.token_id, "logprob": one.logprob} for one in found if one.token_id != but]


def _whole(asked: GenerationRequest, events: list[TokenEvent]) -> dict[str, Any]:
    choice = {
        "index": 0,
        "token_ids": [each.token_id for each in events],
        "finish_reason": "length" if events[-1].finish and events[-1].finish.value == "length" else "stop",
        "logprobs": _logprobs(asked, events),
    }
    prompt = events[0].prompt
    if prompt is None:
        return {"choices": [choice]}
    listed = [
        None
        if each.logprob is None
        else {
            str(one["token_id"]): {"logprob": one["logprob"]}
            for one in [{"token_id": each.token_id, "logprob": each.logprob}, *_entries(each.top_logprobs)]
        }
        for each in prompt
    ]
    return {"choices": [choice], "prompt_logprobs": listed}
