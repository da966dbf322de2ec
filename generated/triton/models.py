# Generated from specs/triton: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, BaseModel, ConfigDict, Field, StrictBool, StrictStr, StringConstraints
from typing_extensions import TypeAliasType

from verbatim_kit.runtime.json_types import OnlyFalse, OnlyTrue, StrictFloat, StrictInt

TextInput = TypeAliasType("TextInput", Annotated[list[StrictStr], Field(max_length=1, min_length=1)])
"""
The text to go on from. A request needs it, here or in `parameters`.
"""


Stream = TypeAliasType("Stream", Annotated[list[StrictBool], Field(max_length=1, min_length=1)])
"""
Answer with an event a token. `generate` answers once, and refuses true.
"""


ExcludeInputInOutput = TypeAliasType(
    "ExcludeInputInOutput", Annotated[list[StrictBool], Field(max_length=1, min_length=1)]
)
"""
Leave the input out of `text_output`. True where `stream` is, else false; a stream cannot have false.
"""


StopWords = TypeAliasType("StopWords", Annotated[list[StrictStr], Field(max_length=64)])
"""
Texts that end the text, and are left out of it. Empty ones stand for none.
"""


BadWords = TypeAliasType("BadWords", Annotated[list[StrictStr], Field(max_length=64)])
"""
Texts that never come. Empty ones stand for none.
"""


PadId = TypeAliasType("PadId", Annotated[StrictInt, Field(ge=-2147483648, le=2147483647)])
"""
Changes nothing: nothing is padded here.
"""


PadId1Item = TypeAliasType("PadId1Item", Annotated[StrictInt, Field(ge=-2147483648, le=2147483647)])


PadId1 = TypeAliasType("PadId1", Annotated[list[PadId1Item], Field(max_length=1, min_length=1)])
"""
Changes nothing: nothing is padded here.
"""


LengthPenalty = TypeAliasType("LengthPenalty", Annotated[StrictFloat, Field(ge=-50.0, le=50.0)])
"""
Of beam search: above 0 favours long texts. Without beams it changes nothing.
"""


LengthPenalty1Item = TypeAliasType("LengthPenalty1Item", Annotated[StrictFloat, Field(ge=-50.0, le=50.0)])


LengthPenalty1 = TypeAliasType(
    "LengthPenalty1", Annotated[list[LengthPenalty1Item], Field(max_length=1, min_length=1)]
)
"""
Of beam search: above 0 favours long texts. Without beams it changes nothing.
"""


EmbeddingBiasWords = TypeAliasType("EmbeddingBiasWords", Annotated[list[StrictStr], Field(max_length=64)])
"""
Texts whose tokens get what `embedding_bias_weights` says, added to their scores.
"""


EmbeddingBiasWeights = TypeAliasType(
    "EmbeddingBiasWeights", Annotated[list[StrictFloat], Field(max_length=64)]
)
"""
One for each of `embedding_bias_words`.
"""


GuidedDecodingGuide = TypeAliasType(
    "GuidedDecodingGuide", Annotated[list[StrictStr], Field(max_length=1, min_length=1)]
)
"""
The schema, expression, grammar or tag; none for any JSON value.
"""


ReturnFinishReason = TypeAliasType(
    "ReturnFinishReason", Annotated[list[StrictBool], Field(max_length=1, min_length=1)]
)
"""
Tell why the text ended.
"""


ReturnCumulativeLogprob = TypeAliasType(
    "ReturnCumulativeLogprob", Annotated[list[StrictBool], Field(max_length=1, min_length=1)]
)
"""
Tell the log-probability of the text.
"""


ReturnLogprobs = TypeAliasType(
    "ReturnLogprobs", Annotated[list[StrictBool], Field(max_length=1, min_length=1)]
)
"""
Tell the log-probabilities of the tokens, as many as `logprobs` says.
"""


ReturnLogProbs = TypeAliasType(
    "ReturnLogProbs", Annotated[list[StrictBool], Field(max_length=1, min_length=1)]
)
"""
Tell `cum_log_probs` and `output_log_probs`.
"""


ReturnNumInputTokens = TypeAliasType(
    "ReturnNumInputTokens", Annotated[list[StrictBool], Field(max_length=1, min_length=1)]
)
"""
Tell how many tokens the input has.
"""


ReturnNumOutputTokens = TypeAliasType(
    "ReturnNumOutputTokens", Annotated[list[StrictBool], Field(max_length=1, min_length=1)]
)
"""
Tell how many tokens were generated.
"""


ReturnContextLogits = TypeAliasType(
    "ReturnContextLogits", Annotated[list[OnlyFalse], Field(max_length=1, min_length=1)]
)
"""
Not told by this server.
"""


ReturnGenerationLogits = TypeAliasType(
    "ReturnGenerationLogits", Annotated[list[OnlyFalse], Field(max_length=1, min_length=1)]
)
"""
Not told by this server.
"""


