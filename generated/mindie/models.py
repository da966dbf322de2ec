# Generated from specs/mindie: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, BaseModel, ConfigDict, Field, StrictBool, StrictStr
from typing_extensions import TypeAliasType

from verbatim_kit.runtime.json_types import StrictFloat, StrictInt


class MessageFunction(BaseModel):
    name: StrictStr
    """
    The function that was called.
    """
    arguments: StrictStr
    """
    JSON text.
    """


StopText = TypeAliasType("StopText", Annotated[StrictStr, Field(max_length=1024, min_length=1)])


StopTexts = TypeAliasType("StopTexts", Annotated[list[StopText], Field(max_length=1024)])


class ChatTemplateKwargs(BaseModel):
    """
    Variables of the chat template.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    enable_thinking: StrictBool | MISSING = MISSING
    """
    Whether the model thinks before it answers.
    """


class FunctionParameters(BaseModel):
    """
    JSON Schema of the arguments.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    type: StrictStr | MISSING = MISSING
    """
    The arguments' JSON type, which is an object.
    """
    properties: dict[str, Any] | MISSING = MISSING
    """
    A JSON Schema for each argument, by its name.
    """
    required: list[StrictStr] | MISSING = MISSING
    """
    The names of the arguments that no call may leave out.
    """
    additional_properties: Annotated[StrictBool, Field(alias="additionalProperties")] = False
    """
    Whether there may be arguments that `properties` does not name.
    """


class NamedFunction(BaseModel):
    name: StrictStr
    """
    The name of one of `tools`; any other is refused.
    """


class CalledFunction(BaseModel):
    name: StrictStr
    """
    The function that is called, which is one of `tools`.
    """
    arguments: StrictStr
    """
    JSON text, as the model wrote it.
    """


Byte = TypeAliasType("Byte", Annotated[StrictInt, Field(ge=0, le=255)])


class PromptTokensDetails(BaseModel):
    cached_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens that were not computed again.
    """


BatchSize = TypeAliasType("BatchSize", Annotated[StrictInt, Field(ge=1)])


Microseconds = TypeAliasType("Microseconds", Annotated[StrictInt, Field(ge=0)])


Milliseconds = TypeAliasType("Milliseconds", Annotated[StrictInt, Field(ge=0)])


class MediaUrl(BaseModel):
    url: StrictStr
    """
    Where the medium is, or the medium itself in base64.
    """


class InputAudio(BaseModel):
    data: StrictStr
    """
    The sound in base64.
    """
    format: Literal["mp3", "wav", "flac"]
    """
    What the sound is said to be. Its content decides.
    """


class TextFormat(BaseModel):
    type: Literal["text"]


class JsonObjectFormat(BaseModel):
    """
    Any JSON object.
    """

    type: Literal["json_object"]


class NamedSchema(BaseModel):
    name: Annotated[StrictStr, Field(max_length=64, min_length=1)]
    """
    A name for the schema. It has no effect.
    """
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    """
    The JSON Schema that the text must satisfy. One with a keyword that cannot be held to is refused.
    """


class CompletionTokensDetails(BaseModel):
    """
    Absent where the model did not think.
    """

    reasoning_tokens: Annotated[StrictInt, Field(ge=1)]
    """
    Tokens of thoughts, over all answers.
    """


class CalledFunctionChunk(BaseModel):
    name: StrictStr | MISSING = MISSING
    """
    In the first piece of a call.
    """
    arguments: StrictStr
    """
    A piece of the arguments' JSON text.
    """


class ErrorResponse(BaseModel):
    error: StrictStr
    """
    What is wrong.
    """
    error_type: StrictStr
    """
    The kind of error.
    """


class ContentPart(BaseModel):
    """
    Text, or a medium for models that see or hear.
    """

    type: Literal["text", "image_url", "video_url", "audio_url", "input_audio"] | MISSING = MISSING
    """
    Which of the other members holds the content. If it is absent, the first that is there.
    """
    text: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """
    The text, if the part is one.
    """
    image_url: StrictStr | MediaUrl | MISSING = MISSING
    """
    A JPG or PNG of at most 40 MB: its URL, or the picture in base64.
    """
    video_url: StrictStr | MediaUrl | MISSING = MISSING
    """
    URL of an MP4, AVI or WMV of at most 512 MB.
    """
    audio_url: StrictStr | MediaUrl | MISSING = MISSING
    """
    URL of an MP3, WAV or FLAC of at most 40 MB.
    """
    input_audio: InputAudio | MISSING = MISSING
    """
    Sound, in base64.
    """


class MessageToolCall(BaseModel):
    id: StrictStr
    """
    The id that the call had in the answer.
    """
    type: Literal["function"]
    function: MessageFunction
    """
    The function that was called, and with what.
    """


class FunctionDefinition(BaseModel):
    name: Annotated[StrictStr, Field(pattern="^[a-zA-Z0-9_ 一-龥-]{1,64}$")]
    """
    What the model calls the function: letters, digits, Chinese characters, blanks, `_` and `-`.
    """
    strict: StrictBool = False
    """
    Hold the arguments to the schema also where the model may choose whether to call.
    """
    description: StrictStr | MISSING = MISSING
    """
    What it does and when to call it.
    """
    parameters: FunctionParameters | MISSING = MISSING


class NamedToolChoice(BaseModel):
    """
    One call of one function.
    """

    type: Literal["function"]
    function: NamedFunction
    """
    The function that the model has to call.
    """


class ToolCall(BaseModel):
    id: StrictStr
    """
    Unique; repeat it as `tool_call_id` of the message that holds what the function returned.
    """
    type: Literal["function"]
    function: CalledFunction
    """
    The function that is called, and with what.
    """


class Usage(BaseModel):
    prompt_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the conversation as the model read it, counted once for all answers.
    """
    prompt_tokens_details: PromptTokensDetails
    """
    What of the prompt was not computed again.
    """
    completion_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens generated over all answers, thoughts and end tokens counted.
    """
    total_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the prompt and of the answers together.
    """
    batch_size: Annotated[list[BatchSize], Field(min_length=1)]
    """
    For each generated token, the sequences of the step that made it.
    """
    queue_wait_time: Annotated[list[Microseconds], Field(min_length=1)]
    """
    For each generated token, the microseconds that its step was waited for.
    """
    completion_tokens_details: CompletionTokensDetails | MISSING = MISSING


