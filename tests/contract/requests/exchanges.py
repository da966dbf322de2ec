"""Requests of every contract, and the status that each is answered with."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple


class Exchange(NamedTuple):
    """A request, and the status that its answer has.

    before, after: the paths and bodies of requests that make the server ready for it, and as it was.
    """

    method: str
    path: str
    status: int
    body: dict[str, Any] | None = None
    before: tuple[tuple[str, dict[str, Any]], ...] = ()
    after: tuple[tuple[str, dict[str, Any]], ...] = ()


_NATIVE: Final = {"inputs": "Hello", "parameters": {"max_new_tokens": 3}}
_DETAILED: Final = {
    "inputs": "Hello",
    "parameters": {
        "max_new_tokens": 3,
        "details": True,
        "decoder_input_details": True,
        "top_n_tokens": 2,
        "do_sample": True,
        "best_of": 2,
    },
}
_CHAT: Final = {"messages": [{"role": "user", "content": "Hello!"}], "max_tokens": 5}
_TOOL: Final = {
    "type": "function",
    "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}},
}
_CALLING: Final = {**_CHAT, "tools": [_TOOL], "tool_choice": "required", "max_tokens": 60}
_COMPLETION: Final = {"prompt": ["Hello", "My name"], "max_tokens": 3}
_STREAM: Final = {"stream": True}

_TGI: Final = (
    Exchange("POST", "/", 200, _NATIVE),
    Exchange("POST", "/", 200, {**_NATIVE, **_STREAM}),
    Exchange("POST", "/", 422, {**_DETAILED, **_STREAM}),
    Exchange("POST", "/generate", 200, _NATIVE),
    Exchange("POST", "/generate", 200, _DETAILED),
    Exchange("POST", "/generate", 422, {"inputs": ""}),
    Exchange("POST", "/generate_stream", 200, _NATIVE),
    Exchange(
        "POST", "/generate_stream", 200, {"inputs": "Hi", "parameters": {"details": True, "top_n_tokens": 2}}
    ),
    Exchange("POST", "/generate_stream", 422, _DETAILED),
    Exchange("POST", "/tokenize", 200, _NATIVE),
    Exchange("POST", "/tokenize", 422, {}),
    Exchange("POST", "/v1/chat/completions", 200, _CHAT),
    Exchange("POST", "/v1/chat/completions", 200, {**_CHAT, "n": 2, "logprobs": True, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 200, _CALLING),
    Exchange(
        "POST", "/v1/chat/completions", 200, {**_CHAT, **_STREAM, "stream_options": {"include_usage": True}}
    ),
    Exchange("POST", "/v1/chat/completions", 200, {**_CHAT, **_STREAM, "logprobs": True, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 200, {**_CALLING, **_STREAM}),
    Exchange("POST", "/v1/chat/completions", 422, {**_CALLING, "tool_choice": "unknown"}),
    Exchange("POST", "/v1/completions", 200, _COMPLETION),
    Exchange("POST", "/v1/completions", 200, {**_COMPLETION, **_STREAM}),
    Exchange("POST", "/v1/completions", 422, {**_COMPLETION, "suffix": "!"}),
    Exchange("GET", "/health", 200),
    Exchange("GET", "/info", 200),
    Exchange("GET", "/metrics", 200),
    Exchange("GET", "/v1/models", 200),
)

_MODEL: Final = {"model": "verbatim-demo"}
_OTHER_MODEL: Final = {"model": "gpt-4o"}
_RESPONSE: Final = {**_MODEL, "input": "Hello", "max_output_tokens": 5}
_RESPONSE_TOOL: Final = {"type": "function", "name": "get_time", "parameters": {"type": "object"}}
_EMBEDDING: Final = {**_MODEL, "input": ["Hello", "Good morning"]}

_PREDICATE: Final = {"type": "predicate", "instructions": "It rains."}
_CHOICE: Final = {"type": "choice", "instructions": "Who?", "choices": [{"value": "a"}, {"value": True}]}
_SCORE: Final = {"type": "score", "instructions": "How?", "levels": [{"label": "a"}, {"label": "b"}]}
_DECISION: Final = {**_MODEL, "input": "Hello", "questions": [_PREDICATE, _CHOICE, _SCORE]}

_LOAD: Final = ("/v1/load_lora_adapter", {"lora_name": "poet", "lora_path": "poet-v1"})
_UNLOAD: Final = ("/v1/unload_lora_adapter", {"lora_name": "poet"})

_OPENAI: Final = (
    Exchange("POST", "/v1/chat/completions", 200, {**_MODEL, **_CHAT}),
    Exchange(
        "POST", "/v1/chat/completions", 200, {**_MODEL, **_CHAT, "n": 2, "logprobs": True, "top_logprobs": 2}
    ),
    Exchange("POST", "/v1/chat/completions", 200, {**_MODEL, **_CALLING}),
    Exchange("POST", "/v1/chat/completions", 200, {**_MODEL, **_CALLING, **_STREAM}),
    Exchange(
        "POST",
        "/v1/chat/completions",
        200,
        {**_MODEL, **_CHAT, **_STREAM, "logprobs": True, "stream_options": {"include_usage": True}},
    ),
    Exchange("POST", "/v1/chat/completions", 400, {**_MODEL, **_CHAT, "unknown": 1}),
    Exchange("POST", "/v1/chat/completions", 400, {**_MODEL, **_CHAT, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 404, {**_OTHER_MODEL, **_CHAT}),
    Exchange("POST", "/v1/completions", 200, {**_MODEL, **_COMPLETION}),
    Exchange("POST", "/v1/completions", 200, {**_MODEL, **_COMPLETION, **_STREAM, "logprobs": 2}),
    Exchange(
        "POST",
        "/v1/completions",
        200,
        {**_MODEL, "prompt": "Hi", "max_tokens": 0, "echo": True, "logprobs": 1},
    ),
    Exchange("POST", "/v1/completions", 400, _MODEL),
    Exchange("POST", "/v1/completions", 404, {**_OTHER_MODEL, **_COMPLETION}),
    Exchange("POST", "/v1/responses", 200, _RESPONSE),
    Exchange("POST", "/v1/responses", 200, {**_RESPONSE, **_STREAM}),
    Exchange(
        "POST",
        "/v1/responses",
        200,
        {
            **_RESPONSE,
            **_STREAM,
            "tools": [_RESPONSE_TOOL],
            "tool_choice": "required",
            "max_output_tokens": 60,
        },
    ),
    Exchange("POST", "/v1/responses", 400, {**_RESPONSE, "input": []}),
    Exchange("POST", "/v1/responses/input_tokens", 200, {"input": "Hello!"}),
    Exchange("POST", "/v1/responses/input_tokens", 400, {"input": []}),
    Exchange("POST", "/v1/responses/input_tokens", 404, {"input": "Hello!", **_OTHER_MODEL}),
    Exchange("POST", "/v1/responses", 404, {**_RESPONSE, **_OTHER_MODEL}),
    Exchange("POST", "/v1/chat/completions/render", 200, {**_MODEL, **_CHAT, "stop": ["x"], "seed": 5}),
    Exchange("POST", "/v1/chat/completions/render", 400, {**_MODEL, **_CHAT, "typical_p": 0.5}),
    Exchange("POST", "/v1/completions/render", 200, {"model": "verbatim-demo", "prompt": ["a", "b"]}),
    Exchange("POST", "/v1/completions/render", 404, {"prompt": "a", **_OTHER_MODEL}),
    Exchange("POST", "/tokenize", 200, {"prompt": "Hello!", "return_token_strs": True}),
    Exchange("POST", "/tokenize", 200, {"messages": _CHAT["messages"]}),
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
    Exchange("POST", "/v1/decisions", 404, {**_DECISION, **_OTHER_MODEL}),
    Exchange("POST", "/v1/embeddings", 200, _EMBEDDING),
    Exchange("POST", "/v1/embeddings", 200, {**_EMBEDDING, "encoding_format": "base64", "dimensions": 8}),
    Exchange("POST", "/v1/embeddings", 400, {**_EMBEDDING, "input": []}),
    Exchange("GET", "/v1/models", 200),
    Exchange("GET", "/v1/models/verbatim-demo", 200),
    Exchange("GET", "/v1/models/other", 404),
)

_MINDIE: Final = (
    Exchange("POST", "/v1/chat/completions", 200, {**_MODEL, **_CHAT}),
    Exchange("POST", "/v1/chat/completions", 200, {**_MODEL, **_CHAT, "n": 2, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 200, {**_MODEL, **_CHAT, "n": 2, "use_beam_search": True}),
    Exchange("POST", "/v1/chat/completions", 200, {**_MODEL, **_CALLING}),
    Exchange("POST", "/v1/chat/completions", 200, {**_MODEL, **_CALLING, **_STREAM}),
    Exchange("POST", "/v1/chat/completions", 200, {**_MODEL, **_CHAT, **_STREAM, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 422, {**_MODEL, **_CALLING, "stop": "."}),
    Exchange("POST", "/v1/chat/completions", 422, {**_OTHER_MODEL, **_CHAT}),
)

_ANY_MODEL: Final = {"model": "tgi"}
_HF_DETAILED: Final = {
    "inputs": "Hello",
    "parameters": {
        "max_new_tokens": 3,
        "details": True,
        "decoder_input_details": True,
        "do_sample": True,
        "best_of": 2,
    },
}

_HF: Final = (
    Exchange("POST", "/generate", 200, _NATIVE),
    Exchange("POST", "/generate", 200, _HF_DETAILED),
    Exchange("POST", "/generate", 400, {"inputs": ""}),
    Exchange("POST", "/generate_stream", 200, _NATIVE),
    Exchange("POST", "/generate_stream", 200, {"inputs": "Hi", "parameters": {"details": True}}),
    Exchange("POST", "/generate_stream", 400, _HF_DETAILED),
    Exchange("POST", "/v1/chat/completions", 200, {**_ANY_MODEL, **_CHAT}),
    Exchange(
        "POST", "/v1/chat/completions", 200, {**_ANY_MODEL, **_CHAT, "logprobs": True, "top_logprobs": 2}
    ),
    Exchange("POST", "/v1/chat/completions", 200, {**_ANY_MODEL, **_CALLING}),
    Exchange("POST", "/v1/chat/completions", 200, {**_ANY_MODEL, **_CALLING, **_STREAM}),
    Exchange(
        "POST",
        "/v1/chat/completions",
        200,
        {**_ANY_MODEL, **_CHAT, **_STREAM, "logprobs": True, "stream_options": {"include_usage": True}},
    ),
    Exchange("POST", "/v1/chat/completions", 400, _CHAT),
    Exchange("POST", "/v1/completions", 200, {**_ANY_MODEL, **_COMPLETION}),
    Exchange("POST", "/v1/completions", 200, {**_ANY_MODEL, **_COMPLETION, **_STREAM}),
    Exchange("POST", "/v1/completions", 400, {**_ANY_MODEL, **_COMPLETION, "suffix": "!"}),
    Exchange("POST", "/tokenize", 200, {"inputs": "Hello", "add_special_tokens": False}),
    Exchange("POST", "/tokenize", 400, {}),
    Exchange("GET", "/health", 200),
    Exchange("GET", "/info", 200),
    Exchange("GET", "/metrics", 200),
    Exchange("GET", "/v1/models", 200),
)

_NAMED: Final = "/v2/models/verbatim-demo"
_VERSION: Final = f"{_NAMED}/versions/1"
_INPUT: Final = {"text_input": "Hello", "parameters": {"max_tokens": 3}}
_TOLD: Final = {
    "id": "42",
    "text_input": "Hello",
    "stop_words": [""],
    "bad_words": [""],
    "return_finish_reason": True,
    "return_cumulative_logprob": True,
    "return_logprobs": True,
    "return_log_probs": True,
    "return_num_input_tokens": True,
    "return_num_output_tokens": True,
    "max_tokens": 3,
    "logprobs": 2,
}

_TRITON: Final = (
    Exchange("POST", f"{_NAMED}/generate", 200, _INPUT),
    Exchange("POST", f"{_NAMED}/generate", 200, {**_TOLD, "n": 2}),
    Exchange("POST", f"{_NAMED}/generate", 400, {**_INPUT, **_STREAM}),
    Exchange("POST", f"{_NAMED}/generate", 400, {"text_input": 5}),
    Exchange("POST", "/v2/models/other/generate", 400, _INPUT),
    Exchange("POST", f"{_NAMED}/generate_stream", 200, _INPUT),
    Exchange("POST", f"{_NAMED}/generate_stream", 200, {**_TOLD, **_STREAM}),
    Exchange("POST", f"{_NAMED}/generate_stream", 200, {**_TOLD, **_STREAM, "n": 2}),
    Exchange("POST", f"{_NAMED}/generate_stream", 400, {}),
    Exchange("POST", f"{_VERSION}/generate", 200, _INPUT),
    Exchange("POST", f"{_NAMED}/versions/9/generate", 404, _INPUT),
    Exchange("POST", f"{_VERSION}/generate_stream", 200, {**_INPUT, **_STREAM}),
    Exchange("GET", "/v2", 200),
    Exchange("GET", "/v2/health/live", 200),
    Exchange("GET", "/v2/health/ready", 200),
    Exchange("POST", "/v2/repository/index", 200, {"ready": True}),
    Exchange("GET", "/v2/models/stats", 200),
    *(
        Exchange("GET", f"{named}{part}", 200)
        for named in (_NAMED, _VERSION)
        for part in ("", "/ready", "/config", "/stats")
    ),
    Exchange("GET", "/v2/models/other", 400),
    Exchange("GET", "/v2/models/other/ready", 400),
    Exchange("GET", f"{_NAMED}/versions/9/stats", 404),
)

_SCORED: Final = {"log_probs": 1, "tokens": True, "echo": True, "raw_completion": True}
_ALEPH_ALPHA_COMPLETION: Final = {**_MODEL, "prompt": "Hello", "maximum_tokens": 3}
_PROMPT_ITEMS: Final = [
    {"type": "text", "data": "Hello", "controls": []},
    {"type": "token_ids", "data": [72, 105]},
]
_EVALUATION: Final = {**_MODEL, "prompt": "Hello", "completion_expected": "! How are you?"}
_TOKENIZATION: Final = {**_MODEL, "prompt": "Hello", "tokens": True, "token_ids": True}

_ALEPH_ALPHA: Final = (
    Exchange("POST", "/chat/completions", 200, {**_MODEL, **_CHAT}),
    Exchange("POST", "/chat/completions", 200, {**_MODEL, **_CHAT, "n": 2, "logprobs": True, "seed": 1}),
    Exchange(
        "POST",
        "/chat/completions",
        200,
        {**_MODEL, **_CHAT, **_STREAM, "top_logprobs": 2, "stream_options": {"include_usage": True}},
    ),
    Exchange("POST", "/chat/completions", 400, {**_MODEL, **_CALLING}),
    Exchange("POST", "/chat/completions", 404, {**_OTHER_MODEL, **_CHAT}),
    Exchange("POST", "/complete", 200, _ALEPH_ALPHA_COMPLETION),
    Exchange("POST", "/complete", 200, {**_ALEPH_ALPHA_COMPLETION, **_SCORED, "prompt": ""}),
    Exchange("POST", "/complete", 200, {**_ALEPH_ALPHA_COMPLETION, **_SCORED, **_STREAM, "n": 2}),
    Exchange("POST", "/complete", 200, {**_ALEPH_ALPHA_COMPLETION, "temperature": 0.7, "best_of": 2}),
    Exchange("POST", "/complete", 400, {**_ALEPH_ALPHA_COMPLETION, "best_of": 1}),
    Exchange("POST", "/complete", 404, {**_ALEPH_ALPHA_COMPLETION, **_OTHER_MODEL}),
    Exchange("POST", "/evaluate", 200, _EVALUATION),
    Exchange("POST", "/evaluate", 200, {**_EVALUATION, "prompt": _PROMPT_ITEMS}),
    Exchange("POST", "/evaluate", 400, {**_EVALUATION, "completion_expected": ""}),
    Exchange("POST", "/evaluate", 404, {**_EVALUATION, **_OTHER_MODEL}),
    Exchange("POST", "/tokenize", 200, _TOKENIZATION),
    Exchange("POST", "/tokenize", 400, _MODEL),
    Exchange("POST", "/tokenize", 404, {**_TOKENIZATION, **_OTHER_MODEL}),
    Exchange("POST", "/detokenize", 200, {**_MODEL, "token_ids": [72, 105]}),
    Exchange("POST", "/detokenize", 400, {**_MODEL, "token_ids": [10**6]}),
    Exchange("GET", "/models_available", 200),
    Exchange("GET", "/model-settings", 200),
    Exchange("GET", "/version", 200),
)

_MESSAGES: Final = {**_MODEL, **_CHAT}
_QUESTION: Final = {"role": "user", "content": "What is 12 plus 30?"}
_ADD: Final = {"name": "add", "input_schema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
_USING: Final = {**_MESSAGES, "tools": [_ADD], "tool_choice": {"type": "any"}, "max_tokens": 60}
_USED: Final = [
    _QUESTION,
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "42"}]},
]
_THINKING: Final = {
    **_MODEL,
    "messages": [_QUESTION],
    "max_tokens": 2000,
    "thinking": {"type": "enabled", "budget_tokens": 1024},
}
_JSON: Final = {"format": {"type": "json_schema", "schema": {"type": "object", "properties": {}}}}

_ANTHROPIC: Final = (
    Exchange("POST", "/v1/messages", 200, _MESSAGES),
    Exchange("POST", "/v1/messages", 200, {**_MESSAGES, **_STREAM, "stop_sequences": ["e"]}),
    Exchange("POST", "/v1/messages", 200, {**_MESSAGES, "max_tokens": 0}),
    Exchange("POST", "/v1/messages", 200, {**_MESSAGES, **_STREAM, "max_tokens": 0}),
    Exchange("POST", "/v1/messages", 200, _USING),
    Exchange("POST", "/v1/messages", 200, {**_USING, **_STREAM}),
    Exchange("POST", "/v1/messages", 200, {**_MESSAGES, "messages": _USED, "tools": [_ADD]}),
    Exchange("POST", "/v1/messages", 200, _THINKING),
    Exchange("POST", "/v1/messages", 200, {**_THINKING, **_STREAM}),
    Exchange("POST", "/v1/messages", 200, {**_MESSAGES, "output_config": _JSON}),
    Exchange("POST", "/v1/messages", 400, {**_THINKING, "max_tokens": 1024}),
    Exchange("POST", "/v1/messages", 400, {**_MESSAGES, "unknown": 1}),
    Exchange("POST", "/v1/messages", 404, {**_MESSAGES, **_OTHER_MODEL}),
    Exchange("POST", "/v1/messages/count_tokens", 200, {**_MODEL, "messages": _USED, "tools": [_ADD]}),
    Exchange("POST", "/v1/messages/count_tokens", 400, _MESSAGES),
    Exchange("POST", "/v1/messages/count_tokens", 404, {**_OTHER_MODEL, "messages": [_QUESTION]}),
    Exchange("GET", "/v1/models", 200),
    Exchange("GET", "/v1/models?limit=1&after_id=verbatim-demo", 200),
    Exchange("GET", "/v1/models?limit=0", 400),
    Exchange("GET", "/v1/models?before_id=other", 400),
    Exchange("GET", "/v1/models/verbatim-demo", 200),
    Exchange("GET", "/v1/models/other", 404),
)

_TOKENS: Final = {"token_ids": [72, 101, 108], "sampling_params": {"max_tokens": 3, "temperature": 0}}
_SCORED_TOKENS: Final = {
    **_TOKENS,
    "sampling_params": {"max_tokens": 3, "n": 2, "seed": 7, "logprobs": 2, "prompt_logprobs": 1},
}
_COUNTED: Final = {"stream_options": {"include_usage": True, "continuous_usage_stats": True}}

_TOKEN_API: Final = (
    Exchange("POST", "/inference/v1/generate", 200, _TOKENS),
    Exchange("POST", "/inference/v1/generate", 200, {**_TOKENS, **_STREAM}),
    Exchange("POST", "/inference/v1/generate", 200, {**_SCORED_TOKENS, **_MODEL}),
    Exchange("POST", "/inference/v1/generate", 200, {**_SCORED_TOKENS, **_STREAM, **_COUNTED}),
    Exchange(
        "POST",
        "/inference/v1/generate",
        200,
        {**_TOKENS, "sampling_params": {"max_tokens": 9, "structured_outputs": {"choice": ["yes", "no"]}}},
    ),
    Exchange("POST", "/inference/v1/generate", 400, {**_TOKENS, "unknown": 1}),
    Exchange("POST", "/inference/v1/generate", 400, {**_TOKENS, "token_ids": [10**6]}),
    Exchange("POST", "/inference/v1/generate", 404, {**_TOKENS, **_OTHER_MODEL}),
    Exchange("GET", "/v1/models", 200),
    Exchange("GET", "/health", 200),
)

_SYSTEM_ONE: Final = (
    Exchange(
        "POST",
        "/v1/systemone",
        200,
        {
            **_MODEL,
            "state": ["It rains", {"hour": 5}],
            "questions": {
                "a": {
                    "type": "noul",
                    "instructions": {"is": "wet"},
                    "criteria": {"true": "Water", "false": None},
                },
                "b": {"type": "choice", "criteria": {"x": None, "y": ["or", "not"]}},
                "c": {"type": "score", "criteria": ["low", {"more": 1}]},
            },
        },
    ),
    Exchange("POST", "/v1/systemone", 422, {**_MODEL, "state": "x", "questions": {"a": {"type": "noul"}}}),
    Exchange("GET", "/v1/models", 200),
)

# By contract; together they succeed at every operation.
EXCHANGES: Final[Mapping[str, Sequence[Exchange]]] = {
    "aleph_alpha": _ALEPH_ALPHA,
    "anthropic": _ANTHROPIC,
    "hf": _HF,
    "mindie": _MINDIE,
    "openai": _OPENAI,
    "systemone": _SYSTEM_ONE,
    "tgi": _TGI,
    "tokens": _TOKEN_API,
    "triton": _TRITON,
}
