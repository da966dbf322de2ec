"""The names under which requests may ask for the served model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.port.info.adapter import NO_ADAPTERS, Adapters
from handlers.errors.refused import Refused
from handlers.errors.violation import Violation


class ModelNotFound(Refused):
    """Nothing here has the name that a request asks for.

    name: the name as the request has it, which may be long and hold any character.
    """

    def __init__(self, name: str, field: str) -> None:
        super().__init__(f"The model {name!r} does not exist", field, Violation.UNSUPPORTED_VALUE)
        self.name = name


class ResolvedModel(NamedTuple):
    """The meaning of a name.

    model: the name that answers have. adapter: the adapter's name in the engine; None for no adapter.
    """

    model: str
    adapter: str | None


@dataclass(frozen=True)
class ModelNames:
    """The names of the models that requests may ask for.

    served: the model's name in answers. aliases: names by which requests may ask for it too.
    adapters: the engine's adapters, each of which is a model of its own name.
    """

    served: str
    aliases: Sequence[str] = ()
    adapters: Adapters = NO_ADAPTERS

    @property
    def listed(self) -> tuple[str, ...]:
        """The names of the model and its adapters; aliases are for requests alone."""
        return (self.served, *self.adapters.names)

    def is_taken(self, name: str) -> bool:
        """Return whether this is a name of the model itself."""
        return name == self.served or name in self.aliases

    def adapter_of(self, name: str | None) -> str | None:
        """Return the adapter of this name; None for any other, where a contract takes every name."""
        return name if name in self.adapters.names and not self.is_taken(name or "") else None

    def resolve(self, name: str, field: str = "model") -> ResolvedModel:
        """Return the model and the adapter that a request asks for by this name.

        field: the field that has the name. Raises ModelNotFound.
        """
        if self.is_taken(name):
            return ResolvedModel(self.served, None)
        if name in self.adapters.names:
            return ResolvedModel(name, name)
        raise ModelNotFound(name, field)
