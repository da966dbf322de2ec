# Generated from specs/systemone: mend the document or its overlay, never this file.
"""System One API 0.2.0: its operations, as the clients need to know them."""

from typing import Final

from .. import version
from ..runtime.operation import Operation
from ..runtime.settings import Contract
from . import errors as e
from . import models as m

CONTRACT: Final = Contract(path="/systemone", agent=f"{version.NAME}/{version.VERSION} systemone/0.2.0")

SYSTEM_ONE: Final[Operation[m.SystemOneResponse, None]] = Operation(
    method="POST", path="/v1/systemone", answer=m.SystemOneResponse, errors=e.ERRORS
)
LIST_MODELS: Final[Operation[m.ModelList, None]] = Operation(
    method="GET", path="/v1/models", answer=m.ModelList, errors=e.ERRORS
)
