"""The settings of the store."""

from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import field_validator, model_validator

from handlers.shared_settings.kinds import Count, Duration, env
from handlers.shared_settings.section import Section

_DAY_S: Final = 86_400


class StoreSettings(Section):
    """The file of the store, and its bounds."""

    store: Annotated[Path | None, env("VERBATIM_STORE")] = None
    """SQLite file where responses are stored, which servers of one machine may share; memory by default."""

    no_store: Annotated[bool, env("VERBATIM_NO_STORE")] = False
    """Store nothing, and refuse what needs the store, such as `previous_response_id` and `background`."""

    store_megabytes: Annotated[Count, env("VERBATIM_STORE_MEGABYTES")] = 256
    """Maximum size of what is stored, in megabytes; beyond it, the least recently used goes."""

    store_records: Annotated[Count, env("VERBATIM_STORE_RECORDS")] = 100_000
    """Maximum number of stored records, such as responses; beyond it, the least recently used goes."""

    store_days: Annotated[Duration, env("VERBATIM_STORE_DAYS")] = 30.0
    """Days for which a record is kept after its last use."""

    store_file_megabytes: Annotated[Count, env("VERBATIM_STORE_FILE_MEGABYTES")] = 256
    """Maximum size of stored files and batches, in megabytes; beyond it, new ones are refused."""

    batch_lines: Annotated[Count, env("VERBATIM_BATCH_LINES")] = 16
    """Maximum number of lines of batches that are answered at once, when nothing else waits."""

    @property
    def max_store_file_bytes(self) -> int:
        return self.store_file_megabytes * 1_000_000

    @property
    def max_store_bytes(self) -> int:
        return self.store_megabytes * 1_000_000

    @property
    def max_store_age_s(self) -> float:
        return self.store_days * _DAY_S

    @field_validator("store")
    @classmethod
    def _is_in_a_folder(cls, path: Path | None) -> Path | None:
        if path is not None and not path.parent.is_dir():
            raise ValueError(f"there is no folder {path.parent}")
        return path

    @model_validator(mode="after")
    def _stores_or_does_not(self) -> Self:
        if self.no_store and self.store is not None:
            raise ValueError("no_store and store exclude each other")
        return self
