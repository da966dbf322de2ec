"""JSON objects that a member holds as text, held to their schemas as a body is."""

from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from verbatim_kit.errors import Refused
from verbatim_kit.runtime.reading.fail_fast import fail_fast_schema, fail_fast_validator
from verbatim_kit.runtime.reading.invalid import explain

ModelT = TypeVar("ModelT", bound=BaseModel)


class Nested(Generic[ModelT]):
    """The reader of an object inside a member of the body. field: the name of that member."""

    def __init__(self, model: type[ModelT], field: str) -> None:
        self._schema = fail_fast_schema(model)
        self._validator = fail_fast_validator(self._schema)
        self._field = field

    def validate(self, value: dict[str, Any]) -> ModelT:
        """The model of an object. Raises Refused, naming the field inside."""
        try:
            model: ModelT = self._validator.validate_python(value)
        except ValidationError as error:
            fault = explain(error, value, self._schema)
            field = f"{self._field}.{fault.field}"
            raise Refused(f"'{field}' {fault.reason}", field, fault.violation) from None
        return model
