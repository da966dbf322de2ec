"""The checks of a request that depend on the model; contracts have checked everything else."""

from collections.abc import Container, Iterable

from engine.port.errors import InvalidRequest, InvalidToken, PromptTooLong, UnknownAdapter
from engine.port.info.model_info import ModelInfo
from engine.port.request import (
    MAX_TEXT_CHARACTERS,
    BeamParams,
    EmbeddingRequest,
    GenerationRequest,
    MediaKind,
    Prompt,
)

_MAX_LENGTH_PENALTY = 50  # keeps length ** length_penalty a finite float


def check_request(
    request: GenerationRequest, model: ModelInfo, adapters: Container[str] = frozenset()
) -> None:
    """Raise InvalidRequest if the model cannot run the request.

    adapters: names of the adapters that requests may use.
    """
    _check_prompt(request, model, adapters, max_tokens=request.stopping.max_tokens)
    if request.stopping.max_tokens < 1 or request.num_sequences < 1:
        raise InvalidRequest("max_tokens and num_sequences must be at least 1")
    if request.num_parallel is not None and request.num_parallel < 1:
        raise InvalidRequest("num_parallel must be at least 1")
    _check_texts("stop strings", request.stopping.stop)
    _check_texts("bad words", request.sampling.bad_words)
    if request.beams is not None:
        _check_beams(request, request.beams)


def _check_texts(name: str, texts: Iterable[str]) -> None:
    if (num_characters := sum(map(len, texts))) > MAX_TEXT_CHARACTERS:
        raise InvalidRequest(
            f"the {name} have {num_characters} characters; the limit is {MAX_TEXT_CHARACTERS}"
        )


def check_embedding(
    request: EmbeddingRequest, model: ModelInfo, adapters: Container[str] = frozenset()
) -> None:
    """Raise InvalidRequest if the model cannot run the embedding request.

    The prompt may fill the whole context, since no token is generated. adapters: names of the adapters that
    requests may use.
    """
    _check_prompt(request, model, adapters, max_tokens=0)


def _check_prompt(
    request: GenerationRequest | EmbeddingRequest,
    model: ModelInfo,
    adapters: Container[str],
    *,
    max_tokens: int,
) -> None:
    token_ids = request.prompt.token_ids
    if not token_ids:
        raise InvalidRequest("the prompt has no tokens")
    _check_media(request.prompt, model)
    num_prompt_tokens = len(token_ids)
    if num_prompt_tokens + max_tokens > model.max_total_tokens:
        raise PromptTooLong(num_prompt_tokens, max_tokens, model.max_total_tokens)
    if request.adapter is not None and request.adapter not in adapters:
        raise UnknownAdapter(request.adapter)
    for token_id in (min(token_ids), max(token_ids)):
        if not 0 <= token_id < model.vocab_size:
            raise InvalidToken(f"token id {token_id} is outside the vocabulary of {model.vocab_size}")


def _check_media(prompt: Prompt, model: ModelInfo) -> None:
    """Check that the model reads media, and that the media are in order within the prompt.

    A speech model needs exactly one audio input, at the first token.
    """
    if model.speech is not None:
        if [(medium.kind, medium.position) for medium in prompt.media] != [(MediaKind.AUDIO, 0)]:
            raise InvalidRequest("prompt.media: the model only transcribes audio and does not continue text")
    elif prompt.media and not model.media:
        raise InvalidRequest("prompt.media: the prompt has media, but the model reads only text")
    free = 0
    for medium in prompt.media:
        if medium.position < free or medium.num_tokens < 1 or medium.end > len(prompt.token_ids):
            raise InvalidRequest("prompt.media: media must lie within the prompt, in order, and not overlap")
        free = medium.end


def _check_beams(request: GenerationRequest, beams: BeamParams) -> None:
    if beams.num_beams < 2:
        raise InvalidRequest("a beam search needs at least 2 beams")
    if request.num_sequences > beams.num_beams:
        raise InvalidRequest("a beam search returns at most num_beams sequences")
    if not abs(beams.length_penalty) <= _MAX_LENGTH_PENALTY:
        raise InvalidRequest(
            f"length_penalty must be between -{_MAX_LENGTH_PENALTY} and {_MAX_LENGTH_PENALTY}"
        )
    if request.sampling.temperature != 0:
        raise InvalidRequest("a beam search does not sample: its temperature must be 0")
    if request.sampling.grammar is not None:
        raise InvalidRequest("a beam search does not support grammars")
    if request.sampling.logprob_token_ids:
        raise InvalidRequest("a beam search does not support logprob_token_ids")