ReturnPerfMetrics = TypeAliasType(
    "ReturnPerfMetrics", Annotated[list[OnlyFalse], Field(max_length=1, min_length=1)]
)
"""
Not told by this server.
"""


PadId2 = TypeAliasType("PadId2", Annotated[StrictInt, Field(ge=-2147483648, le=2147483647)])
"""
Changes nothing: nothing is padded here.
"""


PadId3Item = TypeAliasType("PadId3Item", Annotated[StrictInt, Field(ge=-2147483648, le=2147483647)])


PadId3 = TypeAliasType("PadId3", Annotated[list[PadId3Item], Field(max_length=1, min_length=1)])
"""
Changes nothing: nothing is padded here.
"""


LengthPenalty2 = TypeAliasType("LengthPenalty2", Annotated[StrictFloat, Field(ge=-50.0, le=50.0)])
"""
Of beam search: above 0 favours long texts. Without beams it changes nothing.
"""


LengthPenalty3Item = TypeAliasType("LengthPenalty3Item", Annotated[StrictFloat, Field(ge=-50.0, le=50.0)])


LengthPenalty3 = TypeAliasType(
    "LengthPenalty3", Annotated[list[LengthPenalty3Item], Field(max_length=1, min_length=1)]
)
"""
Of beam search: above 0 favours long texts. Without beams it changes nothing.
"""


NumOutputTokens = TypeAliasType("NumOutputTokens", Annotated[StrictInt, Field(ge=0, le=4294967295)])
"""
Tokens of each text; in a stream, those it gained.
"""


NumOutputToken = TypeAliasType("NumOutputToken", Annotated[StrictInt, Field(ge=0, le=4294967295)])


class ErrorResponse(BaseModel):
    error: StrictStr
    """
    What went wrong.
    """


class ServerMetadata(BaseModel):
    name: StrictStr
    """
    What the server is.
    """
    version: StrictStr
    """
    Its version.
    """
    extensions: list[StrictStr]
    """
    The protocol's extensions that it has.
    """


ShapeItem = TypeAliasType("ShapeItem", Annotated[StrictInt, Field(ge=-1)])


class LatestVersions(BaseModel):
    num_versions: Annotated[StrictInt, Field(ge=0, le=4294967295)]
    """
    How many of the newest versions are served.
    """


Dim = TypeAliasType("Dim", Annotated[StrictInt, Field(ge=-1)])


class TransactionPolicy(BaseModel):
    decoupled: StrictBool
    """
    Whether a request can have other than one response.
    """


class RepositoryIndexRequest(BaseModel):
    ready: StrictBool = False
    """
    Leave out models that take no requests.
    """


class RepositoryModel(BaseModel):
    name: StrictStr
    """
    The model.
    """
    version: StrictStr | MISSING = MISSING
    """
    A version of it.
    """
    state: StrictStr | MISSING = MISSING
    """
    READY, or why it is not.
    """
    reason: StrictStr | MISSING = MISSING
    """
    More of why.
    """


class Durations(BaseModel):
    count: Annotated[StrictInt, Field(ge=0, le=18446744073709551615)]
    """
    How often.
    """
    ns: Annotated[StrictInt, Field(ge=0, le=18446744073709551615)]
    """
    For how long altogether, in nanoseconds.
    """


class BatchStatistics(BaseModel):
    batch_size: Annotated[StrictInt, Field(ge=0, le=18446744073709551615)]
    """
    Inferences in one run.
    """
    compute_input: Durations
    """
    Making inputs ready.
    """
    compute_infer: Durations
    """
    Running the model.
    """
    compute_output: Durations
    """
    Making outputs ready.
    """


MaxTokens = TypeAliasType("MaxTokens", Annotated[StrictInt, Field(ge=1, le=2147483647)])


MinTokens = TypeAliasType("MinTokens", Annotated[StrictInt, Field(ge=0, le=2147483647)])


EndToken = TypeAliasType("EndToken", Annotated[StrictInt, Field(ge=-1, le=2147483647)])


Token = TypeAliasType("Token", Annotated[StrictInt, Field(ge=0, le=2147483647)])


Temperature = TypeAliasType("Temperature", Annotated[StrictFloat, Field(ge=0.0)])


TopK = TypeAliasType("TopK", Annotated[StrictInt, Field(ge=-1, le=2147483647)])


TopP = TypeAliasType("TopP", Annotated[StrictFloat, Field(gt=0.0, le=1.0)])


RepetitionPenalty = TypeAliasType("RepetitionPenalty", Annotated[StrictFloat, Field(gt=0.0)])


Penalty = TypeAliasType("Penalty", Annotated[StrictFloat, Field(ge=-2.0, le=2.0)])


Seed = TypeAliasType("Seed", Annotated[StrictInt, Field(ge=0, le=18446744073709551615)])


NumSequences = TypeAliasType("NumSequences", Annotated[StrictInt, Field(ge=1, le=2147483647)])


