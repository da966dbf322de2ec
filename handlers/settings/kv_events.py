"""The settings of the events by which routers learn what the prefix cache of the own engine holds."""

import re
from importlib.util import find_spec
from typing import Annotated, Self

from pydantic import field_validator, model_validator

from handlers.shared_settings.kinds import Count, env
from handlers.shared_settings.section import Section

# ZMQ's own check comes when the address is taken, after the imports.
_ENDPOINT = re.compile(r"tcp://(\*|\[[^\]]+\]|[^:\[\]/]+):(\d+|\*)|ipc://.+")


class KVEventSettings(Section):
    """The addresses that publish the prefix cache's changes, with the meanings of vLLM's kv_events_config."""

    kv_events: Annotated[str | None, env("VERBATIM_KV_EVENTS")] = None
    """ZMQ address to publish changes of the prefix cache at, as tcp://*:5557; they hold prompts' tokens."""

    kv_events_replay: Annotated[str | None, env("VERBATIM_KV_EVENTS_REPLAY")] = None
    """ZMQ address where subscribers of kv_events ask for what they missed, such as tcp://*:5558."""

    kv_events_topic: Annotated[str, env("VERBATIM_KV_EVENTS_TOPIC")] = ""
    """Topic of kv_events, which subscribers choose by; llm-d expects kv@POD@MODEL."""

    kv_events_buffer: Annotated[Count, env("VERBATIM_KV_EVENTS_BUFFER")] = 10_000
    """Batches of kv_events that are kept for subscribers that missed some."""

    @field_validator("kv_events", "kv_events_replay")
    @classmethod
    def _is_endpoint(cls, endpoint: str | None) -> str | None:
        if endpoint is None:
            return None
        if not _ENDPOINT.fullmatch(endpoint):
            raise ValueError(
                f"{endpoint!r} is no address of ZMQ, such as tcp://*:5557 or ipc:///run/kv-events"
            )
        if find_spec("zmq") is None:
            raise ValueError("pyzmq is not installed; pip install 'verbatim-server[kv-events]' installs it")
        return endpoint

    @model_validator(mode="after")
    def _publishes_something(self) -> Self:
        if self.kv_events is None:
            for name in ("kv_events_replay", "kv_events_topic", "kv_events_buffer"):
                if name in self.model_fields_set:
                    raise ValueError(f"{name} is of kv_events, which is not given")
        return self
