"""Whether a model can run a request at all; what a contract can know is checked there."""

from engine.errors import InvalidRequest, InvalidToken, PromptTooLong, UnknownAdapter
from engine.model_info import ModelInfo
from engine.request import GenerationRequest


def check_request(request: GenerationRequest, model: ModelInfo) -> None:
    """Raises the InvalidRequest that says why the model cannot run it."""
    if not request.prompt_token_ids:
        raise InvalidRequest("the prompt has no tokens")
    if request.stopping.max_tokens < 1 or request.num_sequences < 1:
        raise InvalidRequest("max_tokens and num_sequences must be at least 1")
    num_prompt_tokens, max_tokens = len(request.prompt_token_ids), request.stopping.max_tokens
    if num_prompt_tokens + max_tokens > model.max_total_tokens:
        raise PromptTooLong(num_prompt_tokens, max_tokens, model.max_total_tokens)
    if request.adapter is not None:
        raise UnknownAdapter(f"adapter {request.adapter!r} is not loaded")
    for token_id in (min(request.prompt_token_ids), max(request.prompt_token_ids)):
        if not 0 <= token_id < model.vocab_size:
            raise InvalidToken(f"token id {token_id} is outside the vocabulary of {model.vocab_size}")
