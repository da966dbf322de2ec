"""The settings of the LoRA adapters that the own engine serves beside its model."""

from typing import Annotated, Self

from pydantic import field_validator, model_validator

from engine.config import AdapterLimits, AdapterSource
from handlers.shared_settings.kinds import Count, Names, env
from handlers.shared_settings.section import Section

_LIMITS = AdapterLimits()


class AdapterSettings(Section):
    """The adapters of the start, the folder of those that are loaded later, and the limits of both."""

    lora_adapters: Annotated[Names, env("VERBATIM_LORA_ADAPTERS", "LORA_ADAPTERS", "LORA_MODULES")] = ()
    """LoRA adapters that requests may name as their model: name=folder, name=owner/repository, or either."""

    lora_root: Annotated[str | None, env("VERBATIM_LORA_ROOT")] = None
    """Folder from which clients may load adapters at run time; by default they cannot."""

    max_loras: Annotated[Count, env("VERBATIM_MAX_LORAS")] = _LIMITS.max_in_memory
    """Most adapters in memory at once; the one that was idle longest makes room for another."""

    max_lora_rank: Annotated[Count, env("VERBATIM_MAX_LORA_RANK")] = _LIMITS.max_rank
    """Highest rank of an adapter's layers."""

    max_lora_bytes: Annotated[Count, env("VERBATIM_MAX_LORA_BYTES")] = _LIMITS.max_bytes
    """Most bytes of all adapters in memory, and of the files of one."""

    max_lora_names: Annotated[Count, env("VERBATIM_MAX_LORA_NAMES")] = _LIMITS.max_named
    """Most adapters that requests can name, in memory or on disk."""

    @property
    def adapter_sources(self) -> tuple[AdapterSource, ...]:
        """The adapters of the start."""
        return tuple(map(_source, self.lora_adapters))

    @property
    def adapter_limits(self) -> AdapterLimits:
        """The limits of adapters, as the engine takes them."""
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
                raise ValueError("an adapter is given as name=folder")
        if len({source.name for source in sources}) < len(sources):
            raise ValueError("two adapters have one name")
        return adapters

    @model_validator(mode="after")
    def _are_few_enough(self) -> Self:
        if len(self.lora_adapters) > self.max_lora_names:
            raise ValueError(f"there are {len(self.lora_adapters)} adapters, more than max_lora_names")
        return self


def _source(text: str) -> AdapterSource:
    """Return the adapter of `name=path`; a path alone is also its name, as for Text Generation Inference."""
    name, separator, path = text.partition("=")
    return AdapterSource(name.strip(), path.strip() if separator else name.strip())
