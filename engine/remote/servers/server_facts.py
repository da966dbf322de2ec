"""The facts about a server that the engine needs before it starts; no torch."""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec

from engine.errors import ModelNotSupported
from engine.remote.config import RemoteConfig
from engine.remote.servers.failures import BadStatus, CutOff, NoAnswer
from engine.remote.servers.served_adapters import Model, Models, models_decoder
from engine.remote.servers.upstream import Upstream
from engine.remote.wire.answer_reader import error_reason
from engine.remote.wire.token_api import ApiFacts, TokenApi

_TIMEOUT_S: Final = 10.0
_PAUSE_S: Final = 0.5  # between two tries


class ServerFacts(msgspec.Struct, frozen=True):
    """max_total_tokens: the longest context, if the server names it. own: its account of itself."""

    served_name: str
    max_total_tokens: int | None = None
    own: ApiFacts = ApiFacts()


async def wait_until_ready(
    upstream: Upstream, api: TokenApi, config: RemoteConfig, on_progress: Callable[[str], None]
) -> ServerFacts:
    """Wait until the server lists its models, and return what it says of ours; keep the adapters' names.

    Raises ModelNotSupported if it does not serve it, asks for a key, or is not ready in time.
    """
    is_waiting = False
    try:
        async with asyncio.timeout(config.start_timeout_s):
            while True:
                try:
                    found = await upstream.get("/v1/models", timeout_s=_TIMEOUT_S)
                except NoAnswer:
                    found = None
                if found is not None and found.status in (401, 403):
                    raise ModelNotSupported(f"{upstream.url} refuses the key, or asks for one")
                if found is not None and 300 <= found.status < 400:
                    where = found.location or "another address, which it does not name"
                    raise ModelNotSupported(f"{upstream.url} leads to {where}: ask that server itself")
                if found is not None and found.status == 200:
                    models = _models(upstream, found.body)
                    model = _choose(models.data, config, upstream)
                    upstream.adapters = models.adapters
                    return ServerFacts(model.id, model.max_model_len, await _own_facts(upstream, api))
                if not is_waiting:
                    is_waiting = True
                    on_progress(f"waiting for the server at {upstream.url}")
                await asyncio.sleep(_PAUSE_S)
    except TimeoutError:
        raise ModelNotSupported(
            f"the server at {upstream.url} was not ready within {config.start_timeout_s:.0f} s"
        ) from None


async def with_answers(upstream: Upstream, api: TokenApi, facts: ServerFacts, token_id: int) -> ServerFacts:
    """Return the facts with what the server's first answers show.

    token_id: our vocabulary's last. Raises ModelNotSupported unless the server computes a token after it: so
    a server without the token API, or of a model with fewer tokens, is found before the first request.
    """
    probe = await _probe(upstream, api, facts.served_name, token_id)
    trials = [await _tried(upstream, api, body) for body in api.encode_trials(facts.served_name, token_id)]
    return msgspec.structs.replace(facts, own=api.learn(facts.own, probe, trials))


async def _probe(upstream: Upstream, api: TokenApi, served_name: str, token_id: int) -> bytes:
    try:
        async with upstream.post(api.path, api.encode_probe(served_name, token_id)) as answer:
            return await answer.whole()
    except BadStatus as error:
        reason, _ = error_reason(error.body)
        if error.status in (404, 405):
            raise ModelNotSupported(f"{upstream.url} has no {api.path}: {api.start_hint}") from error
        raise ModelNotSupported(
            f"{upstream.url} does not take token {token_id}, so the tokenizer is another model's, or its "
            f"server fails: status {error.status} {reason}"
        ) from error
    except (NoAnswer, CutOff) as error:
        raise ModelNotSupported(f"{upstream.url} does not answer: {error.__cause__ or error}") from error


async def _tried(upstream: Upstream, api: TokenApi, body: bytes) -> bytes | None:
    """Return the answer; None where the server refuses, or has no such thing."""
    try:
        async with upstream.post(api.path, body) as answer:
            return await answer.whole()
    except (BadStatus, NoAnswer, CutOff):
        return None


def _models(upstream: Upstream, body: bytes) -> Models:
    try:
        return models_decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModelNotSupported(f"{upstream.url}/v1/models lists no models: {error}") from error


def _choose(models: list[Model], config: RemoteConfig, upstream: Upstream) -> Model:
    """Return the model that is served under a name of ours, or else the only one."""
    named = [model for model in models if model.id in (config.served_name, config.model)]
    bases = [model for model in models if model.parent is None]
    if named:
        return named[0]
    if len(bases) == 1:
        return bases[0]
    raise ModelNotSupported(
        f"{upstream.url} serves {', '.join(model.id for model in bases) or 'no model'}, and none is called "
        f"{config.served_name or config.model}"
    )


async def _own_facts(upstream: Upstream, api: TokenApi) -> ApiFacts:
    try:
        found = await upstream.get(api.facts_path, timeout_s=_TIMEOUT_S)
    except NoAnswer:
        return ApiFacts()
    return api.read_facts(found.body) if found.status == 200 else ApiFacts()