class JsonSchemaFormat(BaseModel):
    """
    JSON that fits a schema.
    """

    type: Literal["json_schema"]
    json_schema: NamedSchema
    """
    The schema, and its name.
    """


class ToolCallChunk(BaseModel):
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the answer's calls.
    """
    id: StrictStr | MISSING = MISSING
    """
    In the first piece of a call.
    """
    type: Literal["function"] | MISSING = MISSING
    """
    In the first piece of a call.
    """
    function: CalledFunctionChunk
    """
    The function's name in the first piece of a call, then pieces of its arguments.
    """


ContentParts = TypeAliasType("ContentParts", Annotated[list[ContentPart], Field(min_length=1)])


class Tool(BaseModel):
    type: Literal["function"]
    function: FunctionDefinition
    """
    The function that the model may call.
    """


class AnswerMessage(BaseModel):
    role: Literal["assistant"]
    content: StrictStr
    """
    The text, without thoughts and calls; empty where the model does nothing but call functions.
    """
    tool_calls: list[ToolCall]
    """
    The functions that the model calls.
    """
    reasoning_content: StrictStr | MISSING = MISSING
    """
    What the model thought; absent where it does not think.
    """


class TopLogprob(BaseModel):
    token: StrictStr
    """
    The token as text. Bytes that are no whole character are told as U+FFFD.
    """
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    Natural logarithm of the token's probability; -9999 stands for 0.
    """
    bytes: list[Byte]
    """
    The token in UTF-8. A character may be spread over several tokens.
    """


class Delta(BaseModel):
    role: Literal["assistant"]
    content: StrictStr
    """
    What the text gains; on a server that repeats it, the text so far.
    """
    reasoning_content: StrictStr | MISSING = MISSING
    """
    What the model thought; absent where it does not think.
    """
    tool_calls: Annotated[list[ToolCallChunk] | MISSING, Field(min_length=1)] = MISSING
    """
    Pieces of the functions' calls.
    """


