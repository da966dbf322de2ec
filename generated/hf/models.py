# Generated from specs/hf: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, BaseModel, ConfigDict, Field, StrictBool, StrictStr
from typing_extensions import TypeAliasType

from generated.json_types import StrictFloat, StrictInt


class Info(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    model_id: StrictStr
    """
    The served model.
    """
    model_sha: StrictStr | MISSING = MISSING
    """
    Revision of the model.
    """
    model_dtype: Literal["float16", "bfloat16", "float32"]
    """
    Type of the weights.
    """
    model_device_type: StrictStr
    """
    Kind of device, such as cuda or cpu.
    """
    model_pipeline_tag: StrictStr
    """
    What the model is for.
    """
    max_concurrent_requests: Annotated[StrictInt, Field(ge=0)]
    max_best_of: Annotated[StrictInt, Field(ge=0)]
    max_stop_sequences: Annotated[StrictInt, Field(ge=0)]
    max_input_length: Annotated[StrictInt, Field(ge=0)]
    """
    Longest prompt, in tokens.
    """
    max_total_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Longest prompt and text together, in tokens.
    """
    waiting_served_ratio: StrictFloat | MISSING = MISSING
    max_batch_total_tokens: Annotated[StrictInt, Field(ge=0)]
    max_waiting_tokens: Annotated[StrictInt | MISSING, Field(ge=0)] = MISSING
    validation_workers: Annotated[StrictInt, Field(ge=0)]
    max_client_batch_size: Annotated[StrictInt, Field(ge=0)]
    version: StrictStr
    """
    Version of the server.
    """
    sha: StrictStr | MISSING = MISSING
    """
    Commit that the server was built from.
    """
    docker_label: StrictStr | MISSING = MISSING
    """
    Label of the container image.
    """


class Usage(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    prompt_tokens: Annotated[StrictInt, Field(ge=0)]
    completion_tokens: Annotated[StrictInt, Field(ge=0)]
    total_tokens: Annotated[StrictInt, Field(ge=0)]


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
    The kind: `validation`, `template_error`, `tool_error`, `generation`, `overloaded`, `incomplete_generation`, `unavailable`, `unauthorized` or another short name.
    """


StopItem = TypeAliasType("StopItem", Annotated[StrictStr, Field(min_length=1)])


class RegexGrammar(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["regex"]
    value: StrictStr
    """
    A regular expression that the whole text must match.
    """


class Token(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictInt, Field(ge=0)]
    text: StrictStr
    logprob: StrictFloat | MISSING = MISSING
    special: StrictBool


class PrefillToken(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictInt, Field(ge=0)]
    text: StrictStr
    logprob: StrictFloat | MISSING = MISSING


class TextPart(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["text"]
    text: StrictStr


class ImageUrl(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    url: StrictStr


class FunctionCall(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: StrictStr
    arguments: StrictStr | MISSING = MISSING
    """
    The arguments as JSON text; without it, none.
    """
    description: StrictStr | None | MISSING = MISSING
    """
    Without effect; older servers sent it, and clients send it back.
    """


StopText = TypeAliasType("StopText", Annotated[StrictStr, Field(min_length=1)])


class StreamOptions(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    include_usage: StrictBool = False
    """
    Send one more chunk before `data: [DONE]`, without choices and with the token counts.
    """


class FunctionName(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: StrictStr


class FunctionDefinition(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: Annotated[StrictStr, Field(min_length=1)]
    description: StrictStr | MISSING = MISSING
    parameters: dict[str, Any] | MISSING = MISSING
    """
    JSON Schema of the arguments; absent where the function takes none.
    """


class TextFormat(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["text"]


class NamedSchema(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: StrictStr
    description: StrictStr | MISSING = MISSING
    """
    Without effect; it tells people what the form is for.
    """
    schema_: Annotated[dict[str, Any] | MISSING, Field(alias="schema")] = MISSING
    """
    The JSON Schema that the answer must satisfy; without it any JSON object.
    """
    strict: StrictBool | MISSING = MISSING
    """
    Without effect; the schema is always followed to the letter.
    """


class JsonObjectFormat(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["json_object"]
    value: StrictStr | dict[str, Any] | MISSING = MISSING
    """
    The JSON Schema (https://json-schema.org/) that the text must satisfy, as JSON text or as an object.
    """


class AnswerFunctionCall(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: StrictStr
    arguments: StrictStr
    """
    The arguments as JSON text.
    """
    description: StrictStr | MISSING = MISSING
    """
    Never sent; a call describes no function.
    """


class TopLogprob(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    token: StrictStr
    logprob: StrictFloat


class DeltaFunction(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: StrictStr | MISSING = MISSING
    """
    In the first piece of a call.
    """
    arguments: StrictStr
    """
    A piece of the arguments' JSON text.
    """


PromptText = TypeAliasType("PromptText", Annotated[StrictStr, Field(min_length=1)])


PromptBatch = TypeAliasType("PromptBatch", Annotated[list[PromptText], Field(min_length=1)])


class CompletionChoice(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    text: StrictStr
    index: Annotated[StrictInt, Field(ge=0)]
    finish_reason: Literal["stop", "length"]
    """
    `stop`: the end or a stop text; `length`: the token bound.
    """


class CompletionChunkChoice(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    text: StrictStr
    index: Annotated[StrictInt, Field(ge=0)]
    finish_reason: Literal["stop", "length"] | MISSING = MISSING
    """
    `stop`: the end or a stop text; `length`: the token bound.
    """


class Model(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: StrictStr
    """
    The model's name.
    """
    object: Literal["model"]
    created: Annotated[StrictInt, Field(ge=0)]
    """
    When the server started; Unix time in seconds.
    """
    owned_by: StrictStr


class TokenizeRequest(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    inputs: StrictStr
    """
    The text.
    """
    add_special_tokens: StrictBool = True
    """
    Add the tokenizer's special tokens.
    """


class TextToken(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictInt, Field(ge=0)]
    """
    The token.
    """
    text: StrictStr
    """
    The part of the text that it covers.
    """
    start: Annotated[StrictInt, Field(ge=0)]
    """
    Where that part begins, in bytes of UTF-8.
    """
    stop: Annotated[StrictInt, Field(ge=0)]
    """
    Where it ends, in bytes of UTF-8.
    """
    special: StrictBool
    """
    Whether the tokenizer marks it as special.
    """


class CompletionResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictStr, Field(min_length=1)]
    object: Literal["text_completion"]
    created: Annotated[StrictInt, Field(ge=0)]
    model: StrictStr
    usage: Usage
    choices: Annotated[list[CompletionChoice], Field(min_length=1)]


class CompletionStreamResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictStr, Field(min_length=1)]
    """
    The chunks of one answer share it.
    """
    object: Literal["text_completion"]
    created: Annotated[StrictInt, Field(ge=0)]
    model: StrictStr
    choices: list[CompletionChunkChoice]


class JsonGrammar(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["json"]
    value: StrictStr | dict[str, Any]
    """
    The JSON Schema (https://json-schema.org/) that the text must satisfy, as JSON text or as an object.
    """


class StreamDetails(BaseModel):
    """
    How the text came about, on the last event where details are asked for.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Literal["length", "eos_token", "stop_sequence"]
    """
    Why the text ends.
    """
    generated_tokens: Annotated[StrictInt, Field(ge=0)]
    seed: Annotated[StrictInt | MISSING, Field(ge=0, le=18446744073709551615)] = MISSING


class BestOfSequence(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    generated_text: StrictStr
    finish_reason: Literal["length", "eos_token", "stop_sequence"]
    """
    Why the text ends.
    """
    generated_tokens: Annotated[StrictInt, Field(ge=0)]
    seed: Annotated[StrictInt | MISSING, Field(ge=0, le=18446744073709551615)] = MISSING
    prefill: list[PrefillToken]
    tokens: Annotated[list[Token], Field(min_length=1)]


class ImagePart(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["image_url"]
    image_url: ImageUrl


class ToolCall(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: StrictStr
    type: Literal["function"]
    function: FunctionCall


Stop1 = TypeAliasType("Stop1", Annotated[list[StopText], Field(max_length=4)])
"""
Texts that end the answer and are cut off it.
"""


class NamedToolChoice(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["function"] = "function"
    function: FunctionName


class Tool(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["function"]
    function: FunctionDefinition


class JsonSchemaFormat(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["json_schema"]
    json_schema: NamedSchema


class AnswerToolCall(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: StrictStr
    type: Literal["function"]
    function: AnswerFunctionCall


class TokenLogprob(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    token: StrictStr
    logprob: StrictFloat
    top_logprobs: list[TopLogprob]


class DeltaToolCall(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: StrictStr | MISSING = MISSING
    """
    In the first piece of a call.
    """
    index: Annotated[StrictInt, Field(ge=0)]
    type: Literal["function"] | MISSING = MISSING
    """
    In the first piece of a call.
    """
    function: DeltaFunction


CompletionEvent = TypeAliasType("CompletionEvent", CompletionStreamResponse | ErrorResponse)
"""
A piece of a continuation, or the error after which only `[DONE]` comes.
"""


class ModelList(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    object: Literal["list"]
    data: Annotated[list[Model], Field(min_length=1)]


TokenizeResponse = TypeAliasType("TokenizeResponse", list[TextToken])


class StreamResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    generated_text: StrictStr | MISSING = MISSING
    """
    The whole text, on the last event.
    """
    token: Token
    details: StreamDetails | MISSING = MISSING


class CompletionRequest(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    model: StrictStr
    """
    Any name is accepted, and answered by the served model.
    """
    max_tokens: Annotated[StrictInt, Field(ge=1)] = 16
    temperature: Annotated[StrictFloat | MISSING, Field(ge=0.0, le=2.0)] = MISSING
    top_p: Annotated[StrictFloat | MISSING, Field(ge=0.0, le=1.0)] = MISSING
    stream: StrictBool = False
    seed: Annotated[StrictInt | MISSING, Field(ge=0, le=18446744073709551615)] = MISSING
    suffix: StrictStr | MISSING = MISSING
    """
    Not supported; a request that has it is refused.
    """
    prompt: PromptText | PromptBatch
    """
    One prompt, or several that are answered in the same order, at most `max_client_batch_size` of /info.
    """
    stop: StopText | Stop1 | MISSING = MISSING
    """
    Texts that end the answer and are cut off it.
    """


class Details(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Literal["length", "eos_token", "stop_sequence"]
    """
    Why the text ends.
    """
    generated_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Generated tokens, the end token counted.
    """
    seed: Annotated[StrictInt | MISSING, Field(ge=0, le=18446744073709551615)] = MISSING
    """
    The seed that was used; absent when nothing was drawn at random.
    """
    prefill: list[PrefillToken]
    """
    The tokens of the prompt, where decoder_input_details asks for them.
    """
    tokens: Annotated[list[Token], Field(min_length=1)]
    """
    The tokens of the text.
    """
    best_of_sequences: Annotated[list[BestOfSequence] | MISSING, Field(min_length=1)] = MISSING
    """
    The other sequences.
    """


StreamEvent = TypeAliasType("StreamEvent", StreamResponse | ErrorResponse)
"""
A token, or the error in which a failed stream ends.
"""


class AnswerMessage(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Literal["assistant"]
    content: StrictStr | MISSING = MISSING
    """
    Absent where the model does nothing but call tools.
    """
    tool_calls: Annotated[list[AnswerToolCall] | MISSING, Field(min_length=1)] = MISSING
    tool_call_id: StrictStr | MISSING = MISSING
    """
    Never sent; it is of messages that answer a call.
    """


class ChatLogprobs(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    content: list[TokenLogprob]


class Delta(BaseModel):
    """
    What is new since the chunk before.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Literal["assistant"] | MISSING = MISSING
    """
    In the first chunk of a choice.
    """
    content: StrictStr | MISSING = MISSING
    tool_calls: Annotated[list[DeltaToolCall] | MISSING, Field(min_length=1)] = MISSING
    tool_call_id: StrictStr | MISSING = MISSING
    """
    Never sent; it is of messages that answer a call.
    """


class GenerateResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    generated_text: StrictStr
    """
    The text that was generated.
    """
    details: Details | MISSING = MISSING


class GenerateParameters(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    max_new_tokens: Annotated[StrictInt, Field(examples=[100], ge=1)] = 20
    """
    Upper bound on the tokens to generate.
    """
    temperature: Annotated[StrictFloat | MISSING, Field(examples=[0.7], ge=0.0)] = MISSING
    """
    High values make the text more varied; 0 always takes the likeliest token. Implies do_sample.
    """
    top_p: Annotated[StrictFloat | MISSING, Field(examples=[0.95], ge=0.0, le=1.0)] = MISSING
    """
    Draw from the likeliest tokens that together have this probability; 0 leaves one. Less than 1 implies do_sample.
    """
    top_k: Annotated[StrictInt | MISSING, Field(examples=[50], ge=0)] = MISSING
    """
    Draw only from this many of the likeliest tokens; 0 sets no such limit. Any other implies do_sample.
    """
    repetition_penalty: Annotated[StrictFloat | MISSING, Field(examples=[1.1], gt=0.0)] = MISSING
    """
    Penalty on tokens that have appeared; 1.0 stands for none.
    """
    do_sample: StrictBool = False
    """
    Draw tokens at random instead of always taking the likeliest.
    """
    seed: Annotated[StrictInt | MISSING, Field(ge=0, le=18446744073709551615)] = MISSING
    """
    Seed of the random draws; without it one is drawn, which the details tell.
    """
    stop: list[StopItem] | MISSING = MISSING
    """
    Generation ends as soon as one of these texts appears, which stays in the output. At most `max_stop_sequences` of /info.
    """
    watermark: StrictBool = False
    """
    Mark the text.
    """
    return_full_text: StrictBool = False
    """
    Put the prompt in front of the text.
    """
    decoder_input_details: StrictBool = False
    """
    Tell of the prompt's tokens. Not on a stream.
    """
    details: StrictBool = False
    """
    Tell of the tokens and how the text came about.
    """
    truncate: Annotated[StrictInt | MISSING, Field(ge=1)] = MISSING
    """
    Keep this many of the prompt's tokens, those at its end; at most `max_input_length` of /info.
    """
    typical_p: Annotated[StrictFloat | MISSING, Field(gt=0.0, le=1.0)] = MISSING
    """
    Probability mass to keep in typical decoding. Less than 1 implies do_sample.
    """
    best_of: Annotated[StrictInt | MISSING, Field(ge=1)] = MISSING
    """
    Generate this many sequences and answer with the one of highest mean log-probability. At most `max_best_of` of /info; more than 1 needs sampling, no `seed` and no stream.
    """
    grammar: Annotated[JsonGrammar | RegexGrammar | MISSING, Field(discriminator="type")] = MISSING
    """
    A rule that the text must follow.
    """


class Message(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Literal["system", "user", "assistant", "tool"]
    content: StrictStr | list[Annotated[TextPart | ImagePart, Field(discriminator="type")]] | None = None
    tool_calls: list[ToolCall] | None = None
    """
    Calls that an assistant's message makes.
    """
    tool_call_id: StrictStr | None = None
    """
    The call that a tool's message answers.
    """
    name: StrictStr | None = None
    """
    The speaker, or the function that answers.
    """


class ChatChoice(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[StrictInt, Field(ge=0)]
    message: AnswerMessage
    finish_reason: Literal["stop", "length", "tool_calls"]
    """
    `stop`: the end or a stop text; `length`: the token bound; `tool_calls`: the model called tools.
    """
    logprobs: ChatLogprobs | MISSING = MISSING


class ChatChunkChoice(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[StrictInt, Field(ge=0)]
    delta: Delta
    finish_reason: Literal["stop", "length", "tool_calls"] | MISSING = MISSING
    """
    `stop`: the end or a stop text; `length`: the token bound; `tool_calls`: the model called tools.
    """
    logprobs: ChatLogprobs | MISSING = MISSING


class GenerateRequest(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    inputs: Annotated[StrictStr, Field(examples=["What is deep learning?"], min_length=1)]
    """
    The prompt.
    """
    parameters: GenerateParameters | MISSING = MISSING


class ChatCompletionRequest(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    model: StrictStr
    """
    Any name is accepted, and answered by the served model.
    """
    frequency_penalty: Annotated[StrictFloat | MISSING, Field(ge=-2.0, le=2.0)] = MISSING
    logprobs: StrictBool | MISSING = MISSING
    max_tokens: Annotated[StrictInt | MISSING, Field(ge=1)] = MISSING
    """
    Upper bound on the tokens of the answer; without it the context is filled.
    """
    presence_penalty: Annotated[StrictFloat | MISSING, Field(ge=-2.0, le=2.0)] = MISSING
    seed: Annotated[StrictInt | MISSING, Field(ge=0, le=18446744073709551615)] = MISSING
    stream: StrictBool = False
    temperature: Annotated[StrictFloat | MISSING, Field(ge=0.0, le=2.0)] = MISSING
    """
    0 always takes the likeliest token; without it 1.
    """
    tool_prompt: StrictStr | MISSING = MISSING
    """
    Text to put under the last message where tools are offered.
    """
    top_logprobs: Annotated[StrictInt | MISSING, Field(ge=0, le=5)] = MISSING
    """
    Likeliest tokens to tell at each position; needs `logprobs`.
    """
    top_p: Annotated[StrictFloat | MISSING, Field(ge=0.0, le=1.0)] = MISSING
    messages: Annotated[list[Message], Field(min_length=1)]
    """
    The conversation, oldest message first.
    """
    response_format: Annotated[
        TextFormat | JsonSchemaFormat | JsonObjectFormat | MISSING, Field(discriminator="type")
    ] = MISSING
    """
    What form the answer must have. Excludes `tools`, unless tool_choice is `none`.
    """
    stop: StopText | Stop1 | MISSING = MISSING
    """
    Texts that end the answer and are cut off it.
    """
    stream_options: StreamOptions | MISSING = MISSING
    tool_choice: Literal["auto", "none", "required"] | NamedToolChoice | MISSING = MISSING
    """
    `auto`: the model chooses between an answer and calls. `none`: it answers. `required`: it calls at least one. The object: it calls that function.
    """
    tools: list[Tool] | MISSING = MISSING


class ChatCompletionResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictStr, Field(min_length=1)]
    object: Literal["chat.completion"]
    created: Annotated[StrictInt, Field(ge=0)]
    model: StrictStr
    system_fingerprint: StrictStr
    usage: Usage
    choices: Annotated[list[ChatChoice], Field(min_length=1)]


class ChatCompletionStreamResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictStr, Field(min_length=1)]
    """
    The chunks of one answer share it.
    """
    object: Literal["chat.completion.chunk"]
    created: Annotated[StrictInt, Field(ge=0)]
    model: StrictStr
    system_fingerprint: StrictStr
    usage: Usage | MISSING = MISSING
    choices: list[ChatChunkChoice]


ChatCompletionEvent = TypeAliasType("ChatCompletionEvent", ChatCompletionStreamResponse | ErrorResponse)
"""
A piece of the answer, or the error after which only `[DONE]` comes.
"""
