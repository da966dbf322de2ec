# Generated from specs/aleph_alpha: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, BaseModel, Field, StrictBool, StrictStr, StringConstraints
from typing_extensions import TypeAliasType

from verbatim_kit.runtime.json_types import StrictFloat, StrictInt


class ChatMessage(BaseModel):
    role: Literal["system", "user", "assistant"]
    """
    Who speaks. A message of the system can only come first; after it user and assistant alternate, and the user begins and ends.
    """
    content: StrictStr
    """
    What is said.
    """
    name: StrictStr | None = None
    """
    Not supported; ignored.
    """


class StreamOptions(BaseModel):
    include_usage: StrictBool | None = False
    """
    Send the token counts before the end, in a chunk without choices.
    """


LogitBiasAdditionalProperty = TypeAliasType(
    "LogitBiasAdditionalProperty", Annotated[StrictFloat, Field(ge=-100.0, le=100.0)]
)


class ChatAnswerMessage(BaseModel):
    role: Literal["assistant"]
    content: StrictStr
    """
    The answer's text, without special tokens and stop texts.
    """


class ChatDelta(BaseModel):
    role: Literal["assistant"] | MISSING = MISSING
    """
    In an answer's first chunk alone.
    """
    content: StrictStr | MISSING = MISSING
    """
    Empty in an answer's first chunk; absent in its last.
    """


TokenByte = TypeAliasType("TokenByte", Annotated[StrictInt, Field(ge=0, le=255)])


class ChatUsage(BaseModel):
    completion_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens generated over all answers, end tokens counted.
    """
    prompt_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the conversation as the model read it, counted once for all answers.
    """
    total_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the prompt and of the answers together.
    """


Datum = TypeAliasType("Datum", Annotated[StrictInt, Field(ge=0)])


StopSequence = TypeAliasType("StopSequence", Annotated[StrictStr, Field(min_length=1)])


CompletionBiasExclusionItem = TypeAliasType(
    "CompletionBiasExclusionItem", Annotated[StrictStr, Field(min_length=1)]
)


CompletionLogitBiasAdditionalProperty = TypeAliasType(
    "CompletionLogitBiasAdditionalProperty", Annotated[StrictFloat, Field(ge=-100.0, le=100.0)]
)


class StreamSummary(BaseModel):
    type: Literal["stream_summary"]
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the completions has ended, from 0.
    """
    model_version: StrictStr
    """
    The name of the served model, then `@` and its revision if it has one.
    """
    finish_reason: Literal["maximum_tokens", "end_of_text", "stop_sequence_reached"]
    """
    What ended the completion.
    """


