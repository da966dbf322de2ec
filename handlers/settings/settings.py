"""All settings of the server, put together from those that are shared, those of the parts of the server and
those of each contract.

An environment variable `VERBATIM_*` wins over the name that Text Generation Inference gave the same setting;
a command-line option wins over both. The command line, its help and the table of options are made from here.
"""

from typing import Self

from pydantic import model_validator

from handlers.access.settings import AccessSettings
from handlers.http.settings import HttpSettings
from handlers.media.settings import MediaSettings
from handlers.mindie.settings import MindieSettings
from handlers.settings.engine_servers import EngineServerSettings
from handlers.settings.own_engine import OwnEngineSettings
from handlers.shared_settings.shared_settings import SharedSettings
from handlers.tgi_family.settings import TgiFamilySettings
from handlers.transcription.settings import TranscriptionSettings


class Settings(
    MindieSettings,
    TgiFamilySettings,
    TranscriptionSettings,
    MediaSettings,
    HttpSettings,
    AccessSettings,
    OwnEngineSettings,
    EngineServerSettings,
    SharedSettings,
):
    """The settings of one server process; a handler is given them as its own section, without the others.

    Options and tables list the sections from the last base class to the first.
    """

    @model_validator(mode="after")
    def _can_tell_adapters_from_the_model(self) -> Self:
        taken = {self.model_name, *self.model_alias} & {source.name for source in self.adapter_sources}
        if taken:
            raise ValueError(f"lora_adapters: {min(taken)!r} is a name of the model itself")
        if self.lora_adapters and self.is_over_servers:
            raise ValueError("lora_adapters are of the engine of this server; other servers have their own")
        if self.lora_root is not None and (self.is_over_servers or self.api_workers):
            raise ValueError("lora_root needs an engine in the process that answers HTTP")
        return self

    def url(self, port: int) -> str:
        """Return the URL of a server that listens on this port of the host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        scheme = "http" if self.ssl_certfile is None else "https"
        return f"{scheme}://{host}:{port}"
