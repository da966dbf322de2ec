"""The configuration of an engine that other servers compute for; no torch."""

import msgspec

from engine.config import MAX_UNREAD_BYTES, MediaLimits
from engine.info.model_info import ModelInfo


class RemoteConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The model, for its tokenizer and description, and the servers that compute it.

    model, revision: as in EngineConfig; weights are not read. api: the kind of servers, by its name in
    `engine.remote.wire.apis`. urls: of servers of that kind that serve this model; a
    request goes to the one with the fewest tokens outstanding. served_name: theirs for the model, if they
    list several. api_key: theirs. max_total_tokens: None: what the servers allow. timeout_s: the longest
    silence of an answer. start_timeout_s: the longest wait until a server is ready. command: starts the
    server on this machine that is asked, and that ends with this process; at a free port, in place of `urls`,
    where it holds `{port}`. socket: the path of the Unix socket at which the URLs are. model_info: the
    server's own description of the model, where it is at hand. media: whether files are read for a model that
    can. media_limits: of these, as in EngineConfig; those of the servers must be the same. priorities: vLLM's
    servers schedule by priority, of which they give no account.
    """

    model: str
    urls: tuple[str, ...]
    api: str = "vllm"
    revision: str | None = None
    served_name: str | None = None
    api_key: str | None = None
    max_total_tokens: int | None = None
    max_num_sequences: int = 256
    trust_remote_code: bool = False
    max_unread_bytes: int = MAX_UNREAD_BYTES
    timeout_s: float = 120.0
    start_timeout_s: float = 600.0
    command: tuple[str, ...] = ()
    socket: str | None = None
    media: bool = True
    priorities: bool = False
    media_limits: MediaLimits = MediaLimits()
    model_info: ModelInfo | None = None
