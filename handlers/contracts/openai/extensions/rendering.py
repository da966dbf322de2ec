"""The operations that write prompts as tokens for another server's token API, and generate nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from engine.port.errors import PromptTooLong
from engine.port.media_item import unexpanded
from engine.port.request import GenerationRequest, GrammarKind, MediaKind
from generated.openai import models as m
from handlers.contracts.openai.chat import operation as chat
from handlers.contracts.openai.chat.operation import Chat
from handlers.contracts.openai.completions import operation as completions
from handlers.contracts.openai.completions.operation import Completions
from handlers.contracts.openai.sampling import Body, stop_texts
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import Refused, Violation, mapped_errors

# The token API has no such options, or not on every server, and each changes the answer.
_LACKING: Final = ("use_beam_search", "logprob_token_ids", "suffix", "echo")
_FILES: Final[Mapping[MediaKind, Literal["image_url", "audio_url", "video_url"]]] = {
    MediaKind.IMAGE: "image_url",
    MediaKind.AUDIO: "audio_url",
    MediaKind.VIDEO: "video_url",
}
_STRUCTURED_OUTPUTS: Final[Mapping[GrammarKind, Callable[[str], m.RenderedForm]]] = {
    GrammarKind.JSON_SCHEMA: lambda source: m.RenderedForm(json=source),
    GrammarKind.JSON_OBJECT: lambda source: m.RenderedForm(json_object=True),
    GrammarKind.REGEX: lambda source: m.RenderedForm(regex=source),
    GrammarKind.EBNF: lambda source: m.RenderedForm(grammar=source),
    GrammarKind.STRUCTURAL_TAG: lambda source: m.RenderedForm(structural_tag=source),
}


class Rendering:
    """Prepares what the operations that generate would submit, and answers with it."""

    def __init__(self, shared: ServedModel, prompts: Completions) -> None:
        self._shared = shared
        self._chat = Chat(replace(shared, chat=shared.chat.keeping_files()), ())
        self._completions = prompts

    async def chat(self, body: m.CreateChatCompletionRequest) -> m.RenderedRequest:
        """Return the chat as a request for tokens. Raises the contract's problem if it cannot be answered."""
        with mapped_errors(chat.mapping_of(body)):
            _check_options(body)
            prepared = await self._chat.prepare(body)
            (rendered,) = await self._rendered(body, [prepared.request], "chatcmpl")
        return rendered

    async def completion(self, body: m.CreateCompletionRequest) -> list[m.RenderedRequest]:
        """Return a request for tokens for each prompt. Raises the contract's problem, as `chat` does."""
        with mapped_errors(completions.mapping_of(body)):
            _check_options(body)
            requests = await self._completions.prepare(body, self._completions.plan(body))
            return await self._rendered(body, requests, "cmpl")

    async def _rendered(
        self, body: Body, requests: Sequence[GenerationRequest], prefix: str
    ) -> list[m.RenderedRequest]:
        """Return requests on the wire. Raises PromptTooLong for a prompt without room for its answer."""
        total = self._shared.model_info.max_total_tokens
        if self._shared.settings.clamp_max_tokens:
            requests = [request.clamped(total) for request in requests]
        for request in requests:
            if len(request.prompt.token_ids) + request.stopping.max_tokens > total:
                raise PromptTooLong(len(request.prompt.token_ids), request.stopping.max_tokens, total)
        name = self._shared.envelope(prefix, body.request_id).id
        names = [name] if len(requests) == 1 else [f"{name}-{place}" for place in range(len(requests))]
        num_tokens = sum(len(request.prompt.token_ids) for request in requests)
        written = partial(_written, body)
        return await self._shared.workers.write(num_tokens, lambda: list(map(written, requests, names)))


def _check_options(body: Body) -> None:
    """Raise Refused for an option that the token API cannot have."""
    lacking = [field for field in _LACKING if getattr(body, field, None)]
    if body.typical_p is not None and body.typical_p < 1:
        lacking.append("typical_p")
    for field in lacking:
        message = f"'{field}' has no place in a rendered request."
        raise Refused(message, field, Violation.UNSUPPORTED_FIELD)


def _written(body: Body, request: GenerationRequest, name: str) -> m.RenderedRequest:
    prompt = unexpanded(request.prompt)
    rendered = m.RenderedRequest(
        request_id=name,
        token_ids=list(prompt.placeholder_token_ids),
        sampling_params=_sampling(body, request),
        model=body.model,
        stream=body.stream is True,
        stream_options=_stream_options(body),
        cache_salt=request.cache_salt,
        priority=request.priority,
    )
    if prompt.media:
        rendered.content_parts = [
            m.RenderedPart(type=_FILES[media.kind], url=source.decode())
            for media, source in zip(prompt.media, prompt.sources, strict=True)
        ]
    return rendered


def _stream_options(body: Body) -> m.RenderedStreamOptions | None:
    given = body.stream_options
    if given is None:
        return None
    return m.RenderedStreamOptions(
        include_usage=given.include_usage is True,
        continuous_usage_stats=given.continuous_usage_stats is True,
    )


def _sampling(body: Body, request: GenerationRequest) -> m.RenderedSampling:
    sampling, stopping = request.sampling, request.stopping
    allowed, grammar = sampling.allowed_token_ids, sampling.grammar
    form = None if grammar is None else _STRUCTURED_OUTPUTS[grammar.kind](grammar.source)
    return m.RenderedSampling(
        n=request.num_sequences,
        max_tokens=stopping.max_tokens,
        min_tokens=stopping.min_tokens,
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        top_k=sampling.top_k or 0,
        min_p=sampling.min_p,
        presence_penalty=sampling.presence_penalty,
        frequency_penalty=sampling.frequency_penalty,
        repetition_penalty=sampling.repetition_penalty,
        seed=body.seed,
        stop=list(stop_texts(body)),
        stop_token_ids=list(stopping.stop_token_ids),
        include_stop_str_in_output=stopping.include_stop,
        ignore_eos=stopping.ignore_eos,
        skip_special_tokens=body.skip_special_tokens is not False,
        logprobs=sampling.num_logprobs,
        prompt_logprobs=sampling.num_prompt_logprobs,
        logit_bias={str(token): bias for token, bias in sampling.logit_bias.items()} or None,
        allowed_token_ids=None if allowed is None else list(allowed),
        bad_words=list(sampling.bad_words),
        structured_outputs=form,
    )
