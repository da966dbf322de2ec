"""The adapters of the batch that runs, for the modules that compute its rows."""

from contextvars import ContextVar

# As `Batch.adapters`: None if no row has one.
current_adapters: ContextVar[tuple[str | None, ...] | None] = ContextVar("current_adapters", default=None)
