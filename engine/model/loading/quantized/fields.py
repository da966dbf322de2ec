"""The fields of a quantization_config, each checked as it is read."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NoReturn

from engine.port.errors import ModelNotSupported


class Fields:
    """An object in config.json. name: its path there, such as `quantization_config`."""

    def __init__(self, directory: Path, name: str, values: Mapping[str, Any]) -> None:
        self.directory = directory
        self._name = name
        self._values = values

    def get(self, field: str) -> Any:
        """Return the value as it stands; None if there is none."""
        return self._values.get(field)

    def integer(self, field: str, default: int | None = None, choices: Collection[int] = ()) -> int:
        """Return an integer, one of the choices if there are any. Raises ModelNotSupported."""
        value = self._values.get(field)
        if value is None and default is not None:
            return default
        if not isinstance(value, int) or isinstance(value, bool):
            self.refuse(field, "must be an integer")
        if choices and value not in choices:
            self.refuse(field, f"must be one of {', '.join(map(str, sorted(choices)))}")
        return value

    def flag(self, field: str, default: bool) -> bool:
        """Return true or false. Raises ModelNotSupported for anything else."""
        value = self._values.get(field)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.refuse(field, "must be true or false")
        return value

    def word(self, field: str, default: str | None, choices: Collection[str]) -> str:
        """Return one of the words that are unpacked. Raises ModelNotSupported for another."""
        value = self._values.get(field)
        if value is None and default is not None:
            return default
        if value not in choices:
            self.refuse(field, f"of weights that are unpacked is {' or '.join(sorted(choices))}")
        return str(value)

    def inner(self, field: str) -> "Fields":
        """Return the object in this field. Raises ModelNotSupported if there is none."""
        value = self._values.get(field)
        if not isinstance(value, dict):
            self.refuse(field, "must be an object")
        return Fields(self.directory, f"{self._name}.{field}", value)

    def keys(self) -> list[str]:
        """Return the names of the fields."""
        return list(self._values)

    def refuse(self, field: str, rule: str) -> NoReturn:
        """Raise ModelNotSupported. rule: what the field has to be, such as "must be an integer"."""
        value = self._values.get(field)
        raise ModelNotSupported(
            f"{self.directory}/config.json: {self._name}.{field} {rule}, and is {str(value)[:100]!r}"
        )
