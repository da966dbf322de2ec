"""Samples of OpenAI's requests, for the tests of all contracts."""

from typing import Any, Final

import orjson

from tests.support.samples.bodies import (
    ALL_CHAT_FEATURES,
    CALLING,
    CHAT,
    CHAT_PATH,
    CITY,
    COMPLETION,
    COMPLETION_FEATURES,
    GREEDY,
    LONG_CHAT,
    MODEL,
    OTHER_MODEL,
    PROMPT,
    SCHEMA,
    SEVERAL_FEATURES,
    STREAM,
    Features,
    streamed,
)
from tests.support.samples.contracts import Exchange, LongRequest, Samples

_RESPONSE: Final = {**MODEL, "input": "Hello", "max_output_tokens": 5}
_CONVERSATIONS: Final = "/v1/conversations"
_ITEM: Final = {"role": "user", "content": "Hello!"}
_BEGINS: Final = {"items": [{**_ITEM, "id": "msg_0"}]}
_RESPONSE_TOOL: Final = {"type": "function", "name": "get_time", "parameters": {"type": "object"}}
_EMBEDDING: Final = {**MODEL, "input": ["Hello", "Good morning"]}
_LOAD: Final = ("/v1/load_lora_adapter", {"lora_name": "poet", "lora_path": "poet-v1"})
_UNLOAD: Final = ("/v1/unload_lora_adapter", {"lora_name": "poet"})
_PREDICATE: Final = {"type": "predicate", "instructions": "It rains."}
_CHOICE: Final = {"type": "choice", "instructions": "Who?", "choices": [{"value": "a"}, {"value": True}]}
_SCORE: Final = {"type": "score", "instructions": "How?", "levels": [{"label": "a"}, {"label": "b"}]}
_DECISION: Final = {**MODEL, "input": "Hello", "questions": [_PREDICATE, _CHOICE, _SCORE]}
_CHAT_BATCH: Final = {"messages": [CHAT["messages"], CHAT["messages"]], "max_tokens": 5}
_TOKENS: Final = {"index": 0, "token_ids": [72, 105]}
_GENERATED: Final = {"generate_response": {"choices": [{**_TOKENS, "finish_reason": "length"}]}}
_EVENT: Final = {**STREAM, "generate_chunk": {"choices": [_TOKENS]}}
_LONG_COMPLETION: Final = {**MODEL, "prompt": "Hello", "max_tokens": 400, "ignore_eos": True}
_LINE: Final = {"custom_id": "a", "method": "POST", "url": "/v1/completions", "body": _LONG_COMPLETION}
_UPLOAD: Final = ("/v1/files", {"file": orjson.dumps(_LINE), "purpose": "batch"})
_BATCH: Final = {"input_file_id": "{id}", "endpoint": "/v1/completions", "completion_window": "24h"}
_BATCH_MADE: Final = (_UPLOAD, ("/v1/batches", _BATCH))
_EXCHANGES: Final = (
    Exchange("POST", "/v1/chat/completions", 200, {**MODEL, **CHAT}),
    Exchange(
        "POST", "/v1/chat/completions", 200, {**MODEL, **CHAT, "n": 2, "logprobs": True, "top_logprobs": 2}
    ),
    Exchange("POST", "/v1/chat/completions", 200, {**MODEL, **CALLING}),
    Exchange("POST", "/v1/chat/completions", 200, {**MODEL, **CALLING, **STREAM}),
    Exchange(
        "POST",
        "/v1/chat/completions",
        200,
        {**MODEL, **CHAT, **STREAM, "logprobs": True, "stream_options": {"include_usage": True}},
    ),
    Exchange("POST", "/v1/chat/completions", 400, {**MODEL, **CHAT, "unknown": 1}),
    Exchange("POST", "/v1/chat/completions", 400, {**MODEL, **CHAT, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 404, {**OTHER_MODEL, **CHAT}),
    Exchange("POST", "/v1/completions", 200, {**MODEL, **COMPLETION}),
    Exchange("POST", "/v1/completions", 200, {**MODEL, **COMPLETION, **STREAM, "logprobs": 2}),
    Exchange(
        "POST",
        "/v1/completions",
        200,
        {**MODEL, "prompt": "Hi", "max_tokens": 0, "echo": True, "logprobs": 1},
    ),
    Exchange("POST", "/v1/completions", 400, MODEL),
    Exchange("POST", "/v1/completions", 404, {**OTHER_MODEL, **COMPLETION}),
    Exchange("POST", "/v1/responses", 200, _RESPONSE),
    Exchange("POST", "/v1/responses", 200, {**_RESPONSE, **STREAM}),
    Exchange(
        "POST",
        "/v1/responses",
        200,
        {
            **_RESPONSE,
            **STREAM,
            "tools": [_RESPONSE_TOOL],
            "tool_choice": "required",
            "max_output_tokens": 60,
        },
    ),
    Exchange("POST", "/v1/responses", 400, {**_RESPONSE, "input": []}),
    *(
        Exchange(method, f"/v1/responses/{{id}}{path}", 200, before=(("/v1/responses", _RESPONSE),))
        for method, path in (("GET", ""), ("GET", "/input_items"), ("DELETE", ""))
    ),
    Exchange("GET", "/v1/responses/resp_0", 404),
    Exchange(
        "GET",
        "/v1/responses/{id}?stream=true",
        400,
        before=(("/v1/responses", {**_RESPONSE, "background": True}),),
    ),
    Exchange(
        "POST",
        "/v1/responses/{id}/cancel",
        200,
        before=(("/v1/responses", {**_RESPONSE, "background": True}),),
    ),
    Exchange("POST", "/v1/responses/resp_0/cancel", 404),
    Exchange(
        "POST",
        "/v1/responses/compact",
        200,
        {**MODEL, "input": [_ITEM, {"role": "assistant", "content": "Hi!"}]},
    ),
    Exchange("POST", "/v1/responses/compact", 400, MODEL),
    Exchange("POST", _CONVERSATIONS, 200, {"items": [_ITEM], "metadata": {"topic": "tea"}}),
    Exchange("POST", _CONVERSATIONS, 400, {"items": [{}]}),
    *(
        Exchange(method, f"{_CONVERSATIONS}/{{id}}{path}", 200, body, before=((_CONVERSATIONS, _BEGINS),))
        for method, path, body in (
            ("GET", "", None),
            ("POST", "", {"metadata": {"topic": "milk"}}),
            ("DELETE", "", None),
            ("GET", "/items", None),
            ("POST", "/items", {"items": [{**_ITEM, "id": "msg_1"}]}),
            ("GET", "/items/msg_0", None),
            ("DELETE", "/items/msg_0", None),
        )
    ),
    Exchange("GET", f"{_CONVERSATIONS}/conv_0", 404),
    Exchange("GET", f"{_CONVERSATIONS}/conv_0/items", 404),
    Exchange("GET", "/v1/files", 200, before=(_UPLOAD,)),
    Exchange("GET", "/v1/files?after=file-0", 400),
    *(
        Exchange(method, f"/v1/files/{{id}}{path}", 200, before=(_UPLOAD,))
        for method, path in (("GET", ""), ("GET", "/content"), ("DELETE", ""))
    ),
    Exchange("GET", "/v1/files/file-0", 404),
    Exchange("POST", "/v1/batches/{id}/cancel", 200, before=_BATCH_MADE),
    Exchange("POST", "/v1/batches", 200, _BATCH, before=(_UPLOAD,)),
    Exchange("GET", "/v1/batches/{id}", 200, before=_BATCH_MADE),
    Exchange("GET", "/v1/batches", 200, before=_BATCH_MADE),
    Exchange("POST", "/v1/batches", 400, {**_BATCH, "input_file_id": "file-0"}),
    Exchange("GET", "/v1/batches/batch_0", 404),
    Exchange("POST", "/v1/responses/input_tokens", 200, {"input": "Hello!"}),
    Exchange("POST", "/v1/responses/input_tokens", 400, {"input": []}),
    Exchange("POST", "/v1/responses/input_tokens", 404, {"input": "Hello!", **OTHER_MODEL}),
    Exchange("POST", "/v1/responses", 404, {**_RESPONSE, **OTHER_MODEL}),
    Exchange("POST", "/v1/chat/completions/render", 200, {**MODEL, **CHAT, "stop": ["x"], "seed": 5}),
    Exchange("POST", "/v1/chat/completions/render", 400, {**MODEL, **CHAT, "typical_p": 0.5}),
    Exchange("POST", "/v1/completions/render", 200, {"model": "verbatim-demo", "prompt": ["a", "b"]}),
    Exchange("POST", "/v1/completions/render", 404, {"prompt": "a", **OTHER_MODEL}),
    Exchange("POST", "/v1/chat/completions/derender", 200, {**_GENERATED, "chat_request": {**MODEL, **CHAT}}),
    Exchange("POST", "/v1/chat/completions/derender", 200, {**_EVENT, "chat_request": {**MODEL, **CHAT}}),
    Exchange("POST", "/v1/chat/completions/derender", 400, {**_EVENT, **_GENERATED}),
    Exchange("POST", "/v1/chat/completions/derender", 404, {**_GENERATED, **OTHER_MODEL}),
    Exchange(
        "POST", "/v1/completions/derender", 200, {"generate_responses": [_GENERATED["generate_response"]]}
    ),
    Exchange("POST", "/v1/completions/derender", 200, _EVENT),
    Exchange("POST", "/v1/completions/derender", 400, {"generate_responses": []}),
    Exchange("POST", "/v1/chat/completions/batch", 200, {**MODEL, **_CHAT_BATCH, "seed": 5}),
    Exchange("POST", "/v1/chat/completions/batch", 400, {**MODEL, **_CHAT_BATCH, "n": 2}),
    Exchange("POST", "/v1/chat/completions/batch", 404, {**OTHER_MODEL, **_CHAT_BATCH}),
    Exchange("POST", "/v1/responses/render", 200, {**_RESPONSE, "seed": 5}),
    Exchange("POST", "/v1/responses/render", 400, {**_RESPONSE, "previous_response_id": "resp_1"}),
    Exchange("POST", "/v1/responses/render", 404, {**_RESPONSE, **OTHER_MODEL}),
    Exchange("POST", "/tokenize", 200, {"prompt": "Hello!", "return_token_strs": True}),
    Exchange("POST", "/tokenize", 200, {"messages": CHAT["messages"]}),
    Exchange("POST", "/tokenize", 400, {}),
    Exchange("POST", "/detokenize", 200, {"tokens": [72, 105]}),
    Exchange("POST", "/detokenize", 400, {"tokens": [-1]}),
    Exchange("POST", _LOAD[0], 200, _LOAD[1], after=(_UNLOAD,)),
    Exchange("POST", _UNLOAD[0], 200, _UNLOAD[1], before=(_LOAD,)),
    Exchange("POST", "/v1/load_lora_adapter", 400, {"lora_name": "poet"}),
    Exchange("POST", "/v1/load_lora_adapter", 400, {"lora_name": "poet", "lora_path": "nobody"}),
    Exchange("POST", "/v1/unload_lora_adapter", 404, {"lora_name": "nobody"}),
    Exchange("POST", "/v1/decisions", 200, _DECISION),
    Exchange("POST", "/v1/decisions", 400, {**_DECISION, "questions": []}),
    Exchange("POST", "/v1/decisions", 404, {**_DECISION, **OTHER_MODEL}),
    Exchange("POST", "/v1/embeddings", 200, _EMBEDDING),
    Exchange("POST", "/v1/embeddings", 200, {**_EMBEDDING, "encoding_format": "base64", "dimensions": 8}),
    Exchange("POST", "/v1/embeddings", 400, {**_EMBEDDING, "input": []}),
    Exchange("GET", "/v1/models", 200),
    Exchange("GET", "/v1/models/verbatim-demo", 200),
    Exchange("GET", "/v1/models/other", 404),
)
_LONG_RESPONSE: Final = {**MODEL, "input": "Hello", "max_output_tokens": 400, "ignore_eos": True}


def _is_unavailable(event: Any) -> bool:
    return bool(event["error"]["code"] == "service_unavailable")


_BIAS_FEATURES: Final[Features] = {"a bias": {**GREEDY, "logit_bias": {"40": 5}}}
_OPENAI_COMPLETION_FEATURES: Final[Features] = {
    **COMPLETION_FEATURES,
    "its prompt": {**PROMPT, "echo": True, "logprobs": 2},
    "three choices": {**PROMPT, "temperature": 1.0, "seed": 7, "n": 3, "best_of": 3},
}
_GREEDY_RESPONSE: Final = {
    **MODEL,
    "input": "Hello, my name is Anna.",
    "temperature": 0,
    "max_output_tokens": 12,
}
_WEATHER_FUNCTION: Final = {"type": "function", "name": "get_weather", "parameters": CITY, "strict": False}
_RESPONSE_FEATURES: Final[Features] = {
    "a text": _GREEDY_RESPONSE,
    "log-probabilities": {**_GREEDY_RESPONSE, "top_logprobs": 2, "include": ["message.output_text.logprobs"]},
    "a tool": {
        **_GREEDY_RESPONSE,
        "input": "What is the weather in Paris?",
        "tools": [_WEATHER_FUNCTION],
        "max_output_tokens": 80,
    },
    "a tool that must be called": {
        **_GREEDY_RESPONSE,
        "tools": [_WEATHER_FUNCTION],
        "tool_choice": "required",
        "max_output_tokens": 80,
    },
    "a schema": {
        **_GREEDY_RESPONSE,
        "text": {"format": {"type": "json_schema", "name": "s", "schema": SCHEMA}},
        "max_output_tokens": 60,
    },
}

SAMPLES: Final = Samples(
    exchanges=_EXCHANGES,
    long_requests=(
        LongRequest("/v1/completions", _LONG_COMPLETION),
        LongRequest(
            "/v1/completions",
            {**_LONG_COMPLETION, "stream": True},
            is_finished=lambda event: event["choices"][0]["finish_reason"] == "length",
            is_unavailable=_is_unavailable,
        ),
        LongRequest(
            "/v1/chat/completions",
            {**MODEL, **LONG_CHAT},
            is_finished=lambda event: event["choices"][0]["finish_reason"] == "length",
            is_unavailable=_is_unavailable,
        ),
        LongRequest("/v1/responses", _LONG_RESPONSE),
        LongRequest(
            "/v1/responses",
            {**_LONG_RESPONSE, "stream": True},
            is_finished=lambda event: event["type"] == "response.incomplete",
            is_unavailable=lambda event: event["type"] == "response.failed",
        ),
    ),
    features=dict(
        [
            *streamed(CHAT_PATH, ALL_CHAT_FEATURES | SEVERAL_FEATURES | _BIAS_FEATURES),
            *streamed("/v1/completions", _OPENAI_COMPLETION_FEATURES),
            *streamed("/v1/responses", _RESPONSE_FEATURES),
        ]
    ),
    noted_fields=frozenset(
        {
            "allowed_token_ids",
            "bad_words",
            "logprob_token_ids",
            "priority",
            "response_format",
            "typical_p",
            "use_beam_search",
        }
    ),
)