BeamWidth = TypeAliasType("BeamWidth", Annotated[StrictInt, Field(ge=1, le=2147483647)])


GuideType = TypeAliasType(
    "GuideType", Literal["json", "json_schema", "regex", "ebnf_grammar", "structural_tag"]
)


SamplingText = TypeAliasType(
    "SamplingText",
    Annotated[
        StrictStr,
        Field(
            json_schema_extra={
                "contentMediaType": "application/json",
                "contentSchema": {"$ref": "#/components/schemas/SamplingOptions"},
            }
        ),
    ],
)


Stop = TypeAliasType("Stop", Annotated[list[StrictStr], Field(max_length=64)])
"""
Texts that end the text. Empty ones stand for none.
"""


class StructuredOutputs(BaseModel):
    """
    What the text must be; one member, no more.
    """

    model_config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
    )
    json_: Annotated[StrictStr | dict[str, Any] | StrictBool | MISSING, Field(alias="json")] = MISSING
    """
    A JSON Schema, or its text.
    """
    regex: StrictStr | MISSING = MISSING
    """
    A regular expression for the whole text.
    """
    choice: Annotated[list[StrictStr] | MISSING, Field(min_length=1)] = MISSING
    """
    One of these texts.
    """
    grammar: StrictStr | MISSING = MISSING
    """
    A grammar in GBNF.
    """
    json_object: OnlyTrue | MISSING = MISSING
    """
    Any JSON object.
    """
    structural_tag: StrictStr | MISSING = MISSING
    """
    A structural tag of xgrammar's as JSON text.
    """


class GenerateVersionArguments(BaseModel):
    model_name: Annotated[StrictStr, Field(min_length=1)]
    """
    A model of this server.
    """
    model_version: Annotated[StrictStr, Field(min_length=1)]
    """
    A version of the model, a number.
    """


class GenerateStreamVersionArguments(BaseModel):
    model_name: Annotated[StrictStr, Field(min_length=1)]
    """
    A model of this server.
    """
    model_version: Annotated[StrictStr, Field(min_length=1)]
    """
    A version of the model, a number.
    """


class ModelVersionReadyArguments(BaseModel):
    model_name: Annotated[StrictStr, Field(min_length=1)]
    """
    A model of this server.
    """
    model_version: Annotated[StrictStr, Field(min_length=1)]
    """
    A version of the model, a number.
    """


class ModelVersionConfigArguments(BaseModel):
    model_name: Annotated[StrictStr, Field(min_length=1)]
    """
    A model of this server.
    """
    model_version: Annotated[StrictStr, Field(min_length=1)]
    """
    A version of the model, a number.
    """


class ModelVersionStatisticsArguments(BaseModel):
    model_name: Annotated[StrictStr, Field(min_length=1)]
    """
    A model of this server.
    """
    model_version: Annotated[StrictStr, Field(min_length=1)]
    """
    A version of the model, a number.
    """


class ModelVersionMetadataArguments(BaseModel):
    model_name: Annotated[StrictStr, Field(min_length=1)]
    """
    A model of this server.
    """
    model_version: Annotated[StrictStr, Field(min_length=1)]
    """
    A version of the model, a number.
    """


class GenerateArguments(BaseModel):
    model_name: Annotated[StrictStr, Field(min_length=1)]
    """
    A model of this server.
    """


class GenerateStreamArguments(BaseModel):
    model_name: Annotated[StrictStr, Field(min_length=1)]
    """
    A model of this server.
    """


class ModelReadyArguments(BaseModel):
    model_name: Annotated[StrictStr, Field(min_length=1)]
    """
    A model of this server.
    """


class ModelConfigArguments(BaseModel):
    model_name: Annotated[StrictStr, Field(min_length=1)]
    """
    A model of this server.
    """


class ModelStatisticsArguments(BaseModel):
    model_name: Annotated[StrictStr, Field(min_length=1)]
    """
    A model of this server.
    """


class ModelMetadataArguments(BaseModel):
    model_name: Annotated[StrictStr, Field(min_length=1)]
    """
    A model of this server.
    """


SamplingParameters = TypeAliasType(
    "SamplingParameters", Annotated[list[StrictStr], Field(max_length=1, min_length=1)]
)
"""
A JSON object as text, after SamplingOptions. If it is there, it alone says how to sample and when to stop.
"""


MaxTokens1 = TypeAliasType("MaxTokens1", Annotated[list[MaxTokens], Field(max_length=1, min_length=1)])
"""
Tokens to generate at most. The end of the context ends the text, too.
"""


MinTokens1 = TypeAliasType("MinTokens1", Annotated[list[MinTokens], Field(max_length=1, min_length=1)])
"""
No end before so many tokens.
"""


EndId = TypeAliasType("EndId", Annotated[list[EndToken], Field(max_length=1, min_length=1)])
"""
The token that ends the text, in place of the model's own; -1 for none.
"""


