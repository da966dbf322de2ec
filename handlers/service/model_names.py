"""The names under which requests may ask for the served model."""

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.faults.refused import Refused
from handlers.faults.violation import Violation


class ModelNotFound(Refused):
    """Nothing here has the name that a request asks for.

    name: as the request has it. It may be long and hold any character.
    """

    def __init__(self, name: str, field: str) -> None:
        super().__init__(f"The model {name!r} does not exist", field, Violation.UNSUPPORTED_VALUE)
        self.name = name


@dataclass(frozen=True)
class ModelNames:
    """served: what answers call the model. aliases: what requests may call it too."""

    served: str
    aliases: Sequence[str] = ()

    def check(self, name: str, field: str = "model") -> None:
        """Raises ModelNotFound for a name that is not the model's; the field is where the request has it."""
        if name != self.served and name not in self.aliases:
            raise ModelNotFound(name, field)
