"""The names by which requests may address the served model and its adapters."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from engine.port.info.adapter import NO_ADAPTERS, Adapters
from verbatim_kit.errors import Refused, Violation

_MAX_LOGGED: Final = 100  # names, each once: clients choose them

_log = logging.getLogger(__name__)


class ModelNotFound(Refused):
    """No model or adapter has the name in a request.

    name: the name in the request, which may be long and contain any character. served: the model's name.
    remedy: what every contract puts after its own words, which clients look for: the name that is served, as
    other servers give it (Ollama, LiteLLM), since OpenAI's words alone leave a user to guess it.
    """

    def __init__(self, name: str, field: str, served: str) -> None:
        self.name = name
        self.remedy = f" ({served[:200]!r} is served; --model-alias adds names)"
        super().__init__(
            f"The model {name[:200]!r} does not exist{self.remedy}", field, Violation.UNSUPPORTED_VALUE
        )


class ResolvedModel(NamedTuple):
    """The model and adapter that a name in a request stands for.

    model: the model name in answers. adapter: the adapter's name in the engine; None without an adapter.
    """

    model: str
    adapter: str | None


@dataclass(frozen=True)
class ModelNames:
    """The names of the served model and its adapters.

    served: the model's name in answers. aliases: further names that requests may use for it.
    adapters: the engine's adapters, each of which is listed as a model under its own name.
    lists_aliases: whether the aliases are listed as models too.
    """

    served: str
    aliases: Sequence[str] = ()
    adapters: Adapters = NO_ADAPTERS
    lists_aliases: bool = True
    _refused: set[str] = field(default_factory=set)  # names that are in the log

    @property
    def own(self) -> tuple[str, ...]:
        """The names under which the model itself is listed; the first is the one in answers."""
        return tuple(dict.fromkeys((self.served, *(self.aliases if self.lists_aliases else ()))))

    @property
    def listed(self) -> tuple[str, ...]:
        """The names under which the model and its adapters are listed."""
        return (*self.own, *self.adapters.names)

    def is_taken(self, name: str) -> bool:
        """Return whether a name or alias of the model itself equals this name."""
        return name == self.served or name in self.aliases

    def adapter_of(self, name: str | None) -> str | None:
        """Return the adapter with this name, for contracts that accept any name; None if there is none."""
        return name if name in self.adapters.names and not self.is_taken(name or "") else None

    def resolve(self, name: str, field: str = "model") -> ResolvedModel:
        """Return the model and the adapter for a name in a request.

        field: the field that contains the name. Raises ModelNotFound.
        """
        if self.is_taken(name):
            return ResolvedModel(self.served, None)
        if name in self.adapters.names:
            return ResolvedModel(name, name)
        error = ModelNotFound(name, field, self.served)
        if len(self._refused) < _MAX_LOGGED and (shown := name[:200]) not in self._refused:
            self._refused.add(shown)
            _log.warning("%s", error)
        raise error