Temperature1 = TypeAliasType("Temperature1", Annotated[list[Temperature], Field(max_length=1, min_length=1)])
"""
0 takes the likeliest token each time.
"""


TopK1 = TypeAliasType("TopK1", Annotated[list[TopK], Field(max_length=1, min_length=1)])
"""
Draw from so many of the likeliest tokens; 0 and -1 stand for all.
"""


TopP1 = TypeAliasType("TopP1", Annotated[list[TopP], Field(max_length=1, min_length=1)])
"""
Draw from the likeliest tokens that make up this probability.
"""


RepetitionPenalty1 = TypeAliasType(
    "RepetitionPenalty1", Annotated[list[RepetitionPenalty], Field(max_length=1, min_length=1)]
)
"""
Divides the scores of tokens that stand in input or output; 1 stands for none.
"""


PresencePenalty = TypeAliasType(
    "PresencePenalty", Annotated[list[Penalty], Field(max_length=1, min_length=1)]
)
"""
Taken from the scores of tokens that stand in the output.
"""


FrequencyPenalty = TypeAliasType(
    "FrequencyPenalty", Annotated[list[Penalty], Field(max_length=1, min_length=1)]
)
"""
Taken from a token's score once for each time that it stands in the output.
"""


Seed1 = TypeAliasType("Seed1", Annotated[list[Seed], Field(max_length=1, min_length=1)])
"""
Equal seeds draw equal texts; one is drawn if there is none.
"""


NumReturnSequences = TypeAliasType(
    "NumReturnSequences", Annotated[list[NumSequences], Field(max_length=1, min_length=1)]
)
"""
Texts to generate; `n` by another name. With beams, at most and by default `beam_width`.
"""


BeamWidth1 = TypeAliasType("BeamWidth1", Annotated[list[BeamWidth], Field(max_length=1, min_length=1)])
"""
Hypotheses of a beam search; 1 searches none. A search draws nothing, so `temperature` must be 0 or absent.
"""


GuidedDecodingGuideType = TypeAliasType(
    "GuidedDecodingGuideType",
    Annotated[
        list[Literal["json", "json_schema", "regex", "ebnf_grammar", "structural_tag"]],
        Field(max_length=1, min_length=1),
    ],
)
"""
What the text must be.
"""


