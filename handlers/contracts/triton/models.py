"""The served model and its one version, found by the names in a path."""

from dataclasses import dataclass
from typing import Any, Final

from handlers.contracts.triton.errors import NotAVersion, NotReady, VersionNotFound
from handlers.served_model.model_names import ModelNames

VERSION: Final = "1"  # Triton numbers a model's versions, and the first is 1


@dataclass(frozen=True)
class Models:
    """The names that a path may have."""

    names: ModelNames

    def check(self, arguments: Any) -> None:
        """Check a path's parameters. Raises ModelNotFound, NotAVersion or VersionNotFound."""
        version = getattr(arguments, "model_version", VERSION)
        if not (version.isascii() and version.isdigit()):
            raise NotAVersion
        self.names.resolve(arguments.model_name, "model_name")
        if version.lstrip("0") != VERSION:
            raise VersionNotFound(arguments.model_name, version)

    def check_ready(self, arguments: Any, *, is_healthy: bool) -> None:
        """Check the model of a probe. Raises NotReady also for a model that is not there, or NotAVersion."""
        try:
            self.check(arguments)
        except NotAVersion:
            raise
        except Exception as error:
            raise NotReady(str(error)) from error
        if not is_healthy:
            raise NotReady("Model version not ready")
