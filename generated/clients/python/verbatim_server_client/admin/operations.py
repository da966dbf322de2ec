# Generated from specs/admin: mend the document or its overlay, never this file.
"""Admin API 1.0.0: its operations, as the clients need to know them."""

from typing import Final

from .. import version
from ..runtime.operation import Operation
from ..runtime.settings import Contract
from . import errors as e
from . import models as m

CONTRACT: Final = Contract(path="/admin", agent=f"{version.NAME}/{version.VERSION} admin/1.0.0")

LIST_MODELS: Final[Operation[m.ModelList, None]] = Operation(
    method="GET", path="/models", answer=m.ModelList, errors=e.ERRORS
)
LOAD: Final[Operation[m.Done, None]] = Operation(method="POST", path="/load", answer=m.Done, errors=e.ERRORS)
UNLOAD: Final[Operation[m.Done, None]] = Operation(
    method="POST", path="/unload", answer=m.Done, errors=e.ERRORS
)
SLEEP: Final[Operation[m.Done, None]] = Operation(
    method="POST", path="/sleep", answer=m.Done, errors=e.ERRORS
)
WAKE_UP: Final[Operation[m.Done, None]] = Operation(
    method="POST", path="/wake_up", answer=m.Done, errors=e.ERRORS
)
WAKE: Final[Operation[m.Done, None]] = Operation(method="POST", path="/wake", answer=m.Done, errors=e.ERRORS)
IS_SLEEPING: Final[Operation[m.Sleep, None]] = Operation(
    method="GET", path="/is_sleeping", answer=m.Sleep, errors=e.ERRORS
)
