"""The facts about a server that the engine needs before it starts; no torch."""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec

from engine.errors import ModelNotSupported
from engine.remote.config import RemoteConfig
from engine.remote.servers.failures import BadStatus, CutOff, NoAnswer
from engine.remote.servers.upstream import Upstream
from engine.remote.shown_url import shown_url
from engine.remote.wire.answer_reader import error_reason
from engine.remote.wire.token_api import ApiFacts, TokenApi

_TIMEOUT_S: Final = 10.0
_PAUSE_S: Final = 0.5  # between two tries


class ServerFacts(msgspec.Struct, frozen=True):
    """max_total_tokens: the longest context, if the server names it. own: its account of itself."""

    served_name: str
    max_total_tokens: int | None = None
    own: ApiFacts = ApiFacts()


class _Model(msgspec.Struct):
    id: str
    max_model_len: int | None = None
    parent: str | None = None  # an adapter's


class _Models(msgspec.Struct):
    data: list[_Model]


async def wait_until_ready(
    upstream: Upstream, api: TokenApi, config: RemoteConfig, on_progress: Callable[[str], None]
) -> ServerFacts:
    """Wait until the server lists its models, and return what it says of ours.

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
                    where = shown_url(found.location) or "another address, which it does not name"
                    raise ModelNotSupported(f"{upstream.url} leads to {where}: ask that server itself")
                if found is not None and found.status == 200:
                    model = _choose(_models(upstream, found.body), config, upstream)
                    own = await _own_facts(upstream, api)
                    limits = [each for each in (model.max_model_len, own.max_total_tokens) if each]
                    return ServerFacts(model.id, min(limits, default=None), own)
                if not is_waiting:
                    is_waiting = True
                    on_progress(f"waiting for the server at {upstream.url}")
                await asyncio.sleep(_PAUSE_S)
    except TimeoutError:
        raise ModelNotSupported(
            f"the server at {upstream.url} was not ready within {config.start_timeout_s:.0f} s"
        ) from None


async def check_generates(upstream: Upstream, api: TokenApi, served_name: str, token_id: int) -> None:
    """Raise ModelNotSupported unless the server computes a token after this one, our vocabulary's last.

    So a server without the token API, or of a model with fewer tokens, is found before the first request.
    """
    try:
        async with upstream.post(api.path, api.encode_probe(served_name, token_id)) as answer:
            await answer.whole()
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


def _models(upstream: Upstream, body: bytes) -> list[_Model]:
    try:
        return msgspec.json.decode(body, type=_Models).data
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModelNotSupported(f"{upstream.url}/v1/models lists no models: {error}") from error


def _choose(models: list[_Model], config: RemoteConfig, upstream: Upstream) -> _Model:
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
