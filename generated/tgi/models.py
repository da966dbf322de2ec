# Generated from specs/tgi: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, BaseModel, ConfigDict, Field, StrictBool, StrictStr, StringConstraints
from typing_extensions import TypeAliasType

from generated.json_types import StrictFloat, StrictInt


class ChatCompletionTopLogprob(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    logprob: StrictFloat
    token: StrictStr


class CompletionComplete(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Literal["stop", "length"]
    """
    `stop`: the end or a stop text; `length`: the token bound.
    """
    index: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    logprobs: list[StrictFloat] | None
    text: StrictStr


class ErrorResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    error: StrictStr
    """
    What went wrong, in words.
    """
    error_type: StrictStr
    """
    The kind: `validation`, `template_error`, `tool_error`, `generation`, `overloaded`, `incomplete_generation`, `healthcheck`, `unavailable`, `unauthorized` or another short name.
    """


class Function(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    arguments: StrictStr
    """
    A piece of the arguments' JSON text.
    """
    name: StrictStr | None = None
    """
    In the first piece of a call; null after it.
    """


class FunctionName(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: StrictStr


StopItem = TypeAliasType("StopItem", Annotated[StrictStr, Field(min_length=1)])


class Info(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    docker_label: StrictStr | None
    max_best_of: Annotated[StrictInt, Field(examples=[2], ge=0)]
    max_client_batch_size: Annotated[StrictInt, Field(examples=[4], ge=0)]
    max_concurrent_requests: Annotated[StrictInt, Field(examples=[128], ge=0)]
    """
    Limits of the server: requests that run or wait at once.
    """
    max_input_tokens: Annotated[StrictInt, Field(examples=[1024], ge=0)]
    max_stop_sequences: Annotated[StrictInt, Field(examples=[4], ge=0)]
    max_total_tokens: Annotated[StrictInt, Field(examples=[2048], ge=0)]
    model_id: Annotated[StrictStr, Field(examples=["bigscience/bloom-560m"])]
    """
    The model: its name on the Hub, or its folder.
    """
    model_pipeline_tag: Annotated[StrictStr | None, Field(examples=["text-generation"])]
    model_sha: Annotated[StrictStr | None, Field(examples=["e985a63cdc139290c5f700ff1929f0b5942cced2"])]
    router: Annotated[StrictStr, Field(examples=["text-generation-router"])]
    """
    The program that answers.
    """
    sha: StrictStr | None
    validation_workers: Annotated[StrictInt, Field(examples=[2], ge=0)]
    version: Annotated[StrictStr, Field(examples=["0.5.0"])]


class ModelInfo(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    created: Annotated[StrictInt, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    id: Annotated[StrictStr, Field(examples=["gpt2"])]
    object: Annotated[Literal["model"], Field(examples=["model"])]
    owned_by: Annotated[StrictStr, Field(examples=["openai"])]


class PrefillToken(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictInt, Field(examples=[0], ge=0, le=2147483647)]
    logprob: Annotated[StrictFloat | None, Field(examples=[-0.34])]
    text: Annotated[StrictStr, Field(examples=["test"])]


class SimpleToken(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictInt, Field(examples=[0], ge=0, le=2147483647)]
    start: Annotated[StrictInt, Field(examples=[0], ge=0)]
    stop: Annotated[StrictInt, Field(examples=[2], ge=0)]
    text: Annotated[StrictStr, Field(examples=["test"])]


class StreamDetails(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Annotated[Literal["length", "eos_token", "stop_sequence"], Field(examples=["length"])]
    generated_tokens: Annotated[StrictInt, Field(examples=[1], ge=0, le=2147483647)]
    input_length: Annotated[StrictInt, Field(examples=[1], ge=0, le=2147483647)]
    seed: Annotated[StrictInt | None, Field(examples=[42], ge=0, le=18446744073709551615)]
    """
    The seed that was used; null when no token was drawn at random.
    """


class StreamOptions(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    include_usage: Annotated[StrictBool, Field(examples=[True])] = False
    """
    Send one more chunk before `data: [DONE]`, with an empty list of choices and the token counts of the
    whole request. Every other chunk then has a null `usage`.
    """


class TextMessage(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    content: Annotated[StrictStr, Field(examples=["My name is David and I"])]
    role: Annotated[StrictStr, Field(examples=["user"])]


class Token(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictInt, Field(examples=[0], ge=0, le=2147483647)]
    logprob: Annotated[StrictFloat | None, Field(examples=[-0.34])]
    special: Annotated[StrictBool, Field(examples=[False])]
    text: Annotated[StrictStr, Field(examples=["test"])]


TokenizeResponse = TypeAliasType("TokenizeResponse", list[SimpleToken])


class Url(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    url: StrictStr


class Usage(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    completion_tokens: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    prompt_tokens: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    total_tokens: Annotated[StrictInt, Field(ge=0, le=2147483647)]


PromptText = TypeAliasType("PromptText", Annotated[StrictStr, Field(min_length=1)])


PromptBatch = TypeAliasType("PromptBatch", Annotated[list[PromptText], Field(min_length=1)])


class MessageFunctionCall(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: Annotated[StrictStr, Field(examples=["get_weather"])]
    arguments: StrictStr | dict[str, Any]
    """
    The arguments as JSON text or as an object.
    """


class TextChunk(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["text"]
    text: StrictStr


class ImageUrlChunk(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["image_url"]
    image_url: Url


StopText = TypeAliasType("StopText", Annotated[StrictStr, Field(min_length=1)])


StopList = TypeAliasType("StopList", Annotated[list[StopText], Field(max_length=4)])


Bias = TypeAliasType("Bias", Annotated[StrictFloat, Field(ge=-100.0, le=100.0)])


class RegexGrammar(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["regex"]
    value: Annotated[StrictStr, Field(examples=["[0-9]+"])]
    """
    A regular expression that the whole text must match.
    """


class JsonSchemaConfig(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: StrictStr | None = None
    schema_: Annotated[
        dict[str, Any],
        Field(
            alias="schema",
            examples=[{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}],
        ),
    ]
    """
    The JSON Schema (https://json-schema.org/) that the text must satisfy.
    """
    strict: StrictBool | None = None
    """
    Without effect; the schema is always followed to the letter.
    """


class JsonSchemaFormat(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["json_schema"]
    json_schema: JsonSchemaConfig


class JsonObjectFormat(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["json_object"]
    value: Annotated[
        dict[str, Any] | StrictStr | MISSING,
        Field(
            examples=[{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}]
        ),
    ] = MISSING
    """
    The JSON Schema (https://json-schema.org/) that the text must satisfy, as an object or as JSON text.
    """


class TextFormat(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["text"]


class FunctionDefinition(BaseModel):
    """
    A function that the model may call.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: Annotated[StrictStr, Field(examples=["get_weather"], min_length=1)]
    description: Annotated[StrictStr | None, Field(examples=["The weather in a city"])] = None
    parameters: Annotated[
        dict[str, Any] | None,
        Field(
            examples=[{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}]
        ),
    ] = None
    """
    JSON Schema of the arguments; absent where the function takes none.
    """
    arguments: dict[str, Any] | None = None
    """
    The other name of `parameters`; send one of the two.
    """


class FunctionCall(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: Annotated[StrictStr, Field(examples=["get_weather"])]
    arguments: Annotated[StrictStr, Field(examples=['{"city": "Paris"}'])]
    """
    The arguments as JSON text.
    """


ToolName = TypeAliasType("ToolName", Annotated[StrictStr, Field(min_length=1)])


class NamedToolChoice(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["function"] = "function"
    function: FunctionName


class CompletionChunkChoice(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Literal["stop", "length"] | None
    """
    Null until the last chunk of a choice.
    """
    index: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    logprobs: list[StrictFloat] | None
    text: StrictStr


class ModelList(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    object: Literal["list"]
    data: Annotated[list[ModelInfo], Field(min_length=1)]


class StreamErrorDetail(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    message: Annotated[StrictStr, Field(examples=["Request failed during generation: out of memory"])]
    http_status_code: Annotated[StrictInt, Field(examples=[424], ge=400, le=599)]
    """
    The status that the answer would have had, had it not begun.
    """
    type: Annotated[StrictStr, Field(examples=["generation"])]


class BestOfSequence(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Annotated[Literal["length", "eos_token", "stop_sequence"], Field(examples=["length"])]
    generated_text: Annotated[StrictStr, Field(examples=["test"])]
    generated_tokens: Annotated[StrictInt, Field(examples=[1], ge=0, le=2147483647)]
    prefill: list[PrefillToken]
    seed: Annotated[StrictInt | None, Field(examples=[42], ge=0, le=18446744073709551615)]
    """
    The seed that was used; null when no token was drawn at random.
    """
    tokens: Annotated[list[Token], Field(min_length=1)]
    top_tokens: Annotated[list[list[Token]] | MISSING, Field(min_length=1)] = MISSING


class ChatCompletionLogprob(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    logprob: StrictFloat
    token: StrictStr
    top_logprobs: list[ChatCompletionTopLogprob]


class ChatCompletionLogprobs(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    content: list[ChatCompletionLogprob]


class Chunk(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    choices: list[CompletionChunkChoice]
    created: Annotated[StrictInt, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    id: Annotated[StrictStr, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """
    Unique; the chunks of one answer share it.
    """
    model: StrictStr
    system_fingerprint: StrictStr
    object: Literal["text_completion"]
    usage: Usage | None | MISSING = MISSING
    """
    In the last chunk of each continuation.
    """


class CompletionFinal(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    choices: Annotated[list[CompletionComplete], Field(min_length=1)]
    created: Annotated[StrictInt, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    id: Annotated[StrictStr, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """
    Unique; the chunks of one answer share it.
    """
    model: Annotated[StrictStr, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])]
    system_fingerprint: StrictStr
    usage: Usage
    object: Literal["text_completion"]


class DeltaToolCall(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    function: Function
    id: StrictStr | None
    """
    In the first piece of a call; null after it.
    """
    index: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    type: Literal["function"]


class Details(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    best_of_sequences: Annotated[list[BestOfSequence] | None | MISSING, Field(min_length=1)] = MISSING
    finish_reason: Annotated[Literal["length", "eos_token", "stop_sequence"], Field(examples=["length"])]
    generated_tokens: Annotated[StrictInt, Field(examples=[1], ge=0, le=2147483647)]
    prefill: list[PrefillToken]
    seed: Annotated[StrictInt | None, Field(examples=[42], ge=0, le=18446744073709551615)]
    """
    The seed that was used; null when no token was drawn at random.
    """
    tokens: Annotated[list[Token], Field(min_length=1)]
    top_tokens: Annotated[list[list[Token]] | MISSING, Field(min_length=1)] = MISSING


class GenerateResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    details: Details | None | MISSING = MISSING
    generated_text: Annotated[StrictStr, Field(examples=["test"])]


class StreamResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    details: StreamDetails | None
    generated_text: Annotated[StrictStr | None, Field(examples=["test"])]
    """
    The whole text, on the last event; null before it.
    """
    index: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    """
    Counts the events of the stream, from 1.
    """
    token: Token
    top_tokens: Annotated[list[Token] | MISSING, Field(min_length=1)] = MISSING


class Tool(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    function: FunctionDefinition
    type: Annotated[Literal["function"], Field(examples=["function"])]


class ToolCall(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    function: FunctionCall
    id: StrictStr
    type: Literal["function"]


class ToolCallMessage(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Annotated[StrictStr, Field(examples=["assistant"])]
    tool_calls: Annotated[list[ToolCall], Field(min_length=1)]
    content: StrictStr | None
    """
    What the model said beside its calls.
    """


class MessageToolCall(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictStr, Field(examples=["call_0"])]
    type: Literal["function"]
    function: MessageFunctionCall


class JsonGrammar(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["json", "json_object"]
    value: Annotated[
        dict[str, Any] | StrictStr,
        Field(
            examples=[{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}]
        ),
    ]
    """
    The JSON Schema (https://json-schema.org/) that the text must satisfy, as an object or as JSON text.
    """


class JsonSchemaGrammar(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["json_schema"]
    value: JsonSchemaConfig


class ChatCompletionDelta(BaseModel):
    """
    What is new since the chunk before.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Annotated[StrictStr | MISSING, Field(examples=["assistant"])] = MISSING
    """
    In the first chunk of a choice.
    """
    content: Annotated[StrictStr | None | MISSING, Field(examples=[" David"])] = MISSING
    tool_calls: Annotated[list[DeltaToolCall] | MISSING, Field(min_length=1)] = MISSING


CompatGenerateResponse = TypeAliasType(
    "CompatGenerateResponse", Annotated[list[GenerateResponse], Field(max_length=1, min_length=1)]
)


StreamEvent = TypeAliasType("StreamEvent", StreamResponse | ErrorResponse)
"""
A token, or the error in which a failed stream ends.
"""


class StreamError(BaseModel):
    """
    An error after the first event, in the shape that OpenAI's clients raise as an exception.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    error: StreamErrorDetail
    error_type: Annotated[StrictStr, Field(examples=["generation"])]
    """
    As in ErrorResponse, where huggingface_hub reads it.
    """


class ChatCompletionChoice(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    delta: ChatCompletionDelta
    finish_reason: Literal["stop", "length", "tool_calls"] | None
    """
    Null until the last chunk of a choice.
    """
    index: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    logprobs: ChatCompletionLogprobs | None


class ChatCompletionChunk(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    choices: list[ChatCompletionChoice]
    created: Annotated[StrictInt, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    id: Annotated[StrictStr, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """
    Unique; the chunks of one answer share it.
    """
    model: Annotated[StrictStr, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])]
    system_fingerprint: StrictStr
    usage: Usage | None
    object: Literal["chat.completion.chunk"]


class ChatCompletionComplete(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Literal["stop", "length", "tool_calls"]
    """
    `stop`: the end or a stop text; `length`: the token bound; `tool_calls`: the model called tools.
    """
    index: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    logprobs: ChatCompletionLogprobs | None
    message: TextMessage | ToolCallMessage


class CompletionRequest(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    frequency_penalty: Annotated[StrictFloat | None, Field(examples=[0.1], ge=-2.0, le=2.0)] = None
    """
    From -2 to 2. A positive value lowers the score of a token the more often it has appeared, so that the
    model repeats itself less.
    """
    max_tokens: Annotated[StrictInt | None, Field(ge=1, le=2147483647)] = 32
    """
    Upper bound on the tokens of each continuation. Null fills the context.
    """
    model: Annotated[StrictStr | None, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])] = None
    """
    Any name is accepted, and answered by the served model.
    """
    prompt: PromptText | PromptBatch
    """
    One prompt, or several that are answered in the same order, at most `max_client_batch_size` of /info.
    """
    repetition_penalty: Annotated[StrictFloat | None, Field(gt=0.0)] = None
    """
    Penalty on tokens that have appeared; 1.0 stands for none.
    """
    seed: Annotated[StrictInt | None, Field(examples=[42], ge=0, le=18446744073709551615)] = None
    stream: StrictBool = False
    """
    Answer with server-sent events instead of one JSON object.
    """
    suffix: StrictStr | None = None
    """
    Not supported; a request that has it is refused.
    """
    temperature: Annotated[StrictFloat | None, Field(examples=[1.0], ge=0.0)] = None
    """
    High values make the text more varied, low ones more predictable; 0 always takes the most likely token. Null counts as 1. Change this or `top_p`, rather than both.
    """
    top_p: Annotated[StrictFloat | None, Field(examples=[0.95], gt=0.0, le=1.0)] = None
    """
    Nucleus sampling: draw only from the most likely tokens that together reach this probability.
    With 0.1 these are the tokens of the top tenth of the probability mass.
    """
    stop: StopText | StopList | None = None
    presence_penalty: Annotated[StrictFloat | None, Field(examples=[0.1], ge=-2.0, le=2.0)] = None
    """
    From -2 to 2. A positive value lowers the score of every token that has appeared at all, so that the model moves on to something new.
    """
    top_k: Annotated[StrictInt | None, Field(ge=1, le=2147483647)] = None
    """
    Draw only from this many of the most likely tokens.
    """
    typical_p: Annotated[StrictFloat | None, Field(gt=0.0, le=1.0)] = None
    """
    Probability mass to keep in typical decoding.
    Source: https://arxiv.org/abs/2202.00666
    """


class ContentMessage(BaseModel):
    """
    What someone said, or what a tool returned.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Annotated[StrictStr, Field(examples=["user"])]
    content: StrictStr | list[Annotated[TextChunk | ImageUrlChunk, Field(discriminator="type")]]
    name: Annotated[StrictStr | None, Field(examples=["David"])] = None
    tool_calls: list[MessageToolCall] | None = None
    """
    The calls that an assistant made beside what it said.
    """
    tool_call_id: StrictStr | None = None
    """
    On a message of the role `tool`, the call that it answers.
    """


class ToolCallsMessage(BaseModel):
    """
    An assistant's tool calls without words.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Annotated[StrictStr, Field(examples=["assistant"])]
    content: StrictStr | list[Annotated[TextChunk | ImageUrlChunk, Field(discriminator="type")]] | None = None
    name: StrictStr | None = None
    tool_calls: list[MessageToolCall]


ChatCompletionEvent = TypeAliasType("ChatCompletionEvent", ChatCompletionChunk | StreamError)
"""
A piece of the answer, or the error after which only `[DONE]` comes.
"""


CompletionEvent = TypeAliasType("CompletionEvent", Chunk | StreamError)
"""
A piece of a continuation, or the error after which only `[DONE]` comes.
"""


class ChatCompletion(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    choices: Annotated[list[ChatCompletionComplete], Field(min_length=1)]
    created: Annotated[StrictInt, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    id: Annotated[StrictStr, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """
    Unique; the chunks of one answer share it.
    """
    model: Annotated[StrictStr, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])]
    system_fingerprint: StrictStr
    usage: Usage
    object: Literal["chat.completion"]


class GenerateParameters(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    adapter_id: StrictStr | None = None
    """
    Name of a loaded LoRA adapter to apply; any other is refused.
    """
    best_of: Annotated[StrictInt | None, Field(examples=[1], ge=0)] = None
    """
    Generate this many sequences and answer with the one of highest mean log-probability. 0 counts as 1. At most `max_best_of` of /info; more than 1 needs sampling, no `seed` and no stream.
    """
    decoder_input_details: StrictBool = False
    """
    Return ids and log-probabilities of the prompt's tokens.
    """
    details: StrictBool = False
    """
    Return how the text came about: tokens, log-probabilities, finish reason.
    """
    do_sample: Annotated[StrictBool, Field(examples=[True])] = False
    """
    Draw tokens at random instead of always taking the most likely one. A temperature, top_p or typical_p other than 1, and any top_k, imply it.
    """
    frequency_penalty: Annotated[StrictFloat | None, Field(examples=[0.1], ge=-2.0, le=2.0)] = None
    """
    From -2 to 2; 0 stands for none. A positive value lowers the score of a token the more often it has appeared, so that the model repeats itself less.
    """
    grammar: JsonGrammar | RegexGrammar | JsonSchemaGrammar | None = None
    max_new_tokens: Annotated[StrictInt | None, Field(examples=[20], ge=1, le=2147483647)] = 100
    """
    Upper bound on the tokens to generate. Null fills the context.
    """
    repetition_penalty: Annotated[StrictFloat | None, Field(examples=[1.03], gt=0.0)] = None
    """
    Penalty on tokens that have appeared; 1.0 stands for none.
    Source: https://arxiv.org/pdf/1909.05858.pdf
    """
    return_full_text: Annotated[StrictBool | None, Field(examples=[False])] = None
    """
    Put the prompt in front of the generated text. Null counts as false.
    """
    seed: Annotated[StrictInt | None, Field(ge=0, le=18446744073709551615)] = None
    """
    Seed of the random draws; null draws one, which the details tell.
    """
    stop: Annotated[list[StopItem], Field(examples=[["photographer"]], max_length=4)] = []
    """
    Generation ends as soon as one of these texts appears, which stays in the output.
    """
    temperature: Annotated[StrictFloat | None, Field(examples=[0.5], gt=0.0)] = None
    """
    Divides the logits before sampling.
    """
    top_k: Annotated[StrictInt | None, Field(examples=[10], ge=1, le=2147483647)] = None
    """
    Draw only from this many of the most likely tokens.
    """
    top_n_tokens: Annotated[StrictInt | None, Field(examples=[5], ge=0, le=2147483647)] = None
    """
    Return this many of the most likely tokens at each position; none if 0 or null.
    """
    top_p: Annotated[StrictFloat | None, Field(examples=[0.95], gt=0.0, le=1.0)] = None
    """
    Nucleus sampling: draw only from the most likely tokens that together reach this probability.
    """
    truncate: Annotated[StrictInt | None, Field(ge=1)] = None
    """
    Keep this many of the prompt's tokens, those at its end; at most max_input_tokens of /info.
    """
    typical_p: Annotated[StrictFloat | None, Field(examples=[0.95], gt=0.0, le=1.0)] = None
    """
    Probability mass to keep in typical decoding.
    Source: https://arxiv.org/abs/2202.00666
    """
    watermark: Annotated[StrictBool, Field(examples=[True])] = False
    """
    Mark the text as in https://arxiv.org/abs/2301.10226.
    """


class GenerateRequest(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    inputs: Annotated[StrictStr, Field(examples=["My name is Olivier and I"], min_length=1)]
    """
    The prompt.
    """
    parameters: GenerateParameters | MISSING = MISSING


class ChatRequest(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    frequency_penalty: Annotated[StrictFloat | None, Field(examples=[0.1], ge=-2.0, le=2.0)] = None
    """
    From -2 to 2. A positive value lowers the score of a token the more often it has appeared, so that the
    model repeats itself less.
    """
    guideline: StrictStr | None = None
    """
    Extra text that the chat template may use.
    """
    logprobs: Annotated[StrictBool | None, Field(examples=[True])] = None
    """
    Return the log-probability of each generated token.
    """
    max_tokens: Annotated[StrictInt | None, Field(examples=[32], ge=1, le=2147483647)] = None
    """
    Upper bound on the tokens of the answer. Null fills the context. `max_completion_tokens` is its other name; send one of the two.
    """
    messages: Annotated[
        list[ContentMessage | ToolCallsMessage],
        Field(examples=[[{"role": "user", "content": "What is Deep Learning?"}]], min_length=1),
    ]
    """
    The conversation so far, oldest message first.
    """
    model: Annotated[StrictStr | None, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])] = None
    """
    Any name is accepted, and answered by the served model.
    """
    n: Annotated[StrictInt | None, Field(examples=[2], ge=1, le=16)] = None
    """
    How many answers to generate; every one of them costs tokens. Null counts as 1.
    """
    presence_penalty: Annotated[StrictFloat | None, Field(examples=[0.1], ge=-2.0, le=2.0)] = None
    """
    From -2 to 2. A positive value lowers the score of every token that has appeared at all, so that the
    model moves on to something new.
    """
    response_format: (
        JsonGrammar
        | RegexGrammar
        | JsonSchemaGrammar
        | JsonSchemaFormat
        | JsonObjectFormat
        | TextFormat
        | None
    ) = None
    """
    What form the answer must have; null leaves it free. Excludes `tools`.
    """
    seed: Annotated[StrictInt | None, Field(examples=[42], ge=0, le=18446744073709551615)] = None
    stream: StrictBool = False
    """
    Answer with server-sent events instead of one JSON object.
    """
    stream_options: StreamOptions | None = None
    temperature: Annotated[StrictFloat | None, Field(examples=[1.0], ge=0.0)] = None
    """
    High values make the text more varied, low ones more predictable; 0 always takes the most likely token. Null counts as 1. Change this or `top_p`, rather than both.
    """
    tool_choice: Literal["auto", "none", "required"] | ToolName | NamedToolChoice | None = None
    tool_prompt: Annotated[
        StrictStr | None,
        Field(
            examples=[
                "Given the functions available, please respond with a JSON for a function call with its proper arguments that best answers the given prompt. Respond in the format {name: function name, parameters: dictionary of argument name and its value}.Do not use variables."
            ]
        ),
    ] = None
    """
    Text to put under the last message where tools are offered.
    """
    tools: list[Tool] | None = None
    """
    The functions that the model may call. Functions are the only kind of tool.
    """
    top_logprobs: Annotated[StrictInt | None, Field(examples=[5], ge=0, le=5)] = None
    """
    How many of the most likely tokens, 0 to 5, to return at each position with their log-probabilities.
    Needs `logprobs` to be true.
    """
    top_p: Annotated[StrictFloat | None, Field(examples=[0.95], gt=0.0, le=1.0)] = None
    """
    Nucleus sampling: draw only from the most likely tokens that together reach this probability.
    With 0.1 these are the tokens of the top tenth of the probability mass.
    """
    stop: StopText | StopList | None = None
    logit_bias: (
        dict[Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,9})$", strict=True)], Bias] | None
    ) = None
    """
    A number from -100 to 100 for each token id, which is added to that token's score before sampling: small values nudge, the extremes forbid or force a token.
    """
    max_completion_tokens: Annotated[StrictInt | None, Field(ge=1, le=2147483647)] = None
    """
    The other name of `max_tokens`; send one of the two.
    """
    repetition_penalty: Annotated[StrictFloat | None, Field(gt=0.0)] = None
    """
    Penalty on tokens that have appeared; 1.0 stands for none.
    """
    top_k: Annotated[StrictInt | None, Field(ge=1, le=2147483647)] = None
    """
    Draw only from this many of the most likely tokens.
    """
    typical_p: Annotated[StrictFloat | None, Field(gt=0.0, le=1.0)] = None
    """
    Probability mass to keep in typical decoding.
    Source: https://arxiv.org/abs/2202.00666
    """


class CompatGenerateRequest(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    inputs: Annotated[StrictStr, Field(examples=["My name is Olivier and I"], min_length=1)]
    """
    The prompt.
    """
    parameters: GenerateParameters | MISSING = MISSING
    stream: StrictBool = False
