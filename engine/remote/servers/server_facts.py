"""The facts about a server that the engine needs before it starts; no torch."""

from typing import Final

import msgspec

from engine.port.errors import ModelNotSupported
from engine.port.text.tokenizer import Tokenizer
from engine.remote.client.failures import BUSY, BadStatus, CutOff, NoAnswer
from engine.remote.client.upstream import Upstream
from engine.remote.config import RemoteConfig
from engine.remote.servers.model_list import NotReady, listed_model
from engine.remote.servers.patience import Patience
from engine.remote.servers.tokenization import check_tokenizes
from engine.remote.wire.answer_reader import error_reason
from engine.remote.wire.token_api import ApiFacts, TokenApi

_TIMEOUT_S: Final = 10.0


class ServerFacts(msgspec.Struct, frozen=True):
    """The facts that a server names.

    max_total_tokens: the most tokens of a prompt and its output together, if the server names them.
    own: the server's description of itself.
    """

    served_name: str
    max_total_tokens: int | None = None
    own: ApiFacts = ApiFacts()


async def server_facts(upstream: Upstream, api: TokenApi, config: RemoteConfig) -> ServerFacts:
    """Return what a server says of our model, and keep the names of its adapters.

    Raises the errors of `listed_model`.
    """
    model = await listed_model(upstream, config)
    own = await _own_facts(upstream, api)
    limits = [each for each in (model.max_model_len, own.max_total_tokens) if each]
    return ServerFacts(model.id, min(limits, default=None), own)


async def wait_until_ready(
    upstream: Upstream, api: TokenApi, config: RemoteConfig, tokenizer: Tokenizer, patience: Patience
) -> ServerFacts:
    """Wait until the server lists our model and computes a token, and return its facts.

    Raises ModelNotSupported for an answer that waiting cannot change, and NotReady when the patience is over.
    """
    while True:
        try:
            facts = await server_facts(upstream, api, config)
            facts = await with_answers(upstream, api, facts, max(tokenizer.known_ids))
            await check_tokenizes(upstream, api, facts.served_name, tokenizer)
            return facts
        except NotReady as error:
            if not await patience.again(upstream.url, str(error)):
                limit = f"{config.start_timeout_s:.0f} s"
                raise NotReady(
                    f"the server at {upstream.url} was not ready within {limit}: {error}"
                ) from error


async def with_answers(upstream: Upstream, api: TokenApi, facts: ServerFacts, token_id: int) -> ServerFacts:
    """Return the facts with what the server's first answers show.

    token_id: the last token of our vocabulary. Raises ModelNotSupported unless the server computes a token
    after it, so that a server without the token API, or of a model with fewer tokens, is found before the
    first request. Raises NotReady for a server that gives no answer, or has no room.
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
        if error.status in BUSY:
            raise NotReady(f"{upstream.url} computes no token: status {error.status} {reason}") from error
        raise ModelNotSupported(
            f"{upstream.url} does not take token {token_id}, so the tokenizer is another model's, or its "
            f"server fails: status {error.status} {reason}"
        ) from error
    except (NoAnswer, CutOff) as error:
        raise NotReady(f"{upstream.url} does not answer: {error}") from error


async def _tried(upstream: Upstream, api: TokenApi, body: bytes) -> bytes | None:
    """Return the answer; None where the server refuses, or has no such thing. Raises NotReady."""
    try:
        async with upstream.post(api.path, body) as answer:
            return await answer.whole()
    except BadStatus as error:
        if error.status in BUSY:
            raise NotReady(f"{upstream.url} has no room to be tried: status {error.status}") from error
        return None
    except (NoAnswer, CutOff) as error:
        raise NotReady(f"{upstream.url} does not answer: {error}") from error


async def _own_facts(upstream: Upstream, api: TokenApi) -> ApiFacts:
    try:
        found = await upstream.get(api.facts_path, timeout_s=_TIMEOUT_S)
    except NoAnswer:
        return ApiFacts()
    return api.read_facts(found.body) if found.status == 200 else ApiFacts()
