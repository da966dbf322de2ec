"""Options of sampling in chat and completions, and grammars of all operations, in neutral terms."""

from engine.port.request import SamplingParams
from generated.tgi import models as m
from handlers.chat.form.response_format import JsonSchema, Regex, ResponseFormat
from handlers.tgi_family.request.params import value_or


def openai_sampling(body: m.ChatRequest | m.CompletionRequest) -> SamplingParams:
    """Return the options that chat and completions share. The temperature is 1 by default; 0 is greedy."""
    return SamplingParams(
        temperature=value_or(body.temperature, 1.0),
        top_k=body.top_k,
        top_p=value_or(body.top_p, 1.0),
        typical_p=value_or(body.typical_p, 1.0),
        repetition_penalty=value_or(body.repetition_penalty, 1.0),
        presence_penalty=value_or(body.presence_penalty, 0.0),
        frequency_penalty=value_or(body.frequency_penalty, 0.0),
        seed=body.seed,
    )


GenerateGrammar = m.JsonGrammar | m.RegexGrammar | m.JsonSchemaGrammar


def answer_format(grammar: GenerateGrammar) -> ResponseFormat:
    """Return the neutral form. Raises InvalidResponseFormat for a text that is no JSON Schema."""
    match grammar:
        case m.JsonGrammar():
            return JsonSchema.parse(grammar.value)
        case m.JsonSchemaGrammar():
            return JsonSchema.parse(grammar.value.schema_)
        case m.RegexGrammar():
            return Regex(grammar.value)
