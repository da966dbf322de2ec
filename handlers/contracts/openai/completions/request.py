"""Completion requests in neutral terms: one request of the engine for each prompt."""

from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex

from engine.port.request import GenerationRequest, Prompt, StopConditions
from engine.port.text.infill import NO_INFILL, Infill
from engine.port.text.tokenizer import Tokenizer
from generated.openai import models as m
from handlers.chat.structured_output.response_format import response_grammar
from handlers.contracts.openai.prompts import prompts_of
from handlers.contracts.openai.response_format import check_search, response_format
from handlers.contracts.openai.sampling import (
    beam_params,
    check_min_tokens,
    check_prompt_logprobs,
    check_stream_options,
    sampling_params,
    stop_texts,
)
from handlers.operations.missing import given_or
from verbatim_kit.errors import Refused, Violation


@dataclass(frozen=True)
class CompletionPlan:
    """The parameters that all prompts of a request share."""

    prompts: Sequence[str | Sequence[int]]
    """The prompts, each as a text or as token ids."""

    n: int
    """The number of texts to answer with for each prompt."""

    best_of: int
    """The number of texts to generate for each prompt."""

    max_tokens: int
    """The most tokens to generate; 0 answers with the prompt alone."""

    num_logprobs: int | None
    """The number of log-probabilities for all text of the answer, as `SamplingParams` has it."""

    echoes: bool
    """True if each text of the answer begins with its prompt."""

    stop_token_ids: tuple[int, ...]
    """The stop tokens of the request."""

    sequences_field: str
    """The name of the field that asks for the sequences."""

    adapter: str | None
    """The name of the adapter to use; None uses the model alone."""

    suffix: str | None
    """The text after the gap that every answer fills; None if there is no gap."""

    num_prompt_logprobs: int | None
    """The number of log-probabilities for the prompt by itself, as `SamplingParams` has it."""

    shows_ids: bool
    """True if the answer has the tokens' ids."""

    names_ids: bool
    """True if log-probabilities name tokens by id."""

    @property
    def num_sequences(self) -> int:
        return len(self.prompts) * self.best_of

    @property
    def num_characters(self) -> int:
        return sum(len(prompt) for prompt in self.prompts) + len(self.suffix or "")


def completion_plan(
    body: m.CreateCompletionRequest, adapter: str | None = None, *, can_infill: bool = False
) -> CompletionPlan:
    """Return the plan of a body, whose prompts are not read here, so that it is quick. Raises Refused.

    can_infill: whether the model fills the gap before a `suffix`.
    """
    check_stream_options(body)
    _check_suffix(body, can_infill)
    n = given_or(body.n, 1)
    best_of = n if body.best_of is None else body.best_of
    if best_of < n:
        raise Refused("'best_of' must be at least 'n'.", "best_of")
    if best_of > n and body.stream:
        raise Refused("A stream cannot wait for the best of several: 'best_of' must be 'n'.", "best_of")
    if best_of > n and body.use_beam_search:
        raise Refused("Beam search answers with its best: 'best_of' must be 'n'.", "best_of")
    max_tokens = given_or(body.max_tokens, 16)
    check_min_tokens(body, max_tokens)
    check_prompt_logprobs(body)
    if body.logprob_token_ids is not None and max_tokens == 0:
        message = "'logprob_token_ids' concerns generated tokens, and 'max_tokens' is 0."
        raise Refused(message, "logprob_token_ids")
    if body.prompt_logprobs is not None and body.echo and body.logprobs is not None:
        message = "'echo' with 'logprobs' has those of the prompt already; send one of them."
        raise Refused(message, "prompt_logprobs")
    prompts = prompts_of(body.prompt)
    own_field = "n" if body.best_of is None else "best_of"
    return CompletionPlan(
        prompts=prompts,
        n=n,
        best_of=best_of,
        max_tokens=max_tokens,
        num_logprobs=body.logprobs,
        echoes=body.echo is True,
        stop_token_ids=tuple(body.stop_token_ids or ()),
        sequences_field="prompt" if len(prompts) > 1 else own_field,
        adapter=adapter,
        suffix=body.suffix or None,
        num_prompt_logprobs=body.prompt_logprobs,
        shows_ids=body.return_token_ids is True,
        names_ids=body.return_tokens_as_token_ids is True,
    )