class TokenLogprob(BaseModel):
    token: StrictStr
    """
    The token as text. Bytes that are no whole character are told as U+FFFD.
    """
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    Natural logarithm of the token's probability.
    """
    bytes: list[Byte]
    """
    The token in UTF-8. A character may be spread over several tokens.
    """
    top_logprobs: list[TopLogprob]
    """
    The likeliest tokens in this place, in their order.
    """


class SystemMessage(BaseModel):
    """
    Instructions.
    """

    role: Literal["system"]
    content: StrictStr | ContentParts
    """
    The instructions. All messages together have 1 to 4,194,304 characters.
    """


class UserMessage(BaseModel):
    """
    What the user says or shows.
    """

    role: Literal["user"]
    content: StrictStr | ContentParts
    """
    A text, or parts of text; pictures, films and audio are refused by models that read text alone.
    """


class AssistantMessage(BaseModel):
    """
    What the model said before.
    """

    role: Literal["assistant"]
    tool_calls: list[MessageToolCall] | None = None
    """
    The functions that the model called.
    """
    content: StrictStr | ContentParts | None = None
    """
    Null where there are calls alone.
    """
    reasoning_content: StrictStr | None = None
    """
    What the model thought, as its answer told it; templates know what to do with it.
    """


class ToolMessage(BaseModel):
    """
    What a function returned.
    """

    role: Literal["tool"]
    content: StrictStr | ContentParts
    """
    What the function returned: a text, or parts of text.
    """
    tool_call_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The call that it answers.
    """


class Logprobs(BaseModel):
    content: list[TokenLogprob]
    """
    One entry a token of the text, in order.
    """