class EvaluationResult(BaseModel):
    log_probability: StrictFloat
    """
    Of the expected completion; natural logarithm.
    """
    log_perplexity: StrictFloat
    """
    The same without its sign.
    """
    log_perplexity_per_token: StrictFloat
    """
    `log_perplexity` divided by `token_count`.
    """
    log_perplexity_per_character: StrictFloat
    """
    `log_perplexity` divided by `character_count`.
    """
    correct_greedy: StrictBool
    """
    Whether the most likely tokens are the expected ones.
    """
    token_count: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the expected completion.
    """
    character_count: Annotated[StrictInt, Field(ge=0)]
    """
    Characters of the expected completion, which are Unicode code points.
    """
    completion: StrictStr
    """
    The most likely token in each place of the expected completion.
    """


class TokenizationRequest(BaseModel):
    model: StrictStr
    """
    The name of the served model, or an alias of it; any other is refused.
    """
    prompt: StrictStr
    """
    The text to turn into tokens. No special tokens are added.
    """
    tokens: StrictBool
    """
    Whether to tell the tokens as the vocabulary writes them.
    """
    token_ids: StrictBool
    """
    Whether to tell their ids.
    """


TokenId = TypeAliasType("TokenId", Annotated[StrictInt, Field(ge=0)])


class TokenizationResponse(BaseModel):
    tokens: list[StrictStr] | MISSING = MISSING
    """
    The tokens as the vocabulary writes them, in order; there only if `tokens` is true.
    """
    token_ids: list[TokenId] | MISSING = MISSING
    """
    The tokens' ids, in order; there only if `token_ids` is true.
    """


class DetokenizationRequest(BaseModel):
    model: StrictStr
    """
    The name of the served model, or an alias of it; any other is refused.
    """
    token_ids: list[TokenId]
    """
    Token ids of the served model. One outside of the vocabulary is refused.
    """


class DetokenizationResponse(BaseModel):
    result: StrictStr
    """
    The text of the tokens, special ones included.
    """


class AvailableModel(BaseModel):
    name: StrictStr
    """
    What to send as `model`.
    """
    description: StrictStr
    """
    A phrase for people: the name, and who serves it.
    """
    max_context_size: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens that prompt and completion may have together.
    """
    hostings: list[StrictStr]
    """
    Where a request may be sent to be processed. Empty; there is this server alone.
    """
    image_support: StrictBool
    """
    Whether prompts may hold images. Always false.
    """
    qa_support: StrictBool
    """
    Whether the model takes requests of the former question answering. Always false.
    """
    summarization_support: StrictBool
    """
    Whether the model takes requests of the former summarization. Always false.
    """
    embedding_types: list[StrictStr]
    """
    The kinds of embeddings that the model gives. Empty; this contract serves none.
    """
    maximum_completion_tokens: Annotated[StrictInt | None, Field(ge=0)]
    """
    Tokens that a completion can have at most, which is after a prompt of one token.
    """
    aligned: StrictBool
    """
    Whether the model was trained to follow instructions.
    """


