"""Sampling options of the wire, native and OpenAI-like, in neutral terms."""

from engine.request import SamplingParams, Watermark
from generated.tgi import models as m
from handlers.chat.response_format import JsonSchema, Regex, ResponseFormat, response_grammar


def is_sampled(parameters: m.GenerateParameters) -> bool:
    """Whether tokens are drawn at random: if asked, or if an option is set that only a draw can honour.

    A temperature of exactly 1 is no such option, nor is a top_p or typical_p of 1.
    """
    return (
        parameters.do_sample
        or parameters.temperature not in (None, 1.0)
        or parameters.top_k is not None
        or parameters.top_p not in (None, 1.0)
        or parameters.typical_p not in (None, 1.0)
    )


def native_sampling(
    parameters: m.GenerateParameters, seed: int, watermark: Watermark, *, with_logprobs: bool
) -> SamplingParams:
    """Greedy unless `is_sampled`; penalties, watermark and grammar apply to both."""
    temperature = _or(parameters.temperature, 1.0) if is_sampled(parameters) else 0.0
    return SamplingParams(
        temperature=temperature,
        top_k=parameters.top_k,
        top_p=_or(parameters.top_p, 1.0),
        typical_p=_or(parameters.typical_p, 1.0),
        repetition_penalty=_or(parameters.repetition_penalty, 1.0),
        frequency_penalty=_or(parameters.frequency_penalty, 0.0),
        seed=seed,
        watermark=watermark if parameters.watermark else None,
        grammar=None if parameters.grammar is None else response_grammar(answer_format(parameters.grammar)),
        num_logprobs=(parameters.top_n_tokens or 0) if with_logprobs else None,
        num_prompt_logprobs=0 if parameters.decoder_input_details else None,
    )


def openai_sampling(body: m.ChatRequest | m.CompletionRequest, seed: int) -> SamplingParams:
    """At temperature 1 unless told otherwise; 0 is greedy."""
    return SamplingParams(
        temperature=_or(body.temperature, 1.0),
        top_k=body.top_k,
        top_p=_or(body.top_p, 1.0),
        typical_p=_or(body.typical_p, 1.0),
        repetition_penalty=_or(body.repetition_penalty, 1.0),
        presence_penalty=_or(body.presence_penalty, 0.0),
        frequency_penalty=_or(body.frequency_penalty, 0.0),
        seed=seed,
    )


NativeGrammar = m.JsonGrammar | m.RegexGrammar | m.JsonSchemaGrammar


def answer_format(grammar: NativeGrammar) -> ResponseFormat:
    """Raises InvalidResponseFormat for a text that is no JSON Schema."""
    match grammar:
        case m.JsonGrammar():
            return JsonSchema.parse(grammar.value)
        case m.JsonSchemaGrammar():
            return JsonSchema.parse(grammar.value.schema_)
        case m.RegexGrammar():
            return Regex(grammar.value)


def _or(value: float | None, neutral: float) -> float:
    return neutral if value is None else value
