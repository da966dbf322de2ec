"""Native requests in neutral terms."""

from dataclasses import dataclass
from uuid import uuid4

from engine.request import GenerationRequest, StopConditions
from engine.tokenizer import Tokenizer
from generated.tgi import models as m
from handlers.seed import draw_seed
from handlers.tgi.limits import Limits
from handlers.tgi.sampling import is_sampled, native_sampling

Body = m.GenerateRequest | m.CompatGenerateRequest


@dataclass(frozen=True)
class NativeRequest:
    """One native request, valid. seed: None where nothing is drawn at random."""

    inputs: str
    parameters: m.GenerateParameters
    request: GenerationRequest
    seed: int | None

    @property
    def prefix(self) -> str:
        """What stands before the generated text in the answer."""
        return self.inputs if self.parameters.return_full_text else ""


def parameters_of(body: Body) -> m.GenerateParameters:
    """The contract's defaults where the client sent no parameters."""
    return body.parameters if isinstance(body.parameters, m.GenerateParameters) else m.GenerateParameters()


def wants_details(parameters: m.GenerateParameters) -> bool:
    """Whether a whole answer tells how the text came about."""
    return parameters.details or parameters.decoder_input_details


def native_request(body: Body, limits: Limits, tokenizer: Tokenizer, *, is_stream: bool) -> NativeRequest:
    """Raises Refused, PromptTooLong or InvalidResponseFormat. Tokenizes: a long prompt takes its time."""
    parameters = parameters_of(body)
    limits.check_parameters(parameters)
    seed = draw_seed() if parameters.seed is None else parameters.seed
    prompt = encode_prompt(tokenizer, body.inputs, parameters.truncate)
    num_sequences = limits.num_sequences(parameters)
    # They cost a pass over the vocabulary for each token, so they are asked for where somebody reads them.
    with_logprobs = is_stream or wants_details(parameters) or num_sequences > 1
    request = GenerationRequest(
        request_id=uuid4().hex,
        prompt_token_ids=prompt,
        sampling=native_sampling(parameters, seed, limits.watermark, with_logprobs=with_logprobs),
        stopping=StopConditions(
            max_tokens=limits.new_tokens(len(prompt), parameters.max_new_tokens),
            stop=tuple(parameters.stop),
            include_stop=True,
        ),
        num_sequences=num_sequences,
        adapter=parameters.adapter_id,
    )
    return NativeRequest(body.inputs, parameters, request, seed if is_sampled(parameters) else None)


def encode_prompt(tokenizer: Tokenizer, text: str, truncate: int | None = None) -> tuple[int, ...]:
    """Token ids with the special ones that the tokenizer adds.

    truncate: tokens to keep at most, the right end and what the tokenizer put before the text.
    """
    spans = tokenizer.encode_with_offsets(text)
    ids = tuple(span.token_id for span in spans)
    if truncate is None or len(ids) <= truncate:
        return ids
    num_added = next((i for i, span in enumerate(spans) if span.stop > span.start), len(spans))
    num_kept = min(num_added, truncate - 1)  # a prompt of nothing but added tokens would say nothing
    return ids[:num_kept] + ids[len(ids) - (truncate - num_kept) :]
