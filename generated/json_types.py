"""JSON Schema's number types, where pydantic's strict ones say something else."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AllowInfNan, GetCoreSchemaHandler, Strict
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

if TYPE_CHECKING:
    StrictInt = int
    StrictFloat = float
else:

    class _Integer:
        """JSON Schema 2020-12, 4.2.3: 1.0 is an integer as 1 is. true and "1" are not."""

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
            whole = core_schema.no_info_after_validator_function(
                _whole, core_schema.float_schema(strict=True)
            )
            branches = [core_schema.int_schema(strict=True), whole]
            return core_schema.union_schema(
                branches,
                mode="left_to_right",
                custom_error_type="int_type",
                custom_error_message="Input should be a valid integer",
                serialization=core_schema.simple_ser_schema("int"),
            )

    def _whole(value: float) -> int:
        if not value.is_integer():
            raise PydanticCustomError("int_type", "Input should be a valid integer")
        return int(value)

    StrictInt = Annotated[int, _Integer]
    StrictFloat = Annotated[float, Strict(), AllowInfNan(False)]
    """JSON has no NaN and no infinity (RFC 8259, section 6)."""
