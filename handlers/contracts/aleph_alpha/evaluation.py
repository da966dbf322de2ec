"""The operation `/evaluate`: how likely a text is after another."""

from collections.abc import Sequence
from secrets import token_hex

from engine.port.events import PromptToken
from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from engine.port.text.tokenizer import Tokenizer
from generated.aleph_alpha import models as m
from generated.aleph_alpha.operations import NoHeaders
from handlers.chat.reading.logprobs import bounded
from handlers.contracts.aleph_alpha.errors import to_problem
from handlers.contracts.aleph_alpha.models import model_version
from handlers.contracts.aleph_alpha.nice import NiceRequest, priority
from handlers.contracts.aleph_alpha.prompts import encode_prompt, num_characters
from handlers.operations.sequences import collect_sequences
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import Refused
from verbatim_kit.runtime.operation import Call


class Evaluations:
    """Scores completions that are given."""

    def __init__(self, shared: ServedModel) -> None:
        self._shared = shared

    async def whole(
        self, nice_request: NiceRequest[m.EvaluationRequest], call: Call[NoHeaders]
    ) -> m.EvaluationResponse:
        shared, (body, nice) = self._shared, nice_request
        with (
            shared.active_requests.open(call.received_s, to_problem) as active,
            active.permits("model", 1),
        ):
            adapter = shared.model_names.resolve(body.model).adapter
            length = num_characters(body.prompt) + len(body.completion_expected)
            expected, request = await shared.workers.tokenize(
                length,
                evaluation_request,
                body,
                shared.tokenizer,
                shared.model_info.max_total_tokens,
                nice=nice,
                adapter=adapter,
            )
            generated = await collect_sequences(active.run(request), 1)
            scored = generated.prompt[-len(expected) :]
            return m.EvaluationResponse(
                model_version=model_version(shared),
                result=evaluation_result(body.completion_expected, scored, shared.tokenizer),
                num_tokens_prompt_total=len(request.prompt.token_ids),
            )


def evaluation_request(
    body: m.EvaluationRequest,
    tokenizer: Tokenizer,
    max_total_tokens: int,
    *,
    nice: bool,
    adapter: str | None = None,
) -> tuple[list[int], GenerationRequest]:
    """The expected completion's token ids, and a request for their log-probabilities. Raises Refused.

    The prompt's tokens do not depend on what follows it, as where a completion is generated.
    """
    tokenizer.check_length(body.completion_expected, max_total_tokens)
    expected = tokenizer.encode(body.completion_expected, add_special_tokens=False)
    if not expected:
        raise Refused("has no tokens", "completion_expected")
    return expected, GenerationRequest(
        request_id=token_hex(16),
        prompt=Prompt((*encode_prompt(body.prompt, tokenizer, max_total_tokens), *expected)),
        sampling=SamplingParams(temperature=0.0, num_prompt_logprobs=1),
        stopping=StopConditions(max_tokens=1),  # the engine reports a prompt with its first token
        adapter=adapter,
        priority=priority(nice=nice),
    )


def evaluation_result(text: str, scored: Sequence[PromptToken], tokenizer: Tokenizer) -> m.EvaluationResult:
    """Return the scores of a text.

    scored: the text's tokens, each after all before it, with the most likely one in its place.
    """
    likeliest = [token.top_logprobs[0].token_id for token in scored]
    logprob = sum(bounded(token.logprob) for token in scored)
    return m.EvaluationResult(
        log_probability=logprob,
        log_perplexity=-logprob,
        log_perplexity_per_token=-logprob / len(scored),
        log_perplexity_per_character=-logprob / len(text),
        correct_greedy=likeliest == [token.token_id for token in scored],
        token_count=len(scored),
        character_count=len(text),
        completion=tokenizer.decode(likeliest, skip_special_tokens=False),
    )
