"""Schema keywords of our own, for rules that JSON Schema cannot express (specs/README.md)."""

from typing import Any, Final

from verbatim_kit.json_pointer import ABSENT, look_up, steps_of


class Sum:
    """The keyword `x-sum: {total: [a, b]}`: a property is the sum of others, if all of them are integers."""

    def __init__(self, parent: object, value: dict[str, list[str]], path: object) -> None:
        self._sums = value

    def validate(self, instance: Any) -> None:
        if not isinstance(instance, dict):
            return
        for total, names in self._sums.items():
            numbers: list[Any] = [instance.get(name) for name in (total, *names)]
            if all(type(number) is int for number in numbers) and numbers[0] != sum(numbers[1:]):
                raise ValueError(f"{total} is {numbers[0]}, not the sum of {' and '.join(names)}")


class Numbered:
    """The keyword `x-numbered: /index`: a property of an array's items counts from 0."""

    def __init__(self, parent: object, value: str, path: object) -> None:
        self._name = value
        self._pointer = steps_of(value)

    def validate(self, instance: Any) -> None:
        if not isinstance(instance, list):
            return
        for position, item in enumerate(instance):
            if (number := look_up(item, self._pointer)) is not ABSENT and number != position:
                raise ValueError(f"{self._name} of item {position} is {number}")


class SameLength:
    """The keyword `x-same-length: [a, b]`: the arrays in these properties of an object are equally long."""

    def __init__(self, parent: object, value: list[str], path: object) -> None:
        self._names = value

    def validate(self, instance: Any) -> None:
        if not isinstance(instance, dict):
            return
        arrays = {name: instance[name] for name in self._names if isinstance(instance.get(name), list)}
        if len({len(array) for array in arrays.values()}) > 1:
            lengths = ", ".join(f"{len(array)} {name}" for name, array in arrays.items())
            raise ValueError(f"The lists are not equally long: {lengths}")


KEYWORDS: Final[dict[str, Any]] = {"x-sum": Sum, "x-numbered": Numbered, "x-same-length": SameLength}
