"""Requests in neutral terms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from secrets import token_hex

from engine.port.errors import PromptTooLong
from engine.port.request import BeamParams, GenerationRequest, Prompt, SamplingParams, StopConditions
from engine.port.text.tokenizer import Tokenizer
from generated.triton import models as m
from handlers.chat.structured_output.response_format import ResponseFormat, response_grammar
from handlers.contracts.triton.generate.members import Members
from handlers.contracts.triton.generate.response_format import response_format
from handlers.contracts.triton.generate.sampling_options import sampling_options
from handlers.served_model.request_values import bounded_texts
from verbatim_kit.errors import Refused


@dataclass(frozen=True)
class Wanted:
    """The parameters of a request, valid but for what its tokens decide.

    text: to go on from. prefix: what stands before each generated text in the answer.
    num_logprobs: as `SamplingParams` has it. rules: members that say more than `options` can; none where
    only `sampling_parameters` counts.
    """

    text: str
    prefix: str
    streams: bool
    options: m.SamplingOptions
    response_format: ResponseFormat | None
    beams: BeamParams | None
    num_logprobs: int | None
    rules: Members

    @property
    def num_sequences(self) -> int:
        if self.beams is not None and "num_return_sequences" not in self.rules and "n" not in self.rules:
            return self.beams.num_beams
        return self.options.n


def wanted_by(members: Members) -> Wanted:
    """Return what a request wants; reads no text, so that it is quick. Raise Refused and its kinds."""
    streams = members.get("stream", False)
    excludes = members.get("exclude_input_in_output", streams)
    if streams and not excludes:
        message = "When streaming, `exclude_input_in_output` = False is not allowed."
        raise Refused(f"Error generating stream: {message}", "exclude_input_in_output")
    options = sampling_options(members)
    rules = {} if "sampling_parameters" in members else members
    return Wanted(
        text=members["text_input"],
        prefix="" if excludes else members["text_input"],
        streams=streams,
        options=options,
        response_format=response_format(members, options),
        beams=_beams(options, rules),
        num_logprobs=_num_logprobs(members, options),
        rules=rules,
    )


def generation_request(
    wanted: Wanted, tokenizer: Tokenizer, max_total_tokens: int, adapter: str | None = None
) -> GenerationRequest:
    """Tokenizes, which takes its time for a long text. Raises PromptTooLong, Refused."""
    tokenizer.check_length(wanted.text, max_total_tokens, 1)
    prompt = tokenizer.encode(wanted.text)
    if not prompt:
        raise Refused("'text_input' must have at least one token", "text_input")
    room = max_total_tokens - len(prompt)
    if room < 1:
        raise PromptTooLong(len(prompt), 1, max_total_tokens)
    options = wanted.options
    return GenerationRequest(
        request_id=token_hex(16),
        prompt=Prompt(tuple(prompt)),
        sampling=_sampling(wanted, tokenizer),
        stopping=_stopping(wanted, min(options.max_tokens, room)),
        num_sequences=wanted.num_sequences,
        skip_special_tokens=options.skip_special_tokens,
        adapter=adapter,
        beams=wanted.beams,
    )


def _sampling(wanted: Wanted, tokenizer: Tokenizer) -> SamplingParams:
    options = wanted.options
    temperature = 0.0 if wanted.beams else 1.0
    if isinstance(options.temperature, float | int):
        temperature = float(options.temperature)
    allowed = options.allowed_token_ids
    return SamplingParams(
        temperature=temperature,
        top_k=options.top_k if options.top_k > 0 else None,
        top_p=options.top_p,
        min_p=options.min_p,
        repetition_penalty=options.repetition_penalty,
        presence_penalty=options.presence_penalty,
        frequency_penalty=options.frequency_penalty,
        seed=options.seed if isinstance(options.seed, int) else None,
        logit_bias=_logit_bias(wanted, tokenizer),
        allowed_token_ids=tuple(allowed) if isinstance(allowed, list) else None,
        bad_words=tuple(filter(None, bounded_texts(options.bad_words, "bad_words"))),
        grammar=None if wanted.response_format is None else response_grammar(wanted.response_format),
        num_logprobs=wanted.num_logprobs,
    )


def _stopping(wanted: Wanted, max_tokens: int) -> StopConditions:
    options = wanted.options
    stop = bounded_texts(options.stop, "stop")
    ends = tuple(options.stop_token_ids)
    end_id = wanted.rules.get("end_id")
    return StopConditions(
        max_tokens=max_tokens,
        min_tokens=options.min_tokens,
        stop=tuple(text for text in stop if text),
        stop_token_ids=ends if end_id in (None, -1) else (*ends, end_id),
        include_stop=options.include_stop_str_in_output,
        ignore_eos=options.ignore_eos or end_id is not None,
    )


def _beams(options: m.SamplingOptions, rules: Members) -> BeamParams | None:
    """Return the parameters of a beam search; None for one beam.

    Raises Refused for options that exclude one.
    """
    width = rules.get("beam_width", 1)
    if width == 1:
        return None
    if isinstance(options.temperature, float | int) and options.temperature:
        raise Refused("Beam search draws nothing: 'temperature' must be 0 or absent", "temperature")
    if options.n > width:
        raise Refused(f"A beam search of {width} hypotheses has no {options.n} texts", "num_return_sequences")
    return BeamParams(num_beams=width, length_penalty=float(rules.get("length_penalty", 1.0)))


def _num_logprobs(members: Members, options: m.SamplingOptions) -> int | None:
    """Return how many log-probabilities the answer needs."""
    if members.get("return_logprobs") and isinstance(options.logprobs, int):
        return options.logprobs
    sums = members.get("return_cumulative_logprob") or members.get("return_log_probs")
    return 0 if sums else None


def _logit_bias(wanted: Wanted, tokenizer: Tokenizer) -> Mapping[int, float]:
    """Return biases by token. A text's weight goes to each of its tokens, wherever they come."""
    bias = {int(token): float(value) for token, value in wanted.options.logit_bias.items()}
    words: Sequence[str] = wanted.rules.get("embedding_bias_words", ())
    weights: Sequence[float] = wanted.rules.get("embedding_bias_weights", ())
    if len(words) != len(weights):
        message = "'embedding_bias_words' and 'embedding_bias_weights' must be of one length"
        raise Refused(message, "embedding_bias_weights")
    for word, weight in zip(words, weights, strict=True):
        for token in tokenizer.encode(word, add_special_tokens=False):
            bias[token] = bias.get(token, 0.0) + weight
    return bias
