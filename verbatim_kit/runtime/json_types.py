"""JSON Schema's types, where pydantic's strict ones say something else."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import AllowInfNan, GetCoreSchemaHandler, Strict
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

if TYPE_CHECKING:
    StrictInt = int
    StrictFloat = float
    OnlyTrue: TypeAlias = Literal[True]
    OnlyFalse: TypeAlias = Literal[False]
else:

    class _Integer:
        """JSON Schema 2020-12, 4.2.3: 1.0 and 1e30 are integers as 1 is. true and "1" are not."""

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
            number = core_schema.float_schema(strict=True, allow_inf_nan=False)
            return core_schema.union_schema(
                [
                    core_schema.int_schema(strict=True),
                    core_schema.no_info_after_validator_function(_whole, number),
                ],
                mode="left_to_right",
                custom_error_type="integer_type",
                custom_error_message="Input should be an integer",
            )

    def _whole(number: float) -> int:
        if not number.is_integer():
            raise ValueError  # the union words it
        return int(number)

    class _Constant:
        """JSON Schema 2020-12, 4.2.2: 1 and true are not equal, as they are in Python and for Literal."""

        def __init__(self, constant: bool) -> None:
            self._constant = constant

        def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
            literal = core_schema.literal_schema([self._constant])
            return core_schema.no_info_before_validator_function(self._require_boolean, literal)

        def _require_boolean(self, value: Any) -> Any:
            if not isinstance(value, bool):
                raise PydanticKnownError("literal_error", {"expected": str(self._constant)})
            return value

    StrictInt = Annotated[int, _Integer]
    StrictFloat = Annotated[float, Strict(), AllowInfNan(False)]
    """JSON has no NaN and no infinity (RFC 8259, section 6)."""
    OnlyTrue = Annotated[Literal[True], _Constant(True)]
    OnlyFalse = Annotated[Literal[False], _Constant(False)]