class ChunkChoice(BaseModel):
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the answers, from 0.
    """
    delta: Delta
    """
    What the answer gains.
    """
    finish_reason: Literal["stop", "length", "tool_calls"] | None
    """
    Null until the answer ends.
    """
    logprobs: Logprobs | MISSING = MISSING
    """
    Of the tokens whose text the chunk brings, where asked for.
    """


class Choice(BaseModel):
    index: Annotated[StrictInt, Field(ge=0)]
    """
    The answer's place in the list, from 0.
    """
    message: AnswerMessage
    """
    The answer.
    """
    logprobs: Logprobs | None
    """
    Null unless asked for.
    """
    finish_reason: Literal["stop", "length", "tool_calls"]
    """
    `stop`: the model ended or a stop came; `length`: the token bound; `tool_calls`: it calls.
    """


class ChatCompletionChunk(BaseModel):
    id: StrictStr
    """
    The same in every chunk of an answer.
    """
    object: Literal["chat.completion.chunk"]
    created: Annotated[StrictInt, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    model: StrictStr
    """
    The name under which the model is served, whichever alias the request had.
    """
    full_text: StrictStr | MISSING = MISSING
    """
    The whole text, in the chunk that ends an answer, on a server that repeats the text so far in every chunk.
    """
    usage: Usage | MISSING = MISSING
    """
    Token counts and times of all answers, in the last chunk alone.
    """
    choices: list[ChunkChoice]
    """
    What one answer gains, or its end.
    """


class ChatRequest(BaseModel):
    model: StrictStr
    """
    The name under which the server has its model.
    """
    messages: Annotated[
        list[
            Annotated[
                SystemMessage | UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")
            ]
        ],
        Field(min_length=1),
    ]
    """
    The conversation so far. Its texts together have from 1 to 4194304 characters, and as tokens they leave room for an answer.
    """
    stream: StrictBool = False
    """
    Answer with server-sent events instead of one JSON object.
    """
    presence_penalty: Annotated[StrictFloat, Field(ge=-2.0, le=2.0)] = 0.0
    """
    Lowers the score of every token that stands in the answer already. Best not with another penalty.
    """
    frequency_penalty: Annotated[StrictFloat, Field(ge=-2.0, le=2.0)] = 0.0
    """
    Lowers a token's score for each time that it stands in the answer already. Best not with another penalty.
    """
    repetition_penalty: Annotated[StrictFloat, Field(gt=0.0, le=2.0)] = 1.0
    """
    Divides the scores of tokens that stand in prompt or answer; 1 stands for none. Best not with another penalty.
    """
    temperature: Annotated[StrictFloat, Field(ge=0.0, le=2.0)] = 1.0
    """
    0 takes the likeliest tokens. Calls of functions may fail to come if it is high.
    """
    top_p: Annotated[StrictFloat, Field(gt=1e-06, le=1.0)] = 1.0
    """
    Draw from the likeliest tokens that make up this probability.
    """
    top_k: Annotated[StrictInt | MISSING, Field(ge=0, le=2147483647)] = MISSING
    """
    Draw from this many of the likeliest tokens; 0, or as many as the vocabulary has, stands for all.
    """
    seed: Annotated[StrictInt | None, Field(ge=0, le=18446744073709551615)] = None
    """
    Equal requests with equal seeds are answered alike. One is drawn if it is absent.
    """
    stop: StopText | StopTexts | None = None
    """
    Texts that end the answer; they are not part of it. A list of them has at most 32768 characters. Not with `tools`, and not where thoughts are told from the answer.
    """
    stop_token_ids: list[Any] | None = None
    """
    Tokens that end the answer; they are not part of it. Items that are no 32-bit integers are passed over. Not with `tools`.
    """
    include_stop_str_in_output: StrictBool = False
    """
    Keep what ended the answer in it. It has no effect without `stop` and `stop_token_ids`. Not with `tools`, and not where thoughts are told from the answer.
    """
    skip_special_tokens: StrictBool = True
    """
    Leave special tokens out of the text.
    """
    ignore_eos: StrictBool = False
    """
    Go on after the model's end token.
    """
    max_tokens: Annotated[StrictInt | MISSING, Field(gt=0, le=2147483647)] = MISSING
    """
    Most tokens of the answer. The server has a bound of its own, and the smaller of the two holds.
    """
    use_beam_search: StrictBool = False
    """
    Search for the likeliest answers instead of drawing. Not with `stop`, `stop_token_ids` or `tools`.
    """
    best_of: Annotated[StrictInt | None, Field(ge=1, le=128)] = 1
    """
    Answers to generate where there is no beam search; all of them are told. More than 1 needs a `temperature` above 0. Not with `tools`.
    """
    n: Annotated[StrictInt | None, Field(ge=1, le=128)] = 1
    """
    Answers to tell where `best_of` is absent or null, or with beam search. More than 1 needs a `temperature` above 0 unless they are searched for. Not with `tools`.
    """
    logprobs: StrictBool = False
    """
    Tell the log-probability of each token of the answer. Not with `tools`.
    """
    top_logprobs: Annotated[StrictInt | None, Field(ge=0, le=20)] = 0
    """
    Tell this many of the likeliest tokens in each place. If it is there and `logprobs` is not, `logprobs` is true. Not with `tools`.
    """
    chat_template_kwargs: ChatTemplateKwargs | MISSING = MISSING
    tools: list[Tool] | MISSING = MISSING
    """
    Functions that the model may call.
    """
    tool_choice: Annotated[
        NamedToolChoice | Literal["none", "auto", "required"] | None, Field(validate_default=True)
    ] = "auto"
    """
    What is asked of the model about the functions.
    """
    response_format: TextFormat | JsonObjectFormat | JsonSchemaFormat | None = None
    """
    The form that the answer must have. Null is any.
    """


class ChatCompletion(BaseModel):
    id: StrictStr
    """
    Unique.
    """
    object: Literal["chat.completion"]
    created: Annotated[StrictInt, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    model: StrictStr
    """
    The name under which the model is served, whichever alias the request had.
    """
    choices: Annotated[list[Choice], Field(min_length=1)]
    """
    The answers, as many as `n` or `best_of` asks for.
    """
    usage: Usage
    """
    What the request cost, and what the engine measured of each token.
    """
    prefill_time: Annotated[StrictInt, Field(ge=0)]
    """
    Milliseconds that the first token took.
    """
    decode_time_arr: list[Milliseconds]
    """
    Milliseconds that each further token took.
    """


ChatCompletionEvent = TypeAliasType("ChatCompletionEvent", ChatCompletionChunk | ErrorResponse)
