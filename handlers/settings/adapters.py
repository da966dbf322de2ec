"""The settings of the LoRA adapters that the local engine serves."""

from typing import Annotated, Self

from pydantic import field_validator, model_validator

from engine.config import AdapterLimits, AdapterSource
from handlers.shared_settings.kinds import Count, Names, env
from handlers.shared_settings.section import Section

_LIMITS = AdapterLimits()


class AdapterSettings(Section):
    """The adapters to load at start, the folder of those that clients may load later, and their limits."""

    lora_adapters: Annotated[Names, env("VERBATIM_LORA_ADAPTERS", "LORA_ADAPTERS", "LORA_MODULES")] = ()
    """LoRA adapters that requests may name as model: name=folder, name=owner/repository, or only the path."""

    lora_root: Annotated[str | None, env("VERBATIM_LORA_ROOT")] = None
    """Folder from which clients may load adapters at run time; disabled by default."""

    max_loras: Annotated[Count, env("VERBATIM_MAX_LORAS")] = _LIMITS.max_in_memory
    """Maximum number of adapters in memory; the least recently used one is evicted for another."""

    max_lora_rank: Annotated[Count, env("VERBATIM_MAX_LORA_RANK")] = _LIMITS.max_rank
    """Maximum rank of an adapter's layers."""

    max_lora_bytes: Annotated[Count, env("VERBATIM_MAX_LORA_BYTES")] = _LIMITS.max_bytes
    """Maximum bytes of all adapters in memory, and of the files of one adapter."""

    max_lora_names: Annotated[Count, env("VERBATIM_MAX_LORA_NAMES")] = _LIMITS.max_named
    """Maximum number of adapters that requests can name, in memory or on disk."""

    @property
    def adapter_sources(self) -> tuple[AdapterSource, ...]:
        """The adapters to load at start."""
        return tuple(map(_source, self.lora_adapters))

    @property
    def adapter_limits(self) -> AdapterLimits:
        """The limits in the engine's form."""
        return AdapterLimits(
            max_in_memory=self.max_loras,
            max_bytes=self.max_lora_bytes,
            max_rank=self.max_lora_rank,
            max_named=self.max_lora_names,
        )

    @field_validator("lora_adapters")
    @classmethod
    def _are_named_once(cls, adapters: tuple[str, ...]) -> tuple[str, ...]:
        sources = list(map(_source, adapters))
        for source in sources:
            if not source.name or not source.path:
                raise ValueError("an adapter must have the form name=folder")
        if len({source.name for source in sources}) < len(sources):
            raise ValueError("two adapters have the same name")
        return adapters

    @model_validator(mode="after")
    def _are_few_enough(self) -> Self:
        if len(self.lora_adapters) > self.max_lora_names:
            raise ValueError(f"there are {len(self.lora_adapters)} adapters, more than max_lora_names")
        return self


def _source(text: str) -> AdapterSource:
    """Parse `name=path`; a path alone is also the name, as in Text Generation Inference."""
    name, separator, path = text.partition("=")
    return AdapterSource(name.strip(), path.strip() if separator else name.strip())
