"""JSON Schema's number types, where pydantic's strict ones say something else."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AllowInfNan, GetCoreSchemaHandler, Strict
from pydantic_core import CoreSchema, core_schema

if TYPE_CHECKING:
    StrictInt = int
    StrictFloat = float
else:

    class _Integer:
        """JSON Schema 2020-12, 4.2.3: 1.0 is an integer as 1 is. true and "1" are not."""

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
            whole = core_schema.chain_schema(
                [core_schema.float_schema(strict=True), core_schema.int_schema()]
            )
            return core_schema.union_schema(
                [core_schema.int_schema(strict=True), whole],
                mode="left_to_right",
                custom_error_type="integer_type",
                custom_error_message="Input should be an integer",
            )

    StrictInt = Annotated[int, _Integer]
    StrictFloat = Annotated[float, Strict(), AllowInfNan(False)]
    """JSON has no NaN and no infinity (RFC 8259, section 6)."""
