"""Requests of `/generate` in neutral terms."""

from functools import partial

from generated.tgi import models as m
from handlers.tgi.sampling import answer_format
from handlers.tgi_family.request.params import GenerateParams, generate_sampling

Body = m.GenerateRequest | m.CompatGenerateRequest


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
