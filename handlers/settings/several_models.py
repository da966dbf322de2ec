"""The settings of several models behind one address, each in a process of its own."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import ByteSize, Field, field_validator

from handlers.shared_settings.kinds import Names, Seconds, env
from handlers.shared_settings.section import Section


class SeveralModelsSettings(Section):
    """The models, how long and in how much memory their processes run, and the key of the admin API."""

    models: Annotated[Names, env("VERBATIM_MODELS")] = ()
    """Several models in place of one, as A or NAME=A, also as arguments; each runs from its first request."""

    model_memory: Annotated[ByteSize | None, env("VERBATIM_MODEL_MEMORY"), Field(gt=0)] = None
    """Memory of all models together, such as 12GiB; the least recently used one stops for another."""

    model_idle_timeout: Annotated[float, env("VERBATIM_MODEL_IDLE_TIMEOUT"), Field(ge=0)] = 0.0
    """Seconds without a request after which a model is stopped; 0 for never."""

    model_start_timeout: Annotated[Seconds, env("VERBATIM_MODEL_START_TIMEOUT")] = 300.0
    """Seconds that a request waits for its model to start; it is refused as unavailable then."""

    admin_key: Annotated[str | None, env("VERBATIM_ADMIN_KEY"), Field(min_length=1)] = None
    """Key of the admin API at /admin, which loads and unloads models; without one there is no such API."""

    @field_validator("models")
    @classmethod
    def _have_names(cls, models: tuple[str, ...]) -> tuple[str, ...]:
        sources = sources_by_name(models)
        if not all(name and source for name, source in sources.items()):
            raise ValueError("a model must have the form A or NAME=A")
        if len(sources) < len(models):
            raise ValueError("two models have the same name")
        return models

    @property
    def is_supervised(self) -> bool:
        """True if models run in processes of their own, which this one starts and stops."""
        return any(getattr(self, name) != default for name, default in UNSUPERVISED.items())


UNSUPERVISED: Final[Mapping[str, Any]] = {
    name: field.get_default() for name, field in SeveralModelsSettings.model_fields.items()
}
"""The settings by which a process serves one model itself."""


def sources_by_name(models: tuple[str, ...]) -> dict[str, str]:
    """Return what each model is loaded from, by its name: `NAME=A`, or A for both."""
    pairs = (text.partition("=") for text in models)
    return {name.strip(): (source if equals else name).strip() for name, equals, source in pairs}