class ModelSettings(BaseModel):
    name: StrictStr
    """
    What to send as `model`.
    """
    status: Literal["available", "unavailable"]
    """
    Whether the model takes requests. A server that answers has loaded its model, so that it is `available`.
    """
    description: StrictStr
    """
    A phrase for people: the name, and who serves it.
    """
    multimodal: StrictBool
    """
    Whether prompts may hold images. Always false.
    """
    max_context_size: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens that prompt and completion may have together.
    """
    completion_type: Literal["none", "full"]
    """
    Whether `/complete` takes the model, which it does; always `full`.
    """
    embedding_type: Literal["none", "raw", "semantic", "instructable"]
    """
    The kind of embeddings that the model gives. Always `none`.
    """
    maximum_completion_tokens: Annotated[StrictInt | None, Field(ge=0)]
    """
    Tokens that a completion can have at most, which is after a prompt of one token.
    """
    aligned: StrictBool
    """
    Whether the model was trained to follow instructions.
    """
    chat: StrictBool
    """
    Whether `/chat/completions` takes it.
    """
    prompt_template: StrictStr | None
    """
    A template for instructions in `/complete`. Null; the chat template of the model is applied in `/chat/completions`.
    """
    model_card: StrictStr | None
    """
    Where to read about the model.
    """


class Error(BaseModel):
    error: StrictStr
    """
    What is wrong.
    """
    code: StrictStr
    """
    The same for a program, in capitals.
    """


StopText = TypeAliasType("StopText", Annotated[StrictStr, Field(min_length=1)])


StopTexts = TypeAliasType("StopTexts", Annotated[list[StopText], Field(max_length=64)])


class ChatCompletionsArguments(BaseModel):
    nice: StrictBool = False
    """
    Let requests that are not nice go first. The answer is the same.
    """


class CompleteArguments(BaseModel):
    nice: StrictBool = False
    """
    Let requests that are not nice go first. The answer is the same.
    """


class EvaluateArguments(BaseModel):
    nice: StrictBool = False
    """
    Let requests that are not nice go first. The answer is the same.
    """


class ChatRequest(BaseModel):
    messages: Annotated[list[ChatMessage], Field(min_length=1)]
    """
    The conversation so far: at most one system message, which is the first; then user and assistant by turns, the user first and last.
    """
    model: StrictStr
    """
    The name of a model that can chat.
    """
    frequency_penalty: Annotated[StrictFloat | None, Field(ge=-2.0, le=2.0)] = None
    """
    Lowers a token's score for each time that it stands in the answer already.
    """
    logprobs: StrictBool | None = None
    """
    Tell the log-probabilities of the answer's tokens.
    """
    top_logprobs: Annotated[StrictInt | None, Field(ge=0, le=20)] = None
    """
    Tell also those of as many of the most likely tokens.
    """
    max_tokens: Annotated[StrictInt | None, Field(ge=1)] = None
    """
    Tokens to generate at most; as many as the context has room for if absent.
    """
    n: Annotated[StrictInt | None, Field(ge=1)] = 1
    """
    How many answers.
    """
    presence_penalty: Annotated[StrictFloat | None, Field(ge=-2.0, le=2.0)] = None
    """
    Lowers a token's score once if it stands in the answer already.
    """
    seed: StrictInt | None = None
    """
    Not supported; ignored.
    """
    service_tier: StrictStr | None = None
    """
    Not supported; ignored.
    """
    stream: StrictBool | None = False
    """
    Send the answer as it is generated, as server-sent events.
    """
    temperature: Annotated[StrictFloat | None, Field(ge=0.0, le=2.0)] = 1
    """
    Divides the scores before a token is drawn; 0 takes the most likely token.
    """
    top_p: Annotated[StrictFloat | None, Field(ge=0.0, le=1.0)] = 1
    """
    Draw from the most likely tokens that make up this probability.
    """
    user: StrictStr | None = None
    """
    Not supported; ignored.
    """
    logit_bias: (
        dict[
            Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,9})$", strict=True)],
            LogitBiasAdditionalProperty,
        ]
        | None
    ) = None
    """
    What is added to the scores of single tokens before one is drawn, from -100 to 100 by token id. Null changes none.
    """
    stream_options: StreamOptions | None = None
    """
    Options of a stream; without one they have no effect.
    """
    stop: StopText | StopTexts | None = None
    """
    Texts that end the answer; it does not hold them.
    """
    response_format: Annotated[None, Field(None)] = None
    """
    Not supported; refused.
    """
    tools: Annotated[None, Field(None)] = None
    """
    Not supported; refused.
    """
    tool_choice: Annotated[None, Field(None)] = None
    """
    Not supported; refused.
    """
    parallel_tool_calls: Annotated[None, Field(None)] = None
    """
    Not supported; refused.
    """
    maximum_tokens: Annotated[StrictInt | None, Field(ge=1)] = None
    """
    The same as max_tokens.
    """
    top_k: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    Draw from as many of the most likely tokens; 0 stands for all.
    """
    steering_concepts: Annotated[list[StrictStr] | None, Field(max_length=0)] = None
    """
    Directions to steer the model in. There are none here.
    """


class TopLogprob(BaseModel):
    token: StrictStr
    """
    The token as text. Bytes that are no whole character are told as U+FFFD.
    """
    logprob: StrictFloat
    """
    Natural logarithm of the token's probability; -9999.0 where there is none.
    """
    bytes: list[TokenByte]
    """
    The token as UTF-8.
    """


class TextItem(BaseModel):
    type: Literal["text"]
    data: StrictStr
    """
    The text. The tokenizer's own special tokens are put before it only if it is the first item.
    """
    controls: Annotated[list[dict[str, Any]] | MISSING, Field(max_length=0)] = MISSING
    """
    How much attention parts of the item get.
    """


class TokensItem(BaseModel):
    type: Literal["token_ids"]
    data: list[Datum]
    """
    Token ids of the served model, taken as they are. One outside of the vocabulary is refused.
    """
    controls: Annotated[list[dict[str, Any]] | MISSING, Field(max_length=0)] = MISSING
    """
    How much attention parts of the item get.
    """


class ImageItem(BaseModel):
    type: Literal["image"]
    data: StrictStr
    """
    The image, base64.
    """
    controls: Annotated[list[dict[str, Any]] | MISSING, Field(max_length=0)] = MISSING
    """
    How much attention parts of the item get.
    """


