"""Requests of `/generate` in neutral terms."""

from functools import partial

from generated.tgi import models as m
from handlers.chat.structured_output.response_format import JsonSchema, Regex, ResponseFormat
from handlers.contracts.tgi.generate.params import GenerateParams, generate_sampling

Body = m.GenerateRequest | m.CompatGenerateRequest
GenerateGrammar = m.JsonGrammar | m.RegexGrammar | m.JsonSchemaGrammar


def generate_params(body: Body) -> GenerateParams:
    """Return a request's parameters, the contract's defaults where the client sent none."""
    given = body.parameters if isinstance(body.parameters, m.GenerateParameters) else m.GenerateParameters()
    return GenerateParams(
        inputs=body.inputs,
        max_new_tokens=given.max_new_tokens,
        sampling=generate_sampling(
            do_sample=given.do_sample,
            temperature=given.temperature,
            top_k=given.top_k,
            top_p=given.top_p,
            typical_p=given.typical_p,
            repetition_penalty=given.repetition_penalty,
            frequency_penalty=given.frequency_penalty,
        ),
        seed=given.seed,
        stop=tuple(given.stop),
        watermark=given.watermark,
        grammar=None if given.grammar is None else partial(answer_format, given.grammar),
        best_of=given.best_of,
        truncate=given.truncate,
        top_n_tokens=given.top_n_tokens,
        return_full_text=bool(given.return_full_text),
        details=given.details,
        decoder_input_details=given.decoder_input_details,
        adapter=given.adapter_id,
    )


def answer_format(grammar: GenerateGrammar) -> ResponseFormat:
    """Return the neutral form. Raises InvalidResponseFormat for a text that is no JSON Schema."""
    match grammar:
        case m.JsonGrammar():
            return JsonSchema.parse(grammar.value)
        case m.JsonSchemaGrammar():
            return JsonSchema.parse(grammar.value.schema_)
        case m.RegexGrammar():
            return Regex(grammar.value)