class Parameters(BaseModel):
    """
    Parameters by name. Which there are is for the model's specification to say.
    """

    model_config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
    )
    text_input: StrictStr | TextInput | MISSING = MISSING
    """
    The text to go on from. A request needs it, here or in `parameters`.
    """
    stream: StrictBool | Stream = False
    """
    Answer with an event a token. `generate` answers once, and refuses true.
    """
    exclude_input_in_output: StrictBool | ExcludeInputInOutput | MISSING = MISSING
    """
    Leave the input out of `text_output`. True where `stream` is, else false; a stream cannot have false.
    """
    sampling_parameters: SamplingParameters | StrictStr | MISSING = MISSING
    """
    A JSON object as text, after SamplingOptions. If it is there, it alone says how to sample and when to stop.
    """
    max_tokens: MaxTokens | MaxTokens1 | MISSING = MISSING
    """
    Tokens to generate at most. The end of the context ends the text, too.
    """
    min_tokens: MinTokens | MinTokens1 | MISSING = MISSING
    """
    No end before so many tokens.
    """
    stop_words: StrictStr | StopWords | MISSING = MISSING
    """
    Texts that end the text, and are left out of it. Empty ones stand for none.
    """
    bad_words: StrictStr | BadWords | MISSING = MISSING
    """
    Texts that never come. Empty ones stand for none.
    """
    end_id: EndToken | EndId | MISSING = MISSING
    """
    The token that ends the text, in place of the model's own; -1 for none.
    """
    pad_id: PadId2 | PadId3 | MISSING = MISSING
    """
    Changes nothing: nothing is padded here.
    """
    temperature: Temperature | Temperature1 | MISSING = MISSING
    """
    0 takes the likeliest token each time.
    """
    top_k: TopK | TopK1 | MISSING = MISSING
    """
    Draw from so many of the likeliest tokens; 0 and -1 stand for all.
    """
    top_p: TopP | TopP1 | MISSING = MISSING
    """
    Draw from the likeliest tokens that make up this probability.
    """
    repetition_penalty: RepetitionPenalty | RepetitionPenalty1 | MISSING = MISSING
    """
    Divides the scores of tokens that stand in input or output; 1 stands for none.
    """
    presence_penalty: Penalty | PresencePenalty | MISSING = MISSING
    """
    Taken from the scores of tokens that stand in the output.
    """
    frequency_penalty: Penalty | FrequencyPenalty | MISSING = MISSING
    """
    Taken from a token's score once for each time that it stands in the output.
    """
    seed: Seed | Seed1 | MISSING = MISSING
    """
    Equal seeds draw equal texts; one is drawn if there is none.
    """
    num_return_sequences: NumSequences | NumReturnSequences | MISSING = MISSING
    """
    Texts to generate; `n` by another name. With beams, at most and by default `beam_width`.
    """
    beam_width: BeamWidth | BeamWidth1 | MISSING = MISSING
    """
    Hypotheses of a beam search; 1 searches none. A search draws nothing, so `temperature` must be 0 or absent.
    """
    length_penalty: LengthPenalty2 | LengthPenalty3 | MISSING = MISSING
    """
    Of beam search: above 0 favours long texts. Without beams it changes nothing.
    """
    embedding_bias_words: StrictStr | EmbeddingBiasWords | MISSING = MISSING
    """
    Texts whose tokens get what `embedding_bias_weights` says, added to their scores.
    """
    embedding_bias_weights: StrictFloat | EmbeddingBiasWeights | MISSING = MISSING
    """
    One for each of `embedding_bias_words`.
    """
    guided_decoding_guide_type: (
        GuidedDecodingGuideType
        | Literal["json", "json_schema", "regex", "ebnf_grammar", "structural_tag"]
        | MISSING
    ) = MISSING
    """
    What the text must be.
    """
    guided_decoding_guide: StrictStr | GuidedDecodingGuide | MISSING = MISSING
    """
    The schema, expression, grammar or tag; none for any JSON value.
    """
    return_finish_reason: StrictBool | ReturnFinishReason = False
    """
    Tell why the text ended.
    """
    return_cumulative_logprob: StrictBool | ReturnCumulativeLogprob = False
    """
    Tell the log-probability of the text.
    """
    return_logprobs: StrictBool | ReturnLogprobs = False
    """
    Tell the log-probabilities of the tokens, as many as `logprobs` says.
    """
    return_log_probs: StrictBool | ReturnLogProbs = False
    """
    Tell `cum_log_probs` and `output_log_probs`.
    """
    return_num_input_tokens: StrictBool | ReturnNumInputTokens = False
    """
    Tell how many tokens the input has.
    """
    return_num_output_tokens: StrictBool | ReturnNumOutputTokens = False
    """
    Tell how many tokens were generated.
    """
    return_context_logits: OnlyFalse | ReturnContextLogits | MISSING = MISSING
    """
    Not told by this server.
    """
    return_generation_logits: OnlyFalse | ReturnGenerationLogits | MISSING = MISSING
    """
    Not told by this server.
    """
    return_perf_metrics: OnlyFalse | ReturnPerfMetrics | MISSING = MISSING
    """
    Not told by this server.
    """
    n: Annotated[StrictInt | MISSING, Field(ge=1, le=2147483647)] = MISSING
    """
    Texts to generate.
    """
    min_p: Annotated[StrictFloat | MISSING, Field(ge=0.0, le=1.0)] = MISSING
    """
    Leave out tokens that are less likely than this share of the likeliest one's probability.
    """
    stop: StrictStr | MISSING = MISSING
    """
    A text that ends the text, and is left out of it.
    """
    logprobs: Annotated[StrictInt | MISSING, Field(ge=0, le=20)] = MISSING
    """
    Tokens to tell of for each place, beside the one that came.
    """
    ignore_eos: StrictBool | MISSING = MISSING
    """
    Go on after the model's end token.
    """
    include_stop_str_in_output: StrictBool | MISSING = MISSING
    """
    Keep the text in `text_output` that ended it.
    """
    skip_special_tokens: StrictBool | MISSING = MISSING
    """
    Leave special tokens out of `text_output`; so it is if absent.
    """
    structured_outputs: StrictStr | MISSING = MISSING
    """
    A JSON object as text, after StructuredOutputs.
    """


class GenerateResponse(BaseModel):
    id: StrictStr | MISSING = MISSING
    """
    What the request has under that name, if anything.
    """
    model_name: StrictStr
    """
    The model that generated.
    """
    model_version: StrictStr
    """
    Its version.
    """
    text_output: StrictStr | list[StrictStr]
    """
    The text; in a stream, what it gained. One for each text that was asked for.
    """
    finish_reason: list[Literal["stop", "length", "None"]] | Literal["stop", "length", "None"] | MISSING = (
        MISSING
    )
    """
    Why each text ended.
    """
    cumulative_logprob: StrictFloat | list[StrictFloat] | MISSING = MISSING
    """
    Of each text so far, natural logarithm.
    """
    logprobs: StrictStr | list[StrictStr] | MISSING = MISSING
    """
    Of each text, as JSON: an object for each token, by the ids of those told of, each with `logprob`, `rank` (null if the token that came is not among the likeliest that were asked for) and `decoded_token`. The text `null` where no `logprobs` were asked for.
    """
    cum_log_probs: StrictFloat | list[StrictFloat] | MISSING = MISSING
    """
    The same as `cumulative_logprob`.
    """
    output_log_probs: StrictFloat | list[StrictFloat] | MISSING = MISSING
    """
    Of each token, one text after the other; -9999 stands for what is less likely than any number.
    """
    num_input_tokens: Annotated[StrictInt | MISSING, Field(ge=0, le=4294967295)] = MISSING
    """
    Tokens of the input.
    """
    num_output_tokens: NumOutputTokens | list[NumOutputToken] | MISSING = MISSING
    """
    Tokens of each text; in a stream, those it gained.
    """


