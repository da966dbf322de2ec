"""The settings of KV cache events, which tell routers about the local engine's prefix cache."""

import re
from importlib.util import find_spec
from typing import Annotated, Self

from pydantic import field_validator, model_validator

from engine.extras import how_to_install
from handlers.shared_settings.kinds import Count, env
from handlers.shared_settings.section import Section

# ZMQ itself checks an address only when it is bound, after the slow imports.
_ENDPOINT = re.compile(r"tcp://(\*|\[[^\]]+\]|[^:\[\]/]+):(\d+|\*)|ipc://.+")


class KVEventSettings(Section):
    """The settings for publishing changes of the prefix cache, as in vLLM's kv_events_config."""

    kv_events: Annotated[str | None, env("VERBATIM_KV_EVENTS")] = None
    """ZMQ address to publish changes of the prefix cache at, such as tcp://*:5557; they reveal prompts."""

    kv_events_replay: Annotated[str | None, env("VERBATIM_KV_EVENTS_REPLAY")] = None
    """ZMQ address where subscribers request events that they missed, such as tcp://*:5558."""

    kv_events_topic: Annotated[str, env("VERBATIM_KV_EVENTS_TOPIC")] = ""
    """Topic of the events, by which subscribers filter; llm-d expects kv@POD@MODEL."""

    kv_events_buffer: Annotated[Count, env("VERBATIM_KV_EVENTS_BUFFER")] = 10_000
    """Number of batches of events that are kept for replay."""

    @field_validator("kv_events", "kv_events_replay")
    @classmethod
    def _is_endpoint(cls, endpoint: str | None) -> str | None:
        if endpoint is None:
            return None
        if not _ENDPOINT.fullmatch(endpoint):
            raise ValueError(
                f"{endpoint!r} is not a ZMQ address, such as tcp://*:5557 or ipc:///run/kv-events"
            )
        if find_spec("zmq") is None:
            raise ValueError(f"pyzmq is not installed; {how_to_install('kv-events')} installs it")
        return endpoint

    @model_validator(mode="after")
    def _publishes_something(self) -> Self:
        if self.kv_events is None:
            for name in ("kv_events_replay", "kv_events_topic", "kv_events_buffer"):
                if name in self.model_fields_set:
                    raise ValueError(f"{name} has no effect without kv_events")
        return self
