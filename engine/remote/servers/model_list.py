"""The list of models that a server serves (`GET /v1/models`), and ours among them; no torch."""

from typing import Final

import msgspec

from engine.port.errors import ModelNotSupported
from engine.remote.client.failures import NoAnswer
from engine.remote.client.upstream import Upstream
from engine.remote.config import RemoteConfig
from engine.remote.shown_url import shown_url

_PATH: Final = "/v1/models"
_TIMEOUT_S: Final = 10.0


class NotReady(ModelNotSupported):
    """The server does not serve the model, or not yet; the message says what it does instead."""


class Unlisted(NotReady):
    """The server lists other models."""


class ListedModel(msgspec.Struct):
    """A model of the list.

    max_model_len: its most tokens, where named. root: the name or path that its aliases share, where named.
    parent: an adapter's base model.
    """

    id: str
    max_model_len: int | None = None
    root: str | None = None
    parent: str | None = None


class _ModelList(msgspec.Struct):
    data: list[ListedModel]


_decoder: Final = msgspec.json.Decoder(_ModelList)


async def read_models(upstream: Upstream) -> list[ListedModel]:
    """Return the models that a server lists, and keep the names of its adapters.

    Raises NotReady, and ModelNotSupported for an answer that waiting cannot change.
    """
    url = upstream.url
    try:
        found = await upstream.get(_PATH, timeout_s=_TIMEOUT_S)
    except NoAnswer as error:
        raise NotReady(f"{url} does not answer: {error}") from error
    if found.status in (401, 403):
        raise ModelNotSupported(f"{url} refuses the key, or asks for one")
    if 300 <= found.status < 400:
        where = shown_url(found.location) or "another address, which it does not name"
        raise ModelNotSupported(f"{url} leads to {where}: ask that server itself")
    if found.status != 200:
        raise NotReady(f"{url}{_PATH} has the status {found.status}")
    try:
        models = _decoder.decode(found.body).data
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModelNotSupported(f"{url}{_PATH} lists no models: {error}") from error
    upstream.adapters = frozenset(model.id for model in models if model.parent is not None)
    return models


async def listed_model(upstream: Upstream, config: RemoteConfig) -> ListedModel:
    """Return the model that the server lists under a name of ours, or else the only one, under any alias.

    Raises NotReady or Unlisted, and ModelNotSupported for an answer that waiting cannot change.
    """
    return _choose(await read_models(upstream), config, upstream.url)


def _choose(models: list[ListedModel], config: RemoteConfig, url: str) -> ListedModel:
    named = [model for model in models if model.id in (config.served_name, config.model)]
    bases = [model for model in models if model.parent is None]
    if named:
        return named[0]
    if len({model.root or model.id for model in bases}) == 1:
        return bases[0]
    raise Unlisted(
        f"{url} serves {', '.join(model.id for model in bases) or 'no model'}, and none is called "
        f"{config.served_name or config.model}"
    )
