"""The features of requests that an engine can serve; no torch."""

from collections.abc import Callable
from typing import Final

import msgspec

from engine.port.errors import NotCapable
from engine.port.request import EmbeddingRequest, GenerationRequest, GrammarKind, MediaKind, SamplingParams


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """The features of one engine. Each has the name of the field of `engine.port.request` that asks for it.

    media: the kinds that its model reads. Adapters have no entry: admission refuses those that are not
    loaded.
    max_logprob_token_ids: the most tokens that one request may name in `logprob_token_ids`, if there is a
    bound.
    generates_text: whether the model continues texts, so that chats and completions can be served.
    transcribes: whether it writes down speech instead, by fields of `SamplingParams` that nothing else needs.
    """

    typical_p: bool = True
    watermark: bool = True
    beams: bool = True
    allowed_token_ids: bool = True
    bad_words: bool = True
    logprob_token_ids: bool = True
    thinking_budget: bool = True
    max_logprob_token_ids: int | None = None
    priority: bool = True
    embeddings: bool = True
    grammars: frozenset[GrammarKind] = frozenset(GrammarKind)
    media: frozenset[MediaKind] = frozenset()
    generates_text: bool = True
    transcribes: bool = False

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of what the engine cannot do, for people."""
        others = () if self.embeddings else ("embeddings",)
        return (*self.missing_fields, *others, *(f"{kind} grammars" for kind in self.missing_grammars))

    @property
    def missing_fields(self) -> tuple[str, ...]:
        """The fields of a generation request that the engine refuses where they have an effect."""
        return tuple(name for name in _USES if not getattr(self, name))

    @property
    def missing_grammars(self) -> tuple[str, ...]:
        """The kinds of grammars that the engine refuses."""
        return tuple(sorted(kind.value for kind in set(GrammarKind) - self.grammars))


# Where a field has no effect, such as typical_p without drawing, any engine honours it.
_USES: Final[dict[str, Callable[[GenerationRequest], bool]]] = {
    "typical_p": lambda request: request.sampling.typical_p != 1.0 and not request.sampling.is_greedy,
    "watermark": lambda request: request.sampling.watermark is not None,
    "beams": lambda request: request.beams is not None,
    "allowed_token_ids": lambda request: request.sampling.allowed_token_ids is not None,
    "bad_words": lambda request: len(request.sampling.bad_words) > 0,
    "logprob_token_ids": lambda request: len(request.sampling.logprob_token_ids) > 0,
    "thinking_budget": lambda request: request.sampling.thinking_budget is not None,
    "priority": lambda request: request.priority != 0,
}


_USES_OF_TRANSCRIPTS: Final[dict[str, Callable[[SamplingParams], bool]]] = {
    "timestamps": lambda sampling: sampling.timestamps is not None,
    "first_banned_token_ids": lambda sampling: len(sampling.first_banned_token_ids) > 0,
    "adjusted_logprobs": lambda sampling: sampling.adjusted_logprobs,
    "prompt_logprob_token_ids": lambda sampling: len(sampling.prompt_logprob_token_ids) > 0,
}


def check_capabilities(request: GenerationRequest, capabilities: Capabilities) -> None:
    """Raise NotCapable, which names the field, for a request that asks for what the engine cannot do."""
    for name, is_used in _USES.items():
        if not getattr(capabilities, name) and is_used(request):
            raise NotCapable(name)
    if not capabilities.transcribes:
        for name, is_asked in _USES_OF_TRANSCRIPTS.items():
            if is_asked(request.sampling):
                raise NotCapable(name)
    grammar = request.sampling.grammar
    if grammar is not None and grammar.kind not in capabilities.grammars:
        raise NotCapable("grammar")


def check_embedding_capability(request: EmbeddingRequest, capabilities: Capabilities) -> None:
    """Raise NotCapable if the engine makes no embeddings, or for a priority that it does not have."""
    if not capabilities.embeddings:
        raise NotCapable("embeddings")
    if request.priority and not capabilities.priority:
        raise NotCapable("priority")
