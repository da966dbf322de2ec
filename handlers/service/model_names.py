"""The names under which requests may ask for the served model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from handlers.errors.refused import Refused
from handlers.errors.violation import Violation


class ModelNotFound(Refused):
    """Nothing here has the name that a request asks for.

    name: as the request has it. It may be long and hold any character.
    """

    def __init__(self, name: str, field: str) -> None:
        super().__init__(f"The model {name!r} does not exist", field, Violation.UNSUPPORTED_VALUE)
        self.name = name


class ResolvedModel(NamedTuple):
    """The meaning of a name. model: as answers call it. adapter: its name in the engine; None: no adapter."""

    model: str
    adapter: str | None


@dataclass(frozen=True)
class ModelNames:
    """served: what answers call the model. aliases: what requests may call it too."""

    served: str
    aliases: Sequence[str] = ()

    def resolve(self, name: str, field: str = "model") -> ResolvedModel:
        """Return the model and the adapter that a request asks for by this name.

        field: the field that has the name. Raises ModelNotFound.
        """
        if name != self.served and name not in self.aliases:
            raise ModelNotFound(name, field)
        return ResolvedModel(self.served, None)