GenerateEvent = TypeAliasType("GenerateEvent", GenerateResponse | ErrorResponse)


class TensorMetadata(BaseModel):
    name: StrictStr
    """
    The tensor.
    """
    datatype: Literal[
        "BOOL",
        "UINT8",
        "UINT16",
        "UINT32",
        "UINT64",
        "INT8",
        "INT16",
        "INT32",
        "INT64",
        "FP16",
        "FP32",
        "FP64",
        "BYTES",
    ]
    """
    The type of a tensor's elements.
    """
    shape: Annotated[list[ShapeItem], Field(min_length=1)]
    """
    Its dimensions, -1 for any length.
    """


class VersionPolicy(BaseModel):
    latest: LatestVersions
    """
    How many of the newest versions are served.
    """


class InputConfig(BaseModel):
    name: StrictStr
    """
    The input.
    """
    data_type: Literal[
        "TYPE_BOOL",
        "TYPE_UINT8",
        "TYPE_UINT16",
        "TYPE_UINT32",
        "TYPE_UINT64",
        "TYPE_INT8",
        "TYPE_INT16",
        "TYPE_INT32",
        "TYPE_INT64",
        "TYPE_FP16",
        "TYPE_FP32",
        "TYPE_FP64",
        "TYPE_STRING",
    ]
    """
    The type of a tensor's elements, as configurations write it.
    """
    dims: Annotated[list[Dim], Field(min_length=1)]
    """
    Its dimensions, -1 for any length.
    """
    optional: StrictBool
    """
    Whether a request may leave it out.
    """


class OutputConfig(BaseModel):
    name: StrictStr
    """
    The output.
    """
    data_type: Literal[
        "TYPE_BOOL",
        "TYPE_UINT8",
        "TYPE_UINT16",
        "TYPE_UINT32",
        "TYPE_UINT64",
        "TYPE_INT8",
        "TYPE_INT16",
        "TYPE_INT32",
        "TYPE_INT64",
        "TYPE_FP16",
        "TYPE_FP32",
        "TYPE_FP64",
        "TYPE_STRING",
    ]
    """
    The type of a tensor's elements, as configurations write it.
    """
    dims: Annotated[list[Dim], Field(min_length=1)]
    """
    Its dimensions, -1 for any length.
    """


class InferenceStatistics(BaseModel):
    success: Durations
    """
    Requests that were answered.
    """
    fail: Durations
    """
    Requests that were not.
    """
    queue: Durations
    """
    Waiting to be run.
    """
    compute_input: Durations
    """
    Making inputs ready.
    """
    compute_infer: Durations
    """
    Running the model.
    """
    compute_output: Durations
    """
    Making outputs ready.
    """
    cache_hit: Durations
    """
    Answers that were kept from before.
    """
    cache_miss: Durations
    """
    Answers looked for and not kept.
    """


