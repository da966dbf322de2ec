"""All settings of the server: the shared ones, those of its parts, and those of each contract.

A command-line option has precedence over the environment variable `VERBATIM_*`, which has precedence over
Text Generation Inference's name of the same setting. The command line, its help and the table of options are
generated from these classes.
"""

from typing import Final, Self

from pydantic import model_validator

from engine.demo_model import DEMO_MODEL
from engine.demo_vision import DEMO_VISION
from handlers.access.connections.settings import HttpSettings
from handlers.access.settings import AccessSettings
from handlers.contracts.mindie.settings import MindieSettings
from handlers.contracts.openai.settings import OpenAISettings
from handlers.contracts.tgi.settings import TgiSettings
from handlers.media.settings import MediaSettings
from handlers.settings.engine_servers import EngineServerSettings
from handlers.settings.own_engine import OwnEngineSettings
from handlers.settings.several_models import SeveralModelsSettings
from handlers.shared_settings.shared_settings import EMBEDDED_MODEL, EMBEDDED_VISION_MODEL, SharedSettings
from handlers.store.settings import StoreSettings
from handlers.tracing.settings import TracingSettings
from handlers.transcription.settings import TranscriptionSettings

_EMBEDDED: Final = {EMBEDDED_MODEL: DEMO_MODEL, EMBEDDED_VISION_MODEL: DEMO_VISION}


class Settings(
    MindieSettings,
    OpenAISettings,
    TgiSettings,
    StoreSettings,
    TranscriptionSettings,
    MediaSettings,
    HttpSettings,
    TracingSettings,
    AccessSettings,
    OwnEngineSettings,
    EngineServerSettings,
    SeveralModelsSettings,
    SharedSettings,
):
    """The settings of a server; handlers only see their own sections.

    Option lists have the sections from the last base class to the first.
    """

    @model_validator(mode="after")
    def _can_tell_adapters_from_the_model(self) -> Self:
        taken = {self.model_name, *self.model_alias} & {source.name for source in self.adapter_sources}
        if taken:
            raise ValueError(f"lora_adapters: {min(taken)!r} is already a name of the model")
        if self.lora_adapters and self.is_over_servers:
            raise ValueError("lora_adapters is only for the local engine, not for other servers")
        if self.lora_root is not None and (self.is_over_servers or self.api_workers):
            raise ValueError("lora_root needs the engine in the process that serves HTTP")
        return self

    @model_validator(mode="after")
    def _can_tell_models_apart(self) -> Self:
        for name in ("served_model_name", "lora_adapters", "kv_events"):
            if self.models and getattr(self, name):
                raise ValueError(f"{name} is for one model, and several are served")
        return self

    @property
    def model_source(self) -> str:
        """The hub id or the path of the model to serve; an embedded model has its name and a path."""
        name = self.model or EMBEDDED_MODEL
        return str(_EMBEDDED.get(name, name))

    def url(self, port: int) -> str:
        """Return the URL of a server with these settings. port: the port that it listens on."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        scheme = "http" if self.ssl_certfile is None else "https"
        return f"{scheme}://{host}:{port}"