class StreamChunk(BaseModel):
    type: Literal["stream_chunk"]
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the completions gains, from 0.
    """
    log_probs: list[dict[str, StrictFloat | None]] | MISSING = MISSING
    """
    One a token; none for a first token that nothing precedes.
    """
    completion: StrictStr
    """
    What the text gains; it may be empty where tokens are told. With `echo` the first piece begins with the prompt.
    """
    raw_completion: StrictStr | MISSING = MISSING
    """
    The same with special tokens and stop texts. There only if `raw_completion` asks for it.
    """
    completion_tokens: list[StrictStr] | MISSING = MISSING
    """
    One a token. A text that is no whole character shows as U+FFFD.
    """


class EvaluationResponse(BaseModel):
    model_version: StrictStr
    """
    The name of the served model, then `@` and its revision if it has one.
    """
    message: StrictStr | None | MISSING = MISSING
    """
    A warning or a hint.
    """
    result: EvaluationResult
    """
    How likely the expected completion is.
    """
    num_tokens_prompt_total: Annotated[StrictInt, Field(ge=0)]
    """
    Of the prompt and the expected completion.
    """


AvailableModels = TypeAliasType("AvailableModels", list[AvailableModel])


ModelSettingsList = TypeAliasType("ModelSettingsList", list[ModelSettings])


class TokenLogprob(BaseModel):
    token: StrictStr
    """
    The token as text. Bytes that are no whole character are told as U+FFFD.
    """
    logprob: StrictFloat
    """
    Natural logarithm; -9999.0 where there is none.
    """
    bytes: list[TokenByte]
    """
    The token as UTF-8.
    """
    top_logprobs: list[TopLogprob]
    """
    The most likely tokens in its place, the best first.
    """


class CompletionResult(BaseModel):
    index: Annotated[StrictInt, Field(ge=0)]
    """
    The completion's place in the list, from 0.
    """
    log_probs: list[dict[str, StrictFloat | None]] | MISSING = MISSING
    """
    One a token; none for a first token that nothing precedes.
    """
    completion: StrictStr
    """
    The text, without special tokens and stop texts; with `echo` the prompt stands before it.
    """
    raw_completion: StrictStr | MISSING = MISSING
    """
    The text with special tokens and stop texts. There only if `raw_completion` asks for it.
    """
    completion_tokens: list[StrictStr] | MISSING = MISSING
    """
    One a token. A text that is no whole character shows as U+FFFD.
    """
    finish_reason: Literal["maximum_tokens", "end_of_text", "stop_sequence_reached"]
    """
    What ended the completion.
    """


class CompletionSummary(BaseModel):
    type: Literal["completion_summary"]
    optimized_prompt: (
        list[Annotated[TextItem | TokensItem | ImageItem, Field(discriminator="type")]] | MISSING
    ) = MISSING
    """
    The prompt after optimisation, if there was any.
    """
    num_tokens_prompt_total: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the prompt, counted once for each completion that was generated.
    """
    num_tokens_generated: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens generated over all completions; 0 if the request asks for none.
    """


class ChatLogprobs(BaseModel):
    content: list[TokenLogprob]
    """
    One entry a token of the answer, in order.
    """


class CompletionRequest(BaseModel):
    model: StrictStr
    """
    The name of the served model, or an alias of it; any other is refused.
    """
    prompt: StrictStr | list[Annotated[TextItem | TokensItem | ImageItem, Field(discriminator="type")]]
    """
    A text, or items that follow each other. An empty one begins a text.
    """
    hosting: StrictStr | None = None
    """
    Where the request may be processed.
    """
    maximum_tokens: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    Tokens to generate at most; as many as the context has room for if absent. 0 tells of the prompt.
    """
    minimum_tokens: Annotated[StrictInt | None, Field(ge=0)] = 0
    """
    No end before as many tokens.
    """
    echo: StrictBool | None = False
    """
    Begin the completion with the prompt.
    """
    temperature: Annotated[StrictFloat | None, Field(ge=0.0)] = 0
    """
    Divides the scores before a token is drawn; 0 takes the most likely token.
    """
    top_k: Annotated[StrictInt | None, Field(ge=0)] = 0
    """
    Draw from as many of the most likely tokens; 0 stands for all.
    """
    top_p: Annotated[StrictFloat | None, Field(ge=0.0, le=1.0)] = 0
    """
    Draw from the most likely tokens that make up this probability; 0 stands for all.
    """
    presence_penalty: Annotated[StrictFloat | None, Field(ge=-100.0, le=100.0)] = 0
    """
    Lowers a token's score once if it stands in the completion already.
    """
    frequency_penalty: Annotated[StrictFloat | None, Field(ge=-100.0, le=100.0)] = 0
    """
    Lowers a token's score for each time that it stands in the completion already.
    """
    sequence_penalty: Annotated[StrictFloat | None, Field(ge=0.0, le=0.0)] = 0
    """
    Lowers the scores of tokens that would repeat a sequence.
    """
    sequence_penalty_min_length: Annotated[StrictInt | None, Field(ge=2)] = 2
    """
    Tokens that make a sequence at least.
    """
    repetition_penalties_include_prompt: StrictBool | None = False
    """
    Whether what stands in the prompt is penalised.
    """
    repetition_penalties_include_completion: StrictBool | None = True
    """
    Whether what stands in the completion is penalised.
    """
    use_multiplicative_presence_penalty: StrictBool | None = False
    """
    Whether that penalty divides instead of being taken off.
    """
    use_multiplicative_frequency_penalty: StrictBool | None = False
    """
    Whether that penalty divides instead of being taken off.
    """
    use_multiplicative_sequence_penalty: StrictBool | None = False
    """
    Whether that penalty divides instead of being taken off.
    """
    penalty_exceptions: Annotated[list[StrictStr] | None, Field(max_length=0)] = None
    """
    Texts whose tokens are not penalised.
    """
    penalty_exceptions_include_stop_sequences: StrictBool | None = None
    """
    Whether `stop_sequences` are such texts; true if absent.
    """
    best_of: Annotated[StrictInt | None, Field(ge=1, le=100)] = None
    """
    Generate as many, and tell the `n` most likely. It is above `n`, and not for streams.
    """
    n: Annotated[StrictInt | None, Field(ge=1)] = 1
    """
    How many completions.
    """
    logit_bias: (
        dict[
            Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,9})$", strict=True)],
            CompletionLogitBiasAdditionalProperty,
        ]
        | None
    ) = None
    """
    What is added to the scores of single tokens before one is drawn, from -100 to 100 by token id. Null changes none.
    """
    log_probs: Annotated[StrictInt | None, Field(ge=0, le=20)] = None
    """
    Tell the tokens' log-probabilities, and those of as many of the most likely in each place.
    """
    stop_sequences: Annotated[list[StopSequence] | None, Field(max_length=64)] = None
    """
    Texts that end the completion; it does not hold them.
    """
    tokens: StrictBool | None = False
    """
    Tell the tokens as texts.
    """
    raw_completion: StrictBool | None = False
    """
    Tell the text as the model made it, special tokens included.
    """
    disable_optimizations: StrictBool | None = False
    """
    Leave prompt and completion as they are.
    """
    completion_bias_inclusion: Annotated[list[StrictStr] | None, Field(max_length=0)] = None
    """
    The only texts that may be generated.
    """
    completion_bias_inclusion_first_token_only: StrictBool | None = False
    """
    Whether that binds the first token alone.
    """
    completion_bias_exclusion: list[CompletionBiasExclusionItem] | None = None
    """
    Texts that are not generated.
    """
    completion_bias_exclusion_first_token_only: StrictBool | None = False
    """
    Whether that binds the first token alone.
    """
    contextual_control_threshold: StrictFloat | None = None
    """
    How similar a token must be to share a control.
    """
    control_log_additive: StrictBool | None = True
    """
    How controls are applied.
    """
    steering_concepts: Annotated[list[StrictStr] | None, Field(max_length=0)] = None
    """
    Directions to steer the model in.
    """
    stream: StrictBool | None = False
    """
    Send the completions as they are generated, as server-sent events.
    """
    penalty_bias: Annotated[None, Field(None)] = None
    """
    A text whose tokens are penalised as well. Refused.
    """


