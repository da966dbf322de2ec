"""The topics of the settings: the groups in which options are listed."""

from collections.abc import Mapping
from functools import cache
from inspect import get_annotations
from typing import Final

from handlers.access.connections.settings import HttpSettings
from handlers.access.settings import AccessSettings
from handlers.contracts.mindie.settings import MindieSettings
from handlers.contracts.openai.settings import OpenAISettings
from handlers.contracts.tgi.settings import TgiSettings
from handlers.media.settings import MediaSettings
from handlers.settings.adapters import AdapterSettings
from handlers.settings.engine_servers import EngineServerSettings
from handlers.settings.kv_events import KVEventSettings
from handlers.settings.own_engine import OwnEngineSettings
from handlers.settings.settings import Settings
from handlers.settings.several_models import SeveralModelsSettings
from handlers.shared_settings.log_settings import LogSettings
from handlers.shared_settings.section import Section
from handlers.shared_settings.shared_settings import SharedSettings
from handlers.store.settings import StoreSettings
from handlers.tracing.settings import TracingSettings
from handlers.transcription.settings import TranscriptionSettings

_SECTIONS: Final[Mapping[str, tuple[type[Section], ...]]] = {
    "server": (SharedSettings,),
    "models": (SeveralModelsSettings,),
    "compute": (OwnEngineSettings,),
    "engine-servers": (EngineServerSettings,),
    "adapters": (AdapterSettings,),
    "access": (AccessSettings,),
    "http": (HttpSettings,),
    "media": (MediaSettings, TranscriptionSettings),
    "contracts": (OpenAISettings, TgiSettings, MindieSettings),
    "store": (StoreSettings,),
    "kv-events": (KVEventSettings,),
    "logs": (LogSettings, TracingSettings),
}

COMMON: Final = (
    *("model", "served_model_name", "model_alias", "chat_template", "lora_adapters"),
    *("host", "port", "api_key", "config", "log_level", "max_total_tokens", "max_concurrent_requests"),
    *("dtype", "device", "quantize", "tensor_parallel_size", "engine", "engine_url"),
)
"""The settings that a first page of help lists."""

COMPUTING: Final = (
    *("revision", "served_model_name", "trust_remote_code", "huggingface_hub_cache", "max_total_tokens"),
    *("dtype", "device", "quantize", "isa", "bfloat16_products", "require_native", "kernel_cache"),
    *("num_threads", "max_batch_prefill_tokens", "max_batch_total_tokens", "max_batch_size"),
)
"""The settings that decide, with the model, what the own engine computes and how."""


@cache
def topics() -> Mapping[str, tuple[str, ...]]:
    """Return the settings of each topic, by names. A section that is in none belongs to the first."""
    topic_of = {section: topic for topic, sections in _SECTIONS.items() for section in sections}
    found: dict[str, list[str]] = {topic: [] for topic in _SECTIONS}
    for name in Settings.model_fields:
        section = next(base for base in Settings.__mro__ if name in get_annotations(base))
        found[topic_of.get(section, "server")].append(name)
    return {topic: tuple(names) for topic, names in found.items()}
