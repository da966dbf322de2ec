# Generated from specs/pets: mend the document or its overlay, never this file.
"""Pets 2.1: its operations, as the clients need to know them."""

from typing import Final

from .. import version
from ..runtime.operation import Operation
from ..runtime.settings import Contract
from . import errors as e
from . import models as m

CONTRACT: Final = Contract(path="", agent=f"{version.NAME}/{version.VERSION} pets/2.1")

GET_PET: Final[Operation[m.Pet, None]] = Operation(
    method="GET", path="/pets/{petId}", answer=m.Pet, errors=e.ERRORS
)
DELETE_PET: Final[Operation[None, None]] = Operation(method="DELETE", path="/pets/{petId}", errors=e.ERRORS)
LIST_PETS: Final[Operation[list[m.Pet], None]] = Operation(
    method="GET", path="/pets", answer=list[m.Pet], errors=e.ERRORS
)
ADD_PET: Final[Operation[m.Pet, m.Pet]] = Operation(
    method="POST",
    path="/pets",
    answer=m.Pet,
    event=m.Event,
    error_events=(m.Error,),
    terminator="[DONE]",
    errors=e.ERRORS,
)
HEAR_PETS: Final[Operation[None, m.Sound]] = Operation(
    method="GET", path="/pets/sounds", event=m.Sound, errors=e.ERRORS
)
WALK_PET: Final[Operation[m.Pet, m.Stride]] = Operation(
    method="POST",
    path="/pets/walks",
    answer=m.Pet,
    event=m.Step,
    event_media_type="application/x-ndjson",
    error_events=(m.Error,),
    errors=e.ERRORS,
)
COUNT_PETS: Final[Operation[str, None]] = Operation(
    method="POST", path="/pets/count", is_text=True, errors=e.ERRORS
)
SHOW_PETS: Final[Operation[bytes, None]] = Operation(
    method="GET", path="/pets/portraits", is_file=True, errors=e.ERRORS
)
DESCRIBE_PET: Final[Operation[m.Pet | str, None]] = Operation(
    method="POST",
    path="/pets/portraits",
    answer=m.Pet,
    may_be_text=True,
    files=frozenset(["picture"]),
    wire_names={"tags": "tags[]"},
    errors=e.ERRORS,
)
GET_FILE: Final[Operation[str, None]] = Operation(
    method="GET", path="/files/{name:path}", is_text=True, errors=e.ERRORS
)
METRICS: Final[Operation[str, None]] = Operation(method="GET", path="/metrics", is_text=True, errors=e.ERRORS)