class CompletionResponse(BaseModel):
    completions: Annotated[list[CompletionResult], Field(min_length=1)]
    """
    As many as `n` asks for; of more that `best_of` had generated, the likeliest first.
    """
    model_version: StrictStr
    """
    The name of the served model, then `@` and its revision if it has one.
    """
    optimized_prompt: (
        list[Annotated[TextItem | TokensItem | ImageItem, Field(discriminator="type")]] | MISSING
    ) = MISSING
    """
    The prompt after optimisation, if there was any.
    """
    num_tokens_prompt_total: Annotated[StrictInt, Field(ge=0)]
    """
    Over all completions that were generated.
    """
    num_tokens_generated: Annotated[StrictInt, Field(ge=0)]
    """
    Over all completions that were generated.
    """


CompletionStreamEvent = TypeAliasType(
    "CompletionStreamEvent", StreamChunk | StreamSummary | CompletionSummary | Error
)


class EvaluationRequest(BaseModel):
    model: StrictStr
    """
    The name of the served model, or an alias of it; any other is refused.
    """
    prompt: StrictStr | list[Annotated[TextItem | TokensItem | ImageItem, Field(discriminator="type")]]
    """
    A text, or items that follow each other. An empty one begins a text.
    """
    completion_expected: Annotated[StrictStr, Field(min_length=1)]
    """
    The text whose likelihood is asked for.
    """
    hosting: StrictStr | None = None
    """
    Where the request may be processed.
    """
    contextual_control_threshold: StrictFloat | None = None
    """
    How similar a token must be to share a control.
    """
    control_log_additive: StrictBool | None = True
    """
    How controls are applied.
    """


