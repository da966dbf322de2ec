"""The configuration of an engine that other servers compute for; no torch."""

import msgspec

from engine.config import MAX_UNREAD_BYTES, MediaLimits
from engine.port.info.model_info import ModelInfo


class RemoteConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The model, for its tokenizer and description, and the servers that compute it."""

    model: str
    """A directory or a repository on the Hugging Face hub, whose weights are not read."""

    urls: tuple[str, ...]
    """The URLs of servers of one kind that serve this model; a request goes to the one with the fewest tokens
    outstanding."""

    api: str = "vllm"
    """The kind of servers, by its name in `engine.remote.wire.apis`."""

    revision: str | None = None
    """A branch, tag or commit of the repository; None takes its default branch."""

    served_name: str | None = None
    """The servers' name for the model, which is needed if they list several."""

    api_key: str | None = None
    """The servers' key; None for servers that ask for none."""

    max_total_tokens: int | None = None
    """The most tokens of a prompt and its output together; None takes what the servers allow."""

    max_num_sequences: int = 256
    """The most sequences that run at the same time."""

    trust_remote_code: bool = False
    """Lets Python code from the model's repository run."""

    max_unread_bytes: int = MAX_UNREAD_BYTES
    """The approximate memory of one request's unread events, as in EngineConfig."""

    timeout_s: float = 120.0
    """The longest silence of an answer, in seconds."""

    start_timeout_s: float = 600.0
    """The longest wait until a server is ready, in seconds."""

    command: tuple[str, ...] = ()
    """The command that starts the server on this machine, which ends with this process. With `{port}` in it
    the server listens at a free port, which takes the place of `urls`."""

    socket: str | None = None
    """The path of the Unix socket at which the URLs are; None for TCP."""

    media: bool = True
    """Reads files for a model that can."""

    priorities: bool = False
    """True if vLLM's servers schedule by priority, which they do not report themselves."""

    media_limits: MediaLimits = MediaLimits()
    """The limits of each file, as in EngineConfig; those of the servers must be the same."""

    model_info: ModelInfo | None = None
    """The server's own description of the model, where it is at hand."""
