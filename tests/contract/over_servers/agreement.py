"""The agreement of an answer over a token server with our own engine's answer to the same request."""

from collections.abc import Iterable
from typing import Final, TypeAlias

import httpx
from msgspec.structs import replace

from engine.port.errors import NotCapable
from engine.port.info.capabilities import Capabilities, check_capabilities, check_embedding_capability
from engine.port.request import EmbeddingRequest, GenerationRequest
from tests.contract.over_servers.comparing import difference, difference_in_form, faults, read
from tests.contract.requests.documented import Asked

EngineRequest: TypeAlias = GenerationRequest | EmbeddingRequest

# A server that lists no given tokens is asked for each of them in another way.
_READS_OTHERWISE: Final = ("/decisions", "/systemone")


def disagreement(
    asked: Asked,
    answer: httpx.Response,
    expected: httpx.Response,
    requests: Iterable[EngineRequest],
    capabilities: Capabilities,
    *,
    tolerance: float,
    draws_alike: bool,
) -> str | None:
    """Return the first thing about an answer that is not as it must be; None if there is none.

    expected: our own engine's answer. requests: those that it got for it. capabilities: those of the engine
    over the server. tolerance: of log-probabilities. draws_alike: whether the server draws tokens as our
    engine does, and follows grammars by the same tokens.
    """
    if found := faults(asked, answer):
        return f"{found[0]} in {answer.status_code} {answer.text[:300]}"
    if asked.endpoint.is_stateful:  # no front has adapters to load
        return None if 400 <= answer.status_code < 500 else f"{answer.status_code} for adapters"
    if asked.contract == "anthropic":  # whose budget is a target, which an engine without budgets passes over
        requests = [_without_budget(request) for request in requests]
    if lacks(capabilities, requests) and not asked.endpoint.path.endswith(_READS_OTHERWISE):
        if says_it_lacks(answer.status_code, answer.text):
            return None
        return f"not refused: {answer.status_code} {answer.text[:300]}"
    if asked.is_about_the_server:
        return None if answer.status_code == expected.status_code else f"status {answer.status_code}"
    one, other = read(asked, answer), read(asked, expected)
    if draws_alike or not any(map(_is_free, requests)):
        return difference(one, other, tolerance)
    return difference_in_form(one, other)


def _without_budget(request: EngineRequest) -> EngineRequest:
    if isinstance(request, EmbeddingRequest):
        return request
    return replace(request, sampling=replace(request.sampling, thinking_budget=None))


def lacks(capabilities: Capabilities, requests: Iterable[EngineRequest]) -> bool:
    """Return whether an engine with these capabilities must refuse one of the requests."""
    try:
        for request in requests:
            if isinstance(request, EmbeddingRequest):
                check_embedding_capability(request, capabilities)
            else:
                check_capabilities(request, capabilities)
    except NotCapable:
        return True
    return False


def says_it_lacks(status: int, text: str) -> bool:
    """Return whether an answer refuses a request for what the engine lacks."""
    return 400 <= status < 500 and "is not supported by the engine of this server" in text


def _is_free(request: EngineRequest) -> bool:
    """Return whether two engines may continue a text by different tokens.

    White space between JSON's values is other tokens, too.
    """
    if isinstance(request, EmbeddingRequest):
        return False
    return not request.sampling.is_greedy or request.sampling.grammar is not None
