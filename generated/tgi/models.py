# Generated from specs/tgi: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, BaseModel, Field, StrictBool, StrictStr, StringConstraints
from typing_extensions import TypeAliasType

from verbatim_kit.runtime.json_types import StrictFloat, StrictInt


class ChatCompletionTopLogprob(BaseModel):
    logprob: StrictFloat
    """
    Natural logarithm of the token's probability; -9999 stands for 0.
    """
    token: StrictStr
    """
    The token decoded by itself.
    """


class CompletionComplete(BaseModel):
    finish_reason: Literal["stop", "length"]
    """
    `stop`: the end or a stop text; `length`: the token bound.
    """
    index: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    """
    Which of the prompts, from 0.
    """
    logprobs: list[StrictFloat] | None
    """
    Always null; completions tell no log-probabilities.
    """
    text: StrictStr
    """
    The continuation, without the prompt and the stop text.
    """


class ErrorResponse(BaseModel):
    error: StrictStr
    """
    What went wrong, in words.
    """
    error_type: StrictStr
    """
    The kind: `validation`, `template_error`, `tool_error`, `generation`, `overloaded`, `incomplete_generation`, `healthcheck`, `unavailable`, `unauthorized` or another short name.
    """


class Function(BaseModel):
    arguments: StrictStr
    """
    A piece of the arguments' JSON text.
    """
    name: StrictStr | None = None
    """
    In the first piece of a call; null after it.
    """


class FunctionName(BaseModel):
    name: StrictStr
    """
    The name of one of `tools`; any other is refused.
    """


StopItem = TypeAliasType("StopItem", Annotated[StrictStr, Field(min_length=1)])


class Info(BaseModel):
    docker_label: StrictStr | None
    """
    The label of the container image. Always null.
    """
    max_best_of: Annotated[StrictInt, Field(examples=[2], ge=0)]
    """
    Highest `best_of` of a request.
    """
    max_client_batch_size: Annotated[StrictInt, Field(examples=[4], ge=0)]
    """
    Most prompts of one request of /v1/completions.
    """
    max_concurrent_requests: Annotated[StrictInt, Field(examples=[128], ge=0)]
    """
    Limits of the server: requests that run or wait at once.
    """
    max_input_tokens: Annotated[StrictInt, Field(examples=[1024], ge=0)]
    """
    Longest prompt, in tokens.
    """
    max_stop_sequences: Annotated[StrictInt, Field(examples=[4], ge=0)]
    """
    Most stop texts of a request.
    """
    max_total_tokens: Annotated[StrictInt, Field(examples=[2048], ge=0)]
    """
    Longest prompt and text together, in tokens.
    """
    model_id: Annotated[StrictStr, Field(examples=["bigscience/bloom-560m"])]
    """
    The model: its name on the Hub, or its folder.
    """
    model_pipeline_tag: Annotated[StrictStr | None, Field(examples=["text-generation"])]
    """
    What the model is for; always `text-generation`.
    """
    model_sha: Annotated[StrictStr | None, Field(examples=["e985a63cdc139290c5f700ff1929f0b5942cced2"])]
    """
    The revision of the model, null where it has none.
    """
    router: Annotated[StrictStr, Field(examples=["text-generation-router"])]
    """
    The program that answers.
    """
    sha: StrictStr | None
    """
    The commit that the server was built from. Always null.
    """
    validation_workers: Annotated[StrictInt, Field(examples=[2], ge=0)]
    """
    Threads that tokenize long prompts.
    """
    version: Annotated[StrictStr, Field(examples=["0.5.0"])]
    """
    The version of the server.
    """