def _check_suffix(body: m.CreateCompletionRequest, can_infill: bool) -> None:
    if not body.suffix:
        return
    if not can_infill:
        raise Refused(NO_INFILL, "suffix", Violation.UNSUPPORTED_FIELD)
    if body.echo:
        raise Refused(
            "'echo' repeats the prompt before its continuation; with 'suffix' there is none.", "echo"
        )


def completion_requests(
    body: m.CreateCompletionRequest,
    plan: CompletionPlan,
    tokenizer: Tokenizer,
    max_total_tokens: int,
    infill: Infill | None = None,
) -> list[GenerationRequest]:
    """Return requests in the order of the prompts.

    infill: the model's prompts that fill a gap, which a plan with a suffix needs.
    Raises Refused and its kinds, PromptTooLong.
    """
    form = response_format(body)
    grammar = None if form is None else response_grammar(form)
    check_search(body, grammar)
    num_ranked = plan.num_logprobs
    if plan.best_of > plan.n and num_ranked is None:
        num_ranked = 0  # the likeliest are chosen
    return [
        GenerationRequest(
            request_id=token_hex(16),
            prompt=Prompt(prompt),
            sampling=sampling_params(
                body,
                grammar=grammar,
                num_logprobs=num_ranked,
                num_prompt_logprobs=_num_prompt_logprobs(plan),
            ),
            stopping=_stopping(body, plan, infill),
            num_sequences=plan.best_of,
            beams=beam_params(body),
            skip_special_tokens=body.skip_special_tokens is not False,
            priority=body.priority or 0,
            adapter=plan.adapter,
            cache_salt=body.cache_salt,
        )
        for prompt in _encoded(body, plan, tokenizer, max_total_tokens, infill)
    ]


def _num_prompt_logprobs(plan: CompletionPlan) -> int | None:
    if plan.echoes and plan.num_logprobs is not None:
        return plan.num_logprobs
    return plan.num_prompt_logprobs


def _stopping(body: m.CreateCompletionRequest, plan: CompletionPlan, infill: Infill | None) -> StopConditions:
    ends = () if plan.suffix is None or infill is None or body.ignore_eos else infill.end_token_ids
    return StopConditions(
        max_tokens=max(plan.max_tokens, 1),  # the engine reports a prompt with its first token
        min_tokens=body.min_tokens or 0,
        stop=stop_texts(body),
        stop_token_ids=(*plan.stop_token_ids, *ends),
        include_stop=body.include_stop_str_in_output is True,
        ignore_eos=body.ignore_eos is True,
    )


def _encoded(
    body: m.CreateCompletionRequest,
    plan: CompletionPlan,
    tokenizer: Tokenizer,
    max_total_tokens: int,
    infill: Infill | None,
) -> list[tuple[int, ...]]:
    adds_special = body.add_special_tokens is not False
    after = None
    if plan.suffix is not None:
        assert infill is not None, "the plan refuses a suffix that the model cannot take"
        tokenizer.check_length(plan.suffix, max_total_tokens, max(plan.max_tokens, 1))
        after = infill.encode_after(plan.suffix)
    encoded = []
    for place, prompt in enumerate(plan.prompts):
        is_text = isinstance(prompt, str)
        if isinstance(prompt, str):
            tokenizer.check_length(prompt, max_total_tokens, max(plan.max_tokens, 1))
            prompt = tokenizer.encode(prompt, add_special_tokens=adds_special and after is None)
        if infill is not None and after is not None:
            prompt = infill.frame(prompt, after, add_special_tokens=adds_special and is_text)
        if not prompt:
            field = "prompt" if isinstance(body.prompt, str) else f"prompt[{place}]"
            raise Refused("A prompt must have at least one token.", field)
        encoded.append(tuple(prompt))
    return encoded