class ChatCompletionChoice(BaseModel):
    finish_reason: Literal["stop", "length", "content_filter"]
    """
    `length`: max_tokens, or the context is full. `content_filter`: a reason that is none of the others.
    """
    index: Annotated[StrictInt, Field(ge=0)]
    """
    The answer's place in the list, from 0.
    """
    message: ChatAnswerMessage
    """
    The answer.
    """
    logprobs: ChatLogprobs | None
    """
    Log-probabilities of the answer's tokens; null unless `logprobs` or `top_logprobs` asks for them.
    """


class ChatChunkChoice(BaseModel):
    finish_reason: Literal["stop", "length", "content_filter"] | None
    """
    In an answer's last chunk.
    """
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the answers, from 0.
    """
    delta: ChatDelta
    """
    What the answer gains.
    """
    logprobs: ChatLogprobs | None
    """
    Of the tokens whose text the chunk brings; null unless `logprobs` or `top_logprobs` asks for them.
    """


class ChatCompletion(BaseModel):
    id: StrictStr
    """
    Unique; a UUID.
    """
    choices: Annotated[list[ChatCompletionChoice], Field(min_length=1)]
    """
    The answers, as many as `n` asks for.
    """
    created: Annotated[StrictInt, Field(ge=0)]
    """
    Unix time in seconds.
    """
    model: StrictStr
    """
    The name under which the model is served, whichever alias the request had.
    """
    system_fingerprint: StrictStr
    """
    Equal where the same model runs in the same way.
    """
    object: Literal["chat.completion"]
    usage: ChatUsage
    """
    What the request cost, in tokens.
    """


class ChatCompletionChunk(BaseModel):
    id: StrictStr
    """
    The same in all chunks of an answer.
    """
    choices: list[ChatChunkChoice]
    """
    What one of the answers gains. Empty in the chunk that tells the token counts.
    """
    created: Annotated[StrictInt, Field(ge=0)]
    """
    Unix time in seconds.
    """
    model: StrictStr
    """
    The name under which the model is served, whichever alias the request had.
    """
    system_fingerprint: StrictStr | None
    """
    In the chunk that ends an answer, and in that of the token counts.
    """
    object: Literal["chat.completion.chunk"]
    usage: ChatUsage | None
    """
    In the last chunk, if stream_options asks for it.
    """


ChatStreamEvent = TypeAliasType("ChatStreamEvent", ChatCompletionChunk | Error)