class SamplingOptions(BaseModel):
    """
    How to sample and when to stop, under vLLM's names. A null counts as absent, and the text of a number or of a boolean as what it says.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    n: Annotated[StrictInt, Field(ge=1, le=2147483647)] = 1
    """
    Texts to generate.
    """
    max_tokens: Annotated[StrictInt, Field(ge=1, le=2147483647)] = 16
    """
    Tokens to generate at most.
    """
    min_tokens: Annotated[StrictInt, Field(ge=0, le=2147483647)] = 0
    """
    No end before so many tokens.
    """
    stop: StrictStr | Stop = []
    """
    Texts that end the text. Empty ones stand for none.
    """
    stop_token_ids: list[Token] = []
    """
    Tokens that end the text, beside the model's own.
    """
    ignore_eos: StrictBool = False
    """
    Go on after the model's end token.
    """
    include_stop_str_in_output: StrictBool = False
    """
    Keep the text that ended the text.
    """
    skip_special_tokens: StrictBool = True
    """
    Leave special tokens out of the text.
    """
    temperature: Annotated[StrictFloat | MISSING, Field(ge=0.0)] = MISSING
    """
    1 if absent; 0 in a beam search.
    """
    top_k: Annotated[StrictInt, Field(ge=-1, le=2147483647)] = 0
    """
    0 and -1 stand for all.
    """
    top_p: Annotated[StrictFloat, Field(gt=0.0, le=1.0)] = 1
    """
    1 stands for all.
    """
    min_p: Annotated[StrictFloat, Field(ge=0.0, le=1.0)] = 0
    """
    0 stands for all.
    """
    repetition_penalty: Annotated[StrictFloat, Field(gt=0.0)] = 1
    """
    1 stands for none.
    """
    presence_penalty: Annotated[StrictFloat, Field(ge=-2.0, le=2.0)] = 0
    """
    0 stands for none.
    """
    frequency_penalty: Annotated[StrictFloat, Field(ge=-2.0, le=2.0)] = 0
    """
    0 stands for none.
    """
    seed: Annotated[StrictInt | MISSING, Field(ge=0, le=18446744073709551615)] = MISSING
    """
    One is drawn if there is none.
    """
    logprobs: Annotated[StrictInt | MISSING, Field(ge=0, le=20)] = MISSING
    """
    Tokens to tell of for each place.
    """
    logit_bias: dict[
        Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}$", strict=True)], StrictFloat
    ] = {}
    """
    What is added to the scores of tokens, by their ids.
    """
    allowed_token_ids: Annotated[list[Token] | MISSING, Field(min_length=1)] = MISSING
    """
    The only tokens that may come, the end token too.
    """
    bad_words: Annotated[list[StrictStr], Field(max_length=64)] = []
    """
    Texts that never come. Empty ones stand for none.
    """
    structured_outputs: StrictStr | StructuredOutputs | MISSING = MISSING
    """
    What the text must be, as an object or its JSON text.
    """


class GenerateRequest(BaseModel):
    """
    Members beside these are inputs of the model or parameters, as the model's specification says.
    """

    model_config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
    )
    id: StrictStr | MISSING = MISSING
    """
    A name for the request that the answer repeats.
    """
    parameters: Parameters | MISSING = MISSING
    text_input: StrictStr | TextInput | MISSING = MISSING
    """
    The text to go on from. A request needs it, here or in `parameters`.
    """
    stream: StrictBool | Stream = False
    """
    Answer with an event a token. `generate` answers once, and refuses true.
    """
    exclude_input_in_output: StrictBool | ExcludeInputInOutput | MISSING = MISSING
    """
    Leave the input out of `text_output`. True where `stream` is, else false; a stream cannot have false.
    """
    sampling_parameters: SamplingParameters | StrictStr | MISSING = MISSING
    """
    A JSON object as text, after SamplingOptions. If it is there, it alone says how to sample and when to stop.
    """
    max_tokens: MaxTokens | MaxTokens1 | MISSING = MISSING
    """
    Tokens to generate at most. The end of the context ends the text, too.
    """
    min_tokens: MinTokens | MinTokens1 | MISSING = MISSING
    """
    No end before so many tokens.
    """
    stop_words: StrictStr | StopWords | MISSING = MISSING
    """
    Texts that end the text, and are left out of it. Empty ones stand for none.
    """
    bad_words: StrictStr | BadWords | MISSING = MISSING
    """
    Texts that never come. Empty ones stand for none.
    """
    end_id: EndToken | EndId | MISSING = MISSING
    """
    The token that ends the text, in place of the model's own; -1 for none.
    """
    pad_id: PadId | PadId1 | MISSING = MISSING
    """
    Changes nothing: nothing is padded here.
    """
    temperature: Temperature | Temperature1 | MISSING = MISSING
    """
    0 takes the likeliest token each time.
    """
    top_k: TopK | TopK1 | MISSING = MISSING
    """
    Draw from so many of the likeliest tokens; 0 and -1 stand for all.
    """
    top_p: TopP | TopP1 | MISSING = MISSING
    """
    Draw from the likeliest tokens that make up this probability.
    """
    repetition_penalty: RepetitionPenalty | RepetitionPenalty1 | MISSING = MISSING
    """
    Divides the scores of tokens that stand in input or output; 1 stands for none.
    """
    presence_penalty: Penalty | PresencePenalty | MISSING = MISSING
    """
    Taken from the scores of tokens that stand in the output.
    """
    frequency_penalty: Penalty | FrequencyPenalty | MISSING = MISSING
    """
    Taken from a token's score once for each time that it stands in the output.
    """
    seed: Seed | Seed1 | MISSING = MISSING
    """
    Equal seeds draw equal texts; one is drawn if there is none.
    """
    num_return_sequences: NumSequences | NumReturnSequences | MISSING = MISSING
    """
    Texts to generate; `n` by another name. With beams, at most and by default `beam_width`.
    """
    beam_width: BeamWidth | BeamWidth1 | MISSING = MISSING
    """
    Hypotheses of a beam search; 1 searches none. A search draws nothing, so `temperature` must be 0 or absent.
    """
    length_penalty: LengthPenalty | LengthPenalty1 | MISSING = MISSING
    """
    Of beam search: above 0 favours long texts. Without beams it changes nothing.
    """
    embedding_bias_words: StrictStr | EmbeddingBiasWords | MISSING = MISSING
    """
    Texts whose tokens get what `embedding_bias_weights` says, added to their scores.
    """
    embedding_bias_weights: StrictFloat | EmbeddingBiasWeights | MISSING = MISSING
    """
    One for each of `embedding_bias_words`.
    """
    guided_decoding_guide_type: (
        GuidedDecodingGuideType
        | Literal["json", "json_schema", "regex", "ebnf_grammar", "structural_tag"]
        | MISSING
    ) = MISSING
    """
    What the text must be.
    """
    guided_decoding_guide: StrictStr | GuidedDecodingGuide | MISSING = MISSING
    """
    The schema, expression, grammar or tag; none for any JSON value.
    """
    return_finish_reason: StrictBool | ReturnFinishReason = False
    """
    Tell why the text ended.
    """
    return_cumulative_logprob: StrictBool | ReturnCumulativeLogprob = False
    """
    Tell the log-probability of the text.
    """
    return_logprobs: StrictBool | ReturnLogprobs = False
    """
    Tell the log-probabilities of the tokens, as many as `logprobs` says.
    """
    return_log_probs: StrictBool | ReturnLogProbs = False
    """
    Tell `cum_log_probs` and `output_log_probs`.
    """
    return_num_input_tokens: StrictBool | ReturnNumInputTokens = False
    """
    Tell how many tokens the input has.
    """
    return_num_output_tokens: StrictBool | ReturnNumOutputTokens = False
    """
    Tell how many tokens were generated.
    """
    return_context_logits: OnlyFalse | ReturnContextLogits | MISSING = MISSING
    """
    Not told by this server.
    """
    return_generation_logits: OnlyFalse | ReturnGenerationLogits | MISSING = MISSING
    """
    Not told by this server.
    """
    return_perf_metrics: OnlyFalse | ReturnPerfMetrics | MISSING = MISSING
    """
    Not told by this server.
    """
    n: Annotated[StrictInt | MISSING, Field(ge=1, le=2147483647)] = MISSING
    """
    Texts to generate.
    """
    min_p: Annotated[StrictFloat | MISSING, Field(ge=0.0, le=1.0)] = MISSING
    """
    Leave out tokens that are less likely than this share of the likeliest one's probability.
    """
    stop: StrictStr | MISSING = MISSING
    """
    A text that ends the text, and is left out of it.
    """
    logprobs: Annotated[StrictInt | MISSING, Field(ge=0, le=20)] = MISSING
    """
    Tokens to tell of for each place, beside the one that came.
    """
    ignore_eos: StrictBool | MISSING = MISSING
    """
    Go on after the model's end token.
    """
    include_stop_str_in_output: StrictBool | MISSING = MISSING
    """
    Keep the text in `text_output` that ended it.
    """
    skip_special_tokens: StrictBool | MISSING = MISSING
    """
    Leave special tokens out of `text_output`; so it is if absent.
    """
    structured_outputs: StrictStr | MISSING = MISSING
    """
    A JSON object as text, after StructuredOutputs.
    """


class ModelMetadata(BaseModel):
    name: StrictStr
    """
    The model.
    """
    versions: Annotated[list[StrictStr], Field(min_length=1)]
    """
    Versions that take requests.
    """
    platform: StrictStr
    """
    What runs the model.
    """
    inputs: Annotated[list[TensorMetadata], Field(min_length=1)]
    """
    What it takes.
    """
    outputs: Annotated[list[TensorMetadata], Field(min_length=1)]
    """
    What it gives.
    """


class ModelConfig(BaseModel):
    name: StrictStr
    """
    The model.
    """
    platform: StrictStr
    """
    Empty where there is a backend.
    """
    backend: StrictStr
    """
    What runs the model.
    """
    version_policy: VersionPolicy
    """
    Which versions of the model are served; of this server's, the newest, which is the only one.
    """
    max_batch_size: Annotated[StrictInt, Field(ge=-2147483648, le=2147483647)]
    """
    0: a request is no batch.
    """
    input: Annotated[list[InputConfig], Field(min_length=1)]
    """
    What it takes.
    """
    output: Annotated[list[OutputConfig], Field(min_length=1)]
    """
    What it gives.
    """
    model_transaction_policy: TransactionPolicy
    """
    How many answers one request may have.
    """


class ModelStatistics(BaseModel):
    name: StrictStr
    """
    The model.
    """
    version: StrictStr
    """
    Its version.
    """
    last_inference: Annotated[StrictInt, Field(ge=0, le=18446744073709551615)]
    """
    When it last answered, Unix time in ms.
    """
    inference_count: Annotated[StrictInt, Field(ge=0, le=18446744073709551615)]
    """
    Requests answered.
    """
    execution_count: Annotated[StrictInt, Field(ge=0, le=18446744073709551615)]
    """
    Steps of the model.
    """
    inference_stats: InferenceStatistics
    """
    How many requests there were, and what they took, in nanoseconds since the server started.
    """
    batch_stats: list[BatchStatistics]
    """
    By size of a batch.
    """


class Statistics(BaseModel):
    model_stats: Annotated[list[ModelStatistics], Field(min_length=1)]
    """
    One a model.
    """