class ModelInfo(BaseModel):
    created: Annotated[StrictInt, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    """
    When the server started; Unix time in seconds.
    """
    id: Annotated[StrictStr, Field(examples=["gpt2"])]
    """
    The name of the served model.
    """
    object: Annotated[Literal["model"], Field(examples=["model"])]
    owned_by: Annotated[StrictStr, Field(examples=["openai"])]
    """
    Who serves the model; always `verbatim`.
    """


class PrefillToken(BaseModel):
    id: Annotated[StrictInt, Field(examples=[0], ge=0, le=2147483647)]
    """
    The token's id in the model's vocabulary.
    """
    logprob: Annotated[StrictFloat | None, Field(examples=[-0.34])]
    """
    Natural logarithm of the token's probability after those before it. Null for the first, and where the probability was 0.
    """
    text: Annotated[StrictStr, Field(examples=["test"])]
    """
    The token's part of the prompt.
    """


class SimpleToken(BaseModel):
    id: Annotated[StrictInt, Field(examples=[0], ge=0, le=2147483647)]
    """
    The token's id in the model's vocabulary.
    """
    start: Annotated[StrictInt, Field(examples=[0], ge=0)]
    """
    Where the token's text begins, in bytes of the prompt as UTF-8.
    """
    stop: Annotated[StrictInt, Field(examples=[2], ge=0)]
    """
    Where the token's text ends, in bytes of the prompt as UTF-8; the byte before is its last.
    """
    text: Annotated[StrictStr, Field(examples=["test"])]
    """
    The part of the prompt that the token covers. Tokens that share a character all show it.
    """


class StreamDetails(BaseModel):
    finish_reason: Annotated[Literal["length", "eos_token", "stop_sequence"], Field(examples=["length"])]
    """
    What ended the text.
    """
    generated_tokens: Annotated[StrictInt, Field(examples=[1], ge=0, le=2147483647)]
    """
    Tokens generated, the end token counted.
    """
    input_length: Annotated[StrictInt, Field(examples=[1], ge=0, le=2147483647)]
    """
    Tokens of the prompt.
    """
    seed: Annotated[StrictInt | None, Field(examples=[42], ge=0, le=18446744073709551615)]
    """
    The seed that was used; null when no token was drawn at random.
    """


class StreamOptions(BaseModel):
    include_usage: Annotated[StrictBool, Field(examples=[True])] = False
    """
    Send one more chunk before `data: [DONE]`, with an empty list of choices and the token counts of the
    whole request. Every other chunk then has a null `usage`.
    """


class TextMessage(BaseModel):
    content: Annotated[StrictStr, Field(examples=["My name is David and I"])]
    """
    The answer's text. If the model thinks, its thoughts stand in it too.
    """
    role: Annotated[StrictStr, Field(examples=["user"])]
    """
    Who speaks; always `assistant`.
    """


class Token(BaseModel):
    id: Annotated[StrictInt, Field(examples=[0], ge=0, le=2147483647)]
    """
    The token's id in the model's vocabulary.
    """
    logprob: Annotated[StrictFloat | None, Field(examples=[-0.34])]
    """
    Natural logarithm of the probability that the model gave the token, before temperature and penalties; null stands for a probability of 0.
    """
    special: Annotated[StrictBool, Field(examples=[False])]
    """
    Whether it is a special token, such as the one that ends a text; those are left out of `generated_text`.
    """
    text: Annotated[StrictStr, Field(examples=["test"])]
    """
    What the token adds to the text, empty while a character is not complete; in `top_tokens`, the token decoded by itself.
    """


TokenizeResponse = TypeAliasType("TokenizeResponse", list[SimpleToken])


class Url(BaseModel):
    url: StrictStr
    """
    Where the picture is, or the picture itself as a data URL.
    """


class Usage(BaseModel):
    completion_tokens: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    """
    Tokens generated over all sequences, end tokens counted.
    """
    prompt_tokens: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    """
    Tokens of the prompts, as the model read them; one prompt counts once, however many answers it has.
    """
    total_tokens: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    """
    Both together.
    """


PromptText = TypeAliasType("PromptText", Annotated[StrictStr, Field(min_length=1)])


PromptBatch = TypeAliasType("PromptBatch", Annotated[list[PromptText], Field(min_length=1)])


class MessageFunctionCall(BaseModel):
    name: Annotated[StrictStr, Field(examples=["get_weather"])]
    """
    The function that was called.
    """
    arguments: StrictStr | dict[str, Any]
    """
    The arguments as JSON text or as an object.
    """


class TextChunk(BaseModel):
    type: Literal["text"]
    text: StrictStr
    """
    The text.
    """


class ImageUrlChunk(BaseModel):
    type: Literal["image_url"]
    image_url: Url
    """
    The picture. A model that reads text alone refuses it.
    """


StopText = TypeAliasType("StopText", Annotated[StrictStr, Field(min_length=1)])


StopList = TypeAliasType("StopList", Annotated[list[StopText], Field(max_length=4)])


Bias = TypeAliasType("Bias", Annotated[StrictFloat, Field(ge=-100.0, le=100.0)])


class RegexGrammar(BaseModel):
    type: Literal["regex"]
    value: Annotated[StrictStr, Field(examples=["[0-9]+"])]
    """
    A regular expression that the whole text must match.
    """


class JsonSchemaConfig(BaseModel):
    name: StrictStr | None = None
    """
    A name for the schema. It has no effect.
    """
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
    type: Literal["json_schema"]
    json_schema: JsonSchemaConfig
    """
    The schema, and its name.
    """


class JsonObjectFormat(BaseModel):
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
    type: Literal["text"]


class FunctionDefinition(BaseModel):
    """
    A function that the model may call.
    """

    name: Annotated[StrictStr, Field(examples=["get_weather"], min_length=1)]
    """
    What the model calls the function.
    """
    description: Annotated[StrictStr | None, Field(examples=["The weather in a city"])] = None
    """
    What the function does and when to call it, for the model to read.
    """
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
    name: Annotated[StrictStr, Field(examples=["get_weather"])]
    """
    The function that is called, which is one of `tools`.
    """
    arguments: Annotated[StrictStr, Field(examples=['{"city": "Paris"}'])]
    """
    The arguments as JSON text.
    """


ToolName = TypeAliasType("ToolName", Annotated[StrictStr, Field(min_length=1)])


class NamedToolChoice(BaseModel):
    type: Literal["function"] = "function"
    function: FunctionName
    """
    The function that the model has to call.
    """


class CompletionChunkChoice(BaseModel):
    finish_reason: Literal["stop", "length"] | None
    """
    Null until the last chunk of a choice.
    """
    index: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    """
    Which of the prompts, from 0.
    """
    logprobs: list[StrictFloat] | None
    """
    Always null; completions tell no log-probabilities.
    """
    text: StrictStr
    """
    What the continuation gains; it may be empty.
    """


class ModelList(BaseModel):
    object: Literal["list"]
    data: Annotated[list[ModelInfo], Field(min_length=1)]
    """
    The one model that is served.
    """


class StreamErrorDetail(BaseModel):
    message: Annotated[StrictStr, Field(examples=["Request failed during generation: out of memory"])]
    """
    What went wrong, for people to read.
    """
    http_status_code: Annotated[StrictInt, Field(examples=[424], ge=400, le=599)]
    """
    The status that the answer would have had, had it not begun.
    """
    type: Annotated[StrictStr, Field(examples=["generation"])]
    """
    The kind of error, the same as `error_type`.
    """


class BestOfSequence(BaseModel):
    finish_reason: Annotated[Literal["length", "eos_token", "stop_sequence"], Field(examples=["length"])]
    """
    What ended the sequence.
    """
    generated_text: Annotated[StrictStr, Field(examples=["test"])]
    """
    The text of this sequence; with `return_full_text`, after the prompt.
    """
    generated_tokens: Annotated[StrictInt, Field(examples=[1], ge=0, le=2147483647)]
    """
    Tokens generated, the end token counted.
    """
    prefill: list[PrefillToken]
    """
    The prompt's tokens; empty unless `decoder_input_details` is true.
    """
    seed: Annotated[StrictInt | None, Field(examples=[42], ge=0, le=18446744073709551615)]
    """
    The seed that was used; null when no token was drawn at random.
    """
    tokens: Annotated[list[Token], Field(min_length=1)]
    """
    The generated tokens in their order, the end token included.
    """
    top_tokens: Annotated[list[list[Token]] | MISSING, Field(min_length=1)] = MISSING
    """
    For each generated token the most likely ones in its place, the best first. There only if `top_n_tokens` is above 0.
    """


class ChatCompletionLogprob(BaseModel):
    logprob: StrictFloat
    """
    Natural logarithm of the probability that the model gave the token, before temperature and penalties; -9999 stands for 0.
    """
    token: StrictStr
    """
    What the token adds to the text. Empty while a character is not complete.
    """
    top_logprobs: list[ChatCompletionTopLogprob]
    """
    The most likely tokens in its place, the best first; empty unless `top_logprobs` asks for them.
    """


class ChatCompletionLogprobs(BaseModel):
    content: list[ChatCompletionLogprob]
    """
    One entry a generated token, the end token included.
    """


class Chunk(BaseModel):
    choices: list[CompletionChunkChoice]
    """
    What the continuation of one prompt gains.
    """
    created: Annotated[StrictInt, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    """
    When the answer began; Unix time in seconds.
    """
    id: Annotated[StrictStr, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """
    Unique; the chunks of one answer share it.
    """
    model: StrictStr
    """
    The name of the served model, whatever name the request had.
    """
    system_fingerprint: StrictStr
    """
    The version of the server.
    """
    object: Literal["text_completion"]
    usage: Usage | None | MISSING = MISSING
    """
    In the last chunk of each continuation.
    """


class CompletionFinal(BaseModel):
    choices: Annotated[list[CompletionComplete], Field(min_length=1)]
    """
    One continuation of each prompt, in the prompts' order.
    """
    created: Annotated[StrictInt, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    """
    When the answer began; Unix time in seconds.
    """
    id: Annotated[StrictStr, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """
    Unique; the chunks of one answer share it.
    """
    model: Annotated[StrictStr, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])]
    """
    The name of the served model, whatever name the request had.
    """
    system_fingerprint: StrictStr
    """
    The version of the server.
    """
    usage: Usage
    """
    What the request cost, in tokens, over all its prompts.
    """
    object: Literal["text_completion"]


class DeltaToolCall(BaseModel):
    function: Function
    """
    The function's name in the first piece of a call, and a piece of its arguments.
    """
    id: StrictStr | None
    """
    In the first piece of a call; null after it.
    """
    index: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    """
    Which of the answer's calls, from 0.
    """
    type: Literal["function"]


class Details(BaseModel):
    best_of_sequences: Annotated[list[BestOfSequence] | None | MISSING, Field(min_length=1)] = MISSING
    """
    The other sequences of a `best_of` above 1; absent where there are none.
    """
    finish_reason: Annotated[Literal["length", "eos_token", "stop_sequence"], Field(examples=["length"])]
    """
    What ended the sequence.
    """
    generated_tokens: Annotated[StrictInt, Field(examples=[1], ge=0, le=2147483647)]
    """
    Tokens generated, the end token counted.
    """
    prefill: list[PrefillToken]
    """
    The prompt's tokens; empty unless `decoder_input_details` is true.
    """
    seed: Annotated[StrictInt | None, Field(examples=[42], ge=0, le=18446744073709551615)]
    """
    The seed that was used; null when no token was drawn at random.
    """
    tokens: Annotated[list[Token], Field(min_length=1)]
    """
    The generated tokens in their order, the end token included.
    """
    top_tokens: Annotated[list[list[Token]] | MISSING, Field(min_length=1)] = MISSING
    """
    For each generated token the most likely ones in its place, the best first. There only if `top_n_tokens` is above 0.
    """


class GenerateResponse(BaseModel):
    details: Details | None | MISSING = MISSING
    """
    How the text came about. There only if `details` or `decoder_input_details` is true.
    """
    generated_text: Annotated[StrictStr, Field(examples=["test"])]
    """
    The text, its stop text included; with `return_full_text`, after the prompt.
    """


class StreamResponse(BaseModel):
    details: StreamDetails | None
    """
    How the text came about, on the last event if `details` is true; else null.
    """
    generated_text: Annotated[StrictStr | None, Field(examples=["test"])]
    """
    The whole text, on the last event; null before it.
    """
    index: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    """
    Counts the events of the stream, from 1.
    """
    token: Token
    """
    The token that the event tells of.
    """
    top_tokens: Annotated[list[Token] | MISSING, Field(min_length=1)] = MISSING
    """
    The most likely tokens in the token's place, the best first. There only if `top_n_tokens` is above 0.
    """


class Tool(BaseModel):
    function: FunctionDefinition
    type: Annotated[Literal["function"], Field(examples=["function"])]


class ToolCall(BaseModel):
    function: FunctionCall
    """
    The function that is called, and with what.
    """
    id: StrictStr
    """
    Unique; repeat it as `tool_call_id` of the message that holds what the function returned.
    """
    type: Literal["function"]


class ToolCallMessage(BaseModel):
    role: Annotated[StrictStr, Field(examples=["assistant"])]
    """
    Who speaks; always `assistant`.
    """
    tool_calls: Annotated[list[ToolCall], Field(min_length=1)]
    """
    The functions that the model calls.
    """
    content: StrictStr | None
    """
    What the model said beside its calls.
    """


class MessageToolCall(BaseModel):
    id: Annotated[StrictStr, Field(examples=["call_0"])]
    """
    The id that the call had in the answer.
    """
    type: Literal["function"]
    function: MessageFunctionCall
    """
    The function that was called, and with what.
    """


class JsonGrammar(BaseModel):
    type: Literal["json", "json_object"]
    """
    The text is JSON that satisfies `value`. Both words mean the same.
    """
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
    type: Literal["json_schema"]
    value: JsonSchemaConfig
    """
    The schema, and its name.
    """


class ChatCompletionDelta(BaseModel):
    """
    What is new since the chunk before.
    """

    role: Annotated[StrictStr | MISSING, Field(examples=["assistant"])] = MISSING
    """
    In the first chunk of a choice.
    """
    content: Annotated[StrictStr | None | MISSING, Field(examples=[" David"])] = MISSING
    """
    What the text gains.
    """
    tool_calls: Annotated[list[DeltaToolCall] | MISSING, Field(min_length=1)] = MISSING
    """
    Pieces of the functions' calls.
    """


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

    error: StreamErrorDetail
    """
    What went wrong.
    """
    error_type: Annotated[StrictStr, Field(examples=["generation"])]
    """
    As in ErrorResponse, where huggingface_hub reads it.
    """


class ChatCompletionChoice(BaseModel):
    delta: ChatCompletionDelta
    finish_reason: Literal["stop", "length", "tool_calls"] | None
    """
    Null until the last chunk of a choice.
    """
    index: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    """
    Which of the answers, from 0.
    """
    logprobs: ChatCompletionLogprobs | None
    """
    Of the tokens that the chunk brings; null unless `logprobs` is true.
    """


class ChatCompletionChunk(BaseModel):
    choices: list[ChatCompletionChoice]
    """
    What one answer gains. Empty in the chunk that tells the token counts.
    """
    created: Annotated[StrictInt, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    """
    When the answer began; Unix time in seconds.
    """
    id: Annotated[StrictStr, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """
    Unique; the chunks of one answer share it.
    """
    model: Annotated[StrictStr, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])]
    """
    The name of the served model, whatever name the request had.
    """
    system_fingerprint: StrictStr
    """
    The version of the server.
    """
    usage: Usage | None
    """
    What the request cost, in tokens; null but for the last chunk of a stream whose `stream_options` ask for it.
    """
    object: Literal["chat.completion.chunk"]


class ChatCompletionComplete(BaseModel):
    finish_reason: Literal["stop", "length", "tool_calls"]
    """
    `stop`: the end or a stop text; `length`: the token bound; `tool_calls`: the model called tools.
    """
    index: Annotated[StrictInt, Field(ge=0, le=2147483647)]
    """
    The answer's place in the list, from 0.
    """
    logprobs: ChatCompletionLogprobs | None
    """
    Log-probabilities of the generated tokens; null unless `logprobs` is true.
    """
    message: TextMessage | ToolCallMessage
    """
    The answer.
    """


class CompletionRequest(BaseModel):
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
    """
    Seed of the random draws, the same for every prompt; with null each prompt draws its own.
    """
    stream: StrictBool = False
    """
    Answer with server-sent events instead of one JSON object.
    """
    suffix: StrictStr | None = None
    """
    The text after the gap that the answer fills. It needs a model whose vocabulary has tokens for fill in the middle, and is refused for others; an empty text is none.
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
    """
    Texts that end the text and are cut off it, at most 4 of them. Null stands for none.
    """
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

    role: Annotated[StrictStr, Field(examples=["user"])]
    """
    Who speaks: `system`, `user`, `assistant` or `tool`, or what else the model's template knows.
    """
    content: StrictStr | list[Annotated[TextChunk | ImageUrlChunk, Field(discriminator="type")]]
    """
    A text, or parts of text and pictures. A model that reads text alone refuses pictures.
    """
    name: Annotated[StrictStr | None, Field(examples=["David"])] = None
    """
    The speaker, or the function that answers, for templates that show it.
    """
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

    role: Annotated[StrictStr, Field(examples=["assistant"])]
    """
    Who speaks, which is the `assistant`.
    """
    content: StrictStr | list[Annotated[TextChunk | ImageUrlChunk, Field(discriminator="type")]] | None = None
    """
    Text beside the calls; null where there is none.
    """
    name: StrictStr | None = None
    """
    The speaker, for templates that show it.
    """
    tool_calls: list[MessageToolCall]
    """
    The calls that the model made.
    """


ChatCompletionEvent = TypeAliasType("ChatCompletionEvent", ChatCompletionChunk | StreamError)
"""
A piece of the answer, or the error after which only `[DONE]` comes.
"""


CompletionEvent = TypeAliasType("CompletionEvent", Chunk | StreamError)
"""
A piece of a continuation, or the error after which only `[DONE]` comes.
"""


class ChatCompletion(BaseModel):
    choices: Annotated[list[ChatCompletionComplete], Field(min_length=1)]
    """
    The answers, as many as `n` asks for.
    """
    created: Annotated[StrictInt, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    """
    When the answer began; Unix time in seconds.
    """
    id: Annotated[StrictStr, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """
    Unique; the chunks of one answer share it.
    """
    model: Annotated[StrictStr, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])]
    """
    The name of the served model, whatever name the request had.
    """
    system_fingerprint: StrictStr
    """
    The version of the server.
    """
    usage: Usage
    """
    What the request cost, in tokens, over all its answers.
    """
    object: Literal["chat.completion"]


class GenerateParameters(BaseModel):
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
    """
    The form that the text must have; null leaves it free.
    """
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
    inputs: Annotated[StrictStr, Field(examples=["My name is Olivier and I"], min_length=1)]
    """
    The prompt.
    """
    parameters: GenerateParameters | MISSING = MISSING
    """
    How to generate. Absent and empty mean the same, which is the defaults.
    """


class ChatRequest(BaseModel):
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
    """
    Seed of the random draws; null draws one, which is not told.
    """
    stream: StrictBool = False
    """
    Answer with server-sent events instead of one JSON object.
    """
    stream_options: StreamOptions | None = None
    """
    What else a stream tells. It has no effect where `stream` is false.
    """
    temperature: Annotated[StrictFloat | None, Field(examples=[1.0], ge=0.0)] = None
    """
    High values make the text more varied, low ones more predictable; 0 always takes the most likely token. Null counts as 1. Change this or `top_p`, rather than both.
    """
    tool_choice: Literal["auto", "none", "required"] | ToolName | NamedToolChoice | None = None
    """
    Whether functions are to be called, and which. Null counts as `auto`.
    """
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
    """
    Texts that end the text and are cut off it, at most 4 of them. Null stands for none.
    """
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
    inputs: Annotated[StrictStr, Field(examples=["My name is Olivier and I"], min_length=1)]
    """
    The prompt.
    """
    parameters: GenerateParameters | MISSING = MISSING
    """
    How to generate. Absent and empty mean the same, which is the defaults.
    """
    stream: StrictBool = False
    """
    Answer with server-sent events, as /generate_stream does, instead of one JSON array.
    """
