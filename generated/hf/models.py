# Generated from specs/hf: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, BaseModel, Field, StrictBool, StrictStr
from typing_extensions import TypeAliasType

from verbatim_kit.runtime.json_types import StrictFloat, StrictInt


class Info(BaseModel):
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
    """
    Sequences that may run or wait at once; a request beyond them is refused as one too many.
    """
    max_best_of: Annotated[StrictInt, Field(ge=0)]
    """
    Highest `best_of` of a request.
    """
    max_stop_sequences: Annotated[StrictInt, Field(ge=0)]
    """
    Most stop texts of a request.
    """
    max_input_length: Annotated[StrictInt, Field(ge=0)]
    """
    Longest prompt, in tokens.
    """
    max_total_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Longest prompt and text together, in tokens.
    """
    waiting_served_ratio: StrictFloat | MISSING = MISSING
    """
    Never sent; it tunes a scheduler that is not this server's.
    """
    max_batch_total_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens that the cache holds, of all running sequences together.
    """
    max_waiting_tokens: Annotated[StrictInt | MISSING, Field(ge=0)] = MISSING
    """
    Never sent; it tunes a scheduler that is not this server's.
    """
    validation_workers: Annotated[StrictInt, Field(ge=0)]
    """
    Threads that tokenize long prompts.
    """
    max_client_batch_size: Annotated[StrictInt, Field(ge=0)]
    """
    Most prompts of one request of /v1/completions.
    """
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
    prompt_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the prompt, as the model read it.
    """
    completion_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens generated, the end token counted.
    """
    total_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Both together.
    """


class ErrorResponse(BaseModel):
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
    type: Literal["regex"]
    value: StrictStr
    """
    A regular expression that the whole text must match.
    """


class Token(BaseModel):
    id: Annotated[StrictInt, Field(ge=0)]
    """
    The token's id in the model's vocabulary.
    """
    text: StrictStr
    """
    What the token adds to the text. Empty while a character is not complete.
    """
    logprob: StrictFloat | MISSING = MISSING
    """
    Natural logarithm of the probability that the model gave the token, before temperature and penalties. Absent where it was 0.
    """
    special: StrictBool
    """
    Whether it is a special token, such as the one that ends a text; those are left out of `generated_text`.
    """


class PrefillToken(BaseModel):
    id: Annotated[StrictInt, Field(ge=0)]
    """
    The token's id in the model's vocabulary.
    """
    text: StrictStr
    """
    The token's part of the prompt.
    """
    logprob: StrictFloat | MISSING = MISSING
    """
    Natural logarithm of the token's probability after those before it. Absent for the first, and where it was 0.
    """


class TextPart(BaseModel):
    type: Literal["text"]
    text: StrictStr
    """
    The text.
    """


class ImageUrl(BaseModel):
    url: StrictStr
    """
    Where the picture is, or the picture itself as a data URL.
    """


class FunctionCall(BaseModel):
    name: StrictStr
    """
    The function that was called.
    """
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
    include_usage: StrictBool = False
    """
    Send one more chunk before `data: [DONE]`, without choices and with the token counts.
    """


class FunctionName(BaseModel):
    name: StrictStr
    """
    The name of one of `tools`; any other is refused.
    """


class FunctionDefinition(BaseModel):
    name: Annotated[StrictStr, Field(min_length=1)]
    """
    What the model calls the function.
    """
    description: StrictStr | MISSING = MISSING
    """
    What the function does and when to call it, for the model to read.
    """
    parameters: dict[str, Any] | MISSING = MISSING
    """
    JSON Schema of the arguments; absent where the function takes none.
    """


class TextFormat(BaseModel):
    type: Literal["text"]


class NamedSchema(BaseModel):
    name: StrictStr
    """
    A name for the schema. It has no effect.
    """
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
    type: Literal["json_object"]
    value: StrictStr | dict[str, Any] | MISSING = MISSING
    """
    The JSON Schema (https://json-schema.org/) that the text must satisfy, as JSON text or as an object.
    """


class AnswerFunctionCall(BaseModel):
    name: StrictStr
    """
    The function that is called, which is one of `tools`.
    """
    arguments: StrictStr
    """
    The arguments as JSON text.
    """
    description: StrictStr | MISSING = MISSING
    """
    Never sent; a call describes no function.
    """


class TopLogprob(BaseModel):
    token: StrictStr
    """
    The token decoded by itself.
    """
    logprob: StrictFloat
    """
    Natural logarithm of the token's probability; -9999 stands for 0.
    """


class DeltaFunction(BaseModel):
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
    text: StrictStr
    """
    The continuation, without the prompt and the stop text.
    """
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the prompts, from 0.
    """
    finish_reason: Literal["stop", "length"]
    """
    `stop`: the end or a stop text; `length`: the token bound.
    """


class CompletionChunkChoice(BaseModel):
    text: StrictStr
    """
    What the continuation gains; it may be empty.
    """
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the prompts, from 0.
    """
    finish_reason: Literal["stop", "length"] | MISSING = MISSING
    """
    `stop`: the end or a stop text; `length`: the token bound.
    """


class Model(BaseModel):
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
    """
    Who serves the model; always `verbatim`.
    """


class TokenizeRequest(BaseModel):
    inputs: StrictStr
    """
    The text.
    """
    add_special_tokens: StrictBool = True
    """
    Add the tokenizer's special tokens.
    """


class TextToken(BaseModel):
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
    id: Annotated[StrictStr, Field(min_length=1)]
    """
    Unique.
    """
    object: Literal["text_completion"]
    created: Annotated[StrictInt, Field(ge=0)]
    """
    When the answer began; Unix time in seconds.
    """
    model: StrictStr
    """
    The name of the served model, whatever name the request had.
    """
    usage: Usage
    """
    What the request cost, in tokens, over all its prompts.
    """
    choices: Annotated[list[CompletionChoice], Field(min_length=1)]
    """
    One continuation of each prompt, in the prompts' order.
    """


class CompletionStreamResponse(BaseModel):
    id: Annotated[StrictStr, Field(min_length=1)]
    """
    The chunks of one answer share it.
    """
    object: Literal["text_completion"]
    created: Annotated[StrictInt, Field(ge=0)]
    """
    When the answer began; Unix time in seconds.
    """
    model: StrictStr
    """
    The name of the served model, whatever name the request had.
    """
    choices: list[CompletionChunkChoice]
    """
    What the continuation of one prompt gains.
    """


class JsonGrammar(BaseModel):
    type: Literal["json"]
    value: StrictStr | dict[str, Any]
    """
    The JSON Schema (https://json-schema.org/) that the text must satisfy, as JSON text or as an object.
    """


class StreamDetails(BaseModel):
    """
    How the text came about, on the last event where details are asked for.
    """

    finish_reason: Literal["length", "eos_token", "stop_sequence"]
    """
    Why the text ends.
    """
    generated_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens generated, the end token counted.
    """
    seed: Annotated[StrictInt | MISSING, Field(ge=0, le=18446744073709551615)] = MISSING
    """
    The seed that was used; absent where nothing was drawn at random.
    """


class BestOfSequence(BaseModel):
    generated_text: StrictStr
    """
    The text of this sequence; with `return_full_text`, after the prompt.
    """
    finish_reason: Literal["length", "eos_token", "stop_sequence"]
    """
    Why the text ends.
    """
    generated_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens generated, the end token counted.
    """
    seed: Annotated[StrictInt | MISSING, Field(ge=0, le=18446744073709551615)] = MISSING
    """
    The seed that was used; absent where nothing was drawn at random.
    """
    prefill: list[PrefillToken]
    """
    The prompt's tokens; empty unless `decoder_input_details` is true.
    """
    tokens: Annotated[list[Token], Field(min_length=1)]
    """
    The generated tokens in their order, the end token included.
    """


class ImagePart(BaseModel):
    type: Literal["image_url"]
    image_url: ImageUrl
    """
    The picture. A model that reads text alone refuses it.
    """


class ToolCall(BaseModel):
    id: StrictStr
    """
    The id that the call had in the answer.
    """
    type: Literal["function"]
    function: FunctionCall
    """
    The function that was called, and with what.
    """


Stop1 = TypeAliasType("Stop1", Annotated[list[StopText], Field(max_length=4)])
"""
Texts that end the answer and are cut off it.
"""


class NamedToolChoice(BaseModel):
    type: Literal["function"] = "function"
    function: FunctionName
    """
    The function that the model has to call.
    """


class Tool(BaseModel):
    type: Literal["function"]
    function: FunctionDefinition
    """
    The function that the model may call.
    """


class JsonSchemaFormat(BaseModel):
    type: Literal["json_schema"]
    json_schema: NamedSchema
    """
    The schema, and its name.
    """


class AnswerToolCall(BaseModel):
    id: StrictStr
    """
    Unique; repeat it as `tool_call_id` of the message that holds what the function returned.
    """
    type: Literal["function"]
    function: AnswerFunctionCall
    """
    The function that is called, and with what.
    """


class TokenLogprob(BaseModel):
    token: StrictStr
    """
    What the token adds to the text. Empty while a character is not complete.
    """
    logprob: StrictFloat
    """
    Natural logarithm of the token's probability; -9999 stands for 0.
    """
    top_logprobs: list[TopLogprob]
    """
    The likeliest tokens in its place, the best first; empty unless `top_logprobs` asks for them.
    """


class DeltaToolCall(BaseModel):
    id: StrictStr | MISSING = MISSING
    """
    In the first piece of a call.
    """
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the answer's calls, from 0.
    """
    type: Literal["function"] | MISSING = MISSING
    """
    In the first piece of a call.
    """
    function: DeltaFunction
    """
    The function's name in the first piece of a call, then pieces of its arguments.
    """


CompletionEvent = TypeAliasType("CompletionEvent", CompletionStreamResponse | ErrorResponse)
"""
A piece of a continuation, or the error after which only `[DONE]` comes.
"""


class ModelList(BaseModel):
    object: Literal["list"]
    data: Annotated[list[Model], Field(min_length=1)]
    """
    The one model that is served.
    """


TokenizeResponse = TypeAliasType("TokenizeResponse", list[TextToken])


class StreamResponse(BaseModel):
    generated_text: StrictStr | MISSING = MISSING
    """
    The whole text, on the last event.
    """
    token: Token
    """
    The token that the event tells of.
    """
    details: StreamDetails | MISSING = MISSING


class CompletionRequest(BaseModel):
    model: StrictStr
    """
    Any name is accepted, and answered by the served model.
    """
    max_tokens: Annotated[StrictInt, Field(ge=1)] = 16
    """
    Upper bound on the tokens of each continuation. A prompt that leaves less room in the context is refused.
    """
    temperature: Annotated[StrictFloat | MISSING, Field(ge=0.0, le=2.0)] = MISSING
    """
    High values make the text more varied; 0 always takes the likeliest token. Without it 1.
    """
    top_p: Annotated[StrictFloat | MISSING, Field(ge=0.0, le=1.0)] = MISSING
    """
    Draw only from the likeliest tokens that together have this probability; 0 leaves one. Without it all may be drawn, as with 1.
    """
    stream: StrictBool = False
    """
    Answer with server-sent events instead of one JSON object.
    """
    seed: Annotated[StrictInt | MISSING, Field(ge=0, le=18446744073709551615)] = MISSING
    """
    Seed of the random draws, the same for every prompt; without it each prompt draws its own.
    """
    suffix: StrictStr | MISSING = MISSING
    """
    The text after the gap that the answer fills. It needs a model whose vocabulary has tokens for fill in the middle, and is refused for others; an empty text is none.
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
    role: Literal["assistant"]
    content: StrictStr | MISSING = MISSING
    """
    Absent where the model does nothing but call tools.
    """
    tool_calls: Annotated[list[AnswerToolCall] | MISSING, Field(min_length=1)] = MISSING
    """
    The functions that the model calls; absent where it calls none.
    """
    tool_call_id: StrictStr | MISSING = MISSING
    """
    Never sent; it is of messages that answer a call.
    """


class ChatLogprobs(BaseModel):
    content: list[TokenLogprob]
    """
    One entry a generated token, the end token included.
    """


class Delta(BaseModel):
    """
    What is new since the chunk before.
    """

    role: Literal["assistant"] | MISSING = MISSING
    """
    In the first chunk of a choice.
    """
    content: StrictStr | MISSING = MISSING
    """
    What the text gains.
    """
    tool_calls: Annotated[list[DeltaToolCall] | MISSING, Field(min_length=1)] = MISSING
    """
    Pieces of the functions' calls.
    """
    tool_call_id: StrictStr | MISSING = MISSING
    """
    Never sent; it is of messages that answer a call.
    """


class GenerateResponse(BaseModel):
    generated_text: StrictStr
    """
    The text that was generated.
    """
    details: Details | MISSING = MISSING
    """
    How the text came about. There only if `details` or `decoder_input_details` is true.
    """


class GenerateParameters(BaseModel):
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
    role: Literal["system", "user", "assistant", "tool"]
    """
    Who speaks: instructions are of the system, what a function returned is of the tool.
    """
    content: StrictStr | list[Annotated[TextPart | ImagePart, Field(discriminator="type")]] | None = None
    """
    A text, or parts of text. Null where an assistant's message has nothing but calls.
    """
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
    index: Annotated[StrictInt, Field(ge=0)]
    """
    The answer's place in the list, which is 0.
    """
    message: AnswerMessage
    """
    The answer.
    """
    finish_reason: Literal["stop", "length", "tool_calls"]
    """
    `stop`: the end or a stop text; `length`: the token bound; `tool_calls`: the model called tools.
    """
    logprobs: ChatLogprobs | MISSING = MISSING
    """
    Log-probabilities of the generated tokens. There only if `logprobs` is true.
    """


class ChatChunkChoice(BaseModel):
    index: Annotated[StrictInt, Field(ge=0)]
    """
    The answer's place in the list, which is 0.
    """
    delta: Delta
    finish_reason: Literal["stop", "length", "tool_calls"] | MISSING = MISSING
    """
    `stop`: the end or a stop text; `length`: the token bound; `tool_calls`: the model called tools.
    """
    logprobs: ChatLogprobs | MISSING = MISSING
    """
    Of the tokens that the chunk brings. There only if `logprobs` is true.
    """


class GenerateRequest(BaseModel):
    inputs: Annotated[StrictStr, Field(examples=["What is deep learning?"], min_length=1)]
    """
    The prompt.
    """
    parameters: GenerateParameters | MISSING = MISSING
    """
    How to generate. Absent and empty mean the same, which is the defaults.
    """


class ChatCompletionRequest(BaseModel):
    model: StrictStr
    """
    Any name is accepted, and answered by the served model.
    """
    frequency_penalty: Annotated[StrictFloat | MISSING, Field(ge=-2.0, le=2.0)] = MISSING
    """
    Lowers a token's score for each time that it stands in the answer already. A negative value raises it; 0 changes nothing, as if it were absent.
    """
    logprobs: StrictBool | MISSING = MISSING
    """
    Tell the log-probability of each generated token. Absent counts as false.
    """
    max_tokens: Annotated[StrictInt | MISSING, Field(ge=1)] = MISSING
    """
    Upper bound on the tokens of the answer; without it the context is filled.
    """
    presence_penalty: Annotated[StrictFloat | MISSING, Field(ge=-2.0, le=2.0)] = MISSING
    """
    Lowers the score of every token that stands in the answer already, once. A negative value raises it; 0 changes nothing, as if it were absent.
    """
    seed: Annotated[StrictInt | MISSING, Field(ge=0, le=18446744073709551615)] = MISSING
    """
    Seed of the random draws; without it one is drawn, and not told.
    """
    stream: StrictBool = False
    """
    Answer with server-sent events instead of one JSON object.
    """
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
    """
    Draw only from the likeliest tokens that together have this probability; 0 leaves one. Without it all may be drawn, as with 1.
    """
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
    """
    What else a stream tells. It is refused if it asks for counts and `stream` is false.
    """
    tool_choice: Literal["auto", "none", "required"] | NamedToolChoice | MISSING = MISSING
    """
    `auto`: the model chooses between an answer and calls. `none`: it answers. `required`: it calls at least one. The object: it calls that function.
    """
    tools: list[Tool] | MISSING = MISSING
    """
    Functions that the model may call.
    """


class ChatCompletionResponse(BaseModel):
    id: Annotated[StrictStr, Field(min_length=1)]
    """
    Unique.
    """
    object: Literal["chat.completion"]
    created: Annotated[StrictInt, Field(ge=0)]
    """
    When the answer began; Unix time in seconds.
    """
    model: StrictStr
    """
    The name of the served model, whatever name the request had.
    """
    system_fingerprint: StrictStr
    """
    The version of the server.
    """
    usage: Usage
    """
    What the request cost, in tokens.
    """
    choices: Annotated[list[ChatChoice], Field(min_length=1)]
    """
    The answer, which is the only one.
    """


class ChatCompletionStreamResponse(BaseModel):
    id: Annotated[StrictStr, Field(min_length=1)]
    """
    The chunks of one answer share it.
    """
    object: Literal["chat.completion.chunk"]
    created: Annotated[StrictInt, Field(ge=0)]
    """
    When the answer began; Unix time in seconds.
    """
    model: StrictStr
    """
    The name of the served model, whatever name the request had.
    """
    system_fingerprint: StrictStr
    """
    The version of the server.
    """
    usage: Usage | MISSING = MISSING
    """
    What the request cost, in tokens. There only in the last chunk, if `stream_options` asks for it.
    """
    choices: list[ChatChunkChoice]
    """
    What the answer gains. Empty in the chunk that tells the token counts.
    """


ChatCompletionEvent = TypeAliasType("ChatCompletionEvent", ChatCompletionStreamResponse | ErrorResponse)
"""
A piece of the answer, or the error after which only `[DONE]` comes.
"""
