"""Requests of `/generate` in neutral terms."""

from functools import partial

from pydantic import MISSING

from generated.hf import models as m
from handlers.chat.structured_output.response_format import JsonSchema, Regex, ResponseFormat
from handlers.contracts.tgi.generate.params import GenerateParams, generate_sampling
from handlers.operations.missing import given


def generate_params(body: m.GenerateRequest) -> GenerateParams:
    """Return a request's parameters, the contract's defaults where the client sent none."""
    sent = body.parameters if isinstance(body.parameters, m.GenerateParameters) else m.GenerateParameters()
    draws = sent.temperature != 0  # nothing is drawn where the likeliest token is always taken
    return GenerateParams(
        inputs=body.inputs,
        max_new_tokens=sent.max_new_tokens,
        sampling=generate_sampling(
            do_sample=sent.do_sample and draws,
            temperature=given(sent.temperature) if draws else None,
            top_k=(given(sent.top_k) or None) if draws else None,
            top_p=given(sent.top_p) if draws else None,
            typical_p=given(sent.typical_p) if draws else None,
            repetition_penalty=given(sent.repetition_penalty),
        ),
        seed=given(sent.seed),
        stop=tuple(given(sent.stop) or ()),
        watermark=sent.watermark,
        grammar=None if sent.grammar is MISSING else partial(answer_format, sent.grammar),
        best_of=given(sent.best_of),
        truncate=given(sent.truncate),
        return_full_text=sent.return_full_text,
        details=sent.details,
        decoder_input_details=sent.decoder_input_details,
    )


def answer_format(grammar: m.JsonGrammar | m.RegexGrammar) -> ResponseFormat:
    """Return the neutral form. Raises InvalidResponseFormat for a text that is no JSON Schema."""
    if isinstance(grammar, m.RegexGrammar):
        return Regex(grammar.value)
    return JsonSchema.parse(grammar.value, "parameters.grammar.value")
