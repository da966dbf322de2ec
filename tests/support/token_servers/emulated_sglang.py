"""SGLang's native API over an engine of ours, so that an engine over a server is tested with real tokens."""

import json
from collections.abc import Iterable
from contextlib import aclosing
from typing import Any

from aiohttp import web

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
from tests.support.scripted.token_server import DONE, Body, Reply

_KINDS = {
    "json_schema": GrammarKind.JSON_SCHEMA,
    "regex": GrammarKind.REGEX,
    "ebnf": GrammarKind.EBNF,
    "structural_tag": GrammarKind.STRUCTURAL_TAG,
}
_SAME = ("temperature", "top_p", "min_p", "repetition_penalty", "presence_penalty", "frequency_penalty")


def computes(engine: Engine, *, is_incremental: bool = False) -> Reply:
    """Answer requests with the tokens of an engine.

    is_incremental: whether an event of a stream has the new tokens alone, in place of all.
    """

    async def reply(request: web.Request, body: Body) -> web.StreamResponse:
        asked = _request(body)
        streams = body.get("stream", False)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        found: list[TokenEvent] = []
        try:
            async with aclosing(engine.submit(asked)) as events:
                async for each in events:
                    found.append(each)
                    if streams:
                        if len(found) == 1:
                            await response.prepare(request)
                        shown = found[-1:] if is_incremental else found
                        await response.write(event(_document(shown, len(found), asked)))
        except InvalidRequest as error:
            if not streams:
                return web.json_response({"error": {"message": str(error)}}, status=400)
            details = {
                "message": str(error),
                "type": "invalid_request_error",
                "code": 400,
                "retryable": False,
            }
            await response.prepare(request)
            await response.write(event({"error": details}))
        if not streams:
            return web.json_response(_document(found, len(found), asked))
        await response.write(DONE)
        return response

    return reply


def event(document: object) -> bytes:
    """Return an event of a stream as SGLang writes it."""
    return b"data: " + json.dumps(document).encode() + b"\n\n"


def answer(
    token_ids: Iterable[int], finish: str | None = None, num_tokens: int | None = None, **meta: Any
) -> dict[str, Any]:
    """Return what an event holds. num_tokens: of the whole sequence so far; None: these are all."""
    listed = list(token_ids)
    return {
        "text": "" if finish else None,
        "output_ids": listed,
        "meta_info": {
            "id": "r",
            "finish_reason": finish and {"type": finish},
            "prompt_tokens": 1,
            "completion_tokens": len(listed) if num_tokens is None else num_tokens,
            "cached_tokens": 0,
            **meta,
        },
    }


def _request(body: Body) -> GenerationRequest:
    given: dict[str, Any] = body["sampling_params"]
    grammars = [Grammar(kind, given[name]) for name, kind in _KINDS.items() if name in given]
    num_logprobs = body.get("top_logprobs_num", 0) if body.get("return_logprob") else None
    ignores_ends = given.get("ignore_eos", False)
    return GenerationRequest(
        request_id=f"upstream-{body.get('rid', 'probe')}",
        prompt=Prompt(tuple(body["input_ids"])),
        sampling=SamplingParams(
            **{name: given[name] for name in _SAME if name in given},
            top_k=None if given.get("top_k", -1) == -1 else given["top_k"],
            seed=given.get("sampling_seed"),
            logit_bias={int(token_id): number for token_id, number in given.get("logit_bias", {}).items()},
            grammar=grammars[0] if grammars else None,
            num_logprobs=num_logprobs,
            logprob_token_ids=tuple(body.get("token_ids_logprob", ())),
            num_prompt_logprobs=num_logprobs if body.get("logprob_start_len", -1) == 0 else None,
        ),
        stopping=StopConditions(
            max_tokens=given["max_new_tokens"],
            min_tokens=given.get("min_new_tokens", 0),
            # A server that is to ignore end tokens looks at no stop token either.
            stop_token_ids=() if ignores_ends else tuple(given.get("stop_token_ids", ())),
            ignore_eos=ignores_ends,
        ),
        cache_salt=body.get("extra_key"),
    )


def _document(shown: list[TokenEvent], num_tokens: int, asked: GenerationRequest) -> dict[str, Any]:
    finish = shown[-1].finish and ("length" if shown[-1].finish.value == "length" else "stop")
    meta: dict[str, Any] = {"cached_tokens": shown[0].num_cached_tokens}
    if asked.sampling.num_logprobs is not None:
        listed = [_listed(each.top_logprobs) for each in shown]
        meta["output_token_logprobs"] = [[each.logprob, each.token_id, None] for each in shown]
        meta["output_token_ids_logprobs" if asked.sampling.logprob_token_ids else "output_top_logprobs"] = (
            listed
        )
        # By default the log-probabilities begin with the last token of the prompt, which has none itself.
        meta["input_token_logprobs"] = [[None, asked.prompt.token_ids[-1], None]]
        meta["input_top_logprobs"] = [None]
    if (prompt := shown[0].prompt) is not None:
        meta["input_token_logprobs"] = [[each.logprob, each.token_id, None] for each in prompt]
        meta["input_top_logprobs"] = [_listed(each.top_logprobs) or None for each in prompt]
    return answer([each.token_id for each in shown], finish, num_tokens, **meta)


def _listed(found: tuple[TokenLogprob, ...]) -> list[list[Any]]:
    return [[one.logprob, one.token_id, None] for one in found]
