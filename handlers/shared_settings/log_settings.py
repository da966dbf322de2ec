"""The settings of the log."""

from typing import Annotated, Literal

from pydantic import field_validator

from handlers.shared_settings.kinds import LOWER, env
from handlers.shared_settings.section import Section


class LogSettings(Section):
    """The section of settings that say what is logged, and how."""

    log_level: Annotated[
        Literal["critical", "error", "warning", "info", "debug"], env("VERBATIM_LOG_LEVEL", "LOG_LEVEL")
    ] = "info"
    """Lowest severity of log messages to write; warn and trace mean warning and debug."""

    log_format: Annotated[Literal["text", "json"], LOWER, env("VERBATIM_LOG_FORMAT")] = "text"
    """Form of all lines of output and log; json writes an object in each line, all of the same shape."""

    json_output: Annotated[bool, env("VERBATIM_JSON_OUTPUT", "JSON_OUTPUT")] = False
    """TGI's name of `--log-format json`."""

    access_log: Annotated[bool, env("VERBATIM_ACCESS_LOG")] = True
    """Log a line for each request when it ends, without its text; probes and metrics only at level debug."""

    log_requests: Annotated[bool, env("VERBATIM_LOG_REQUESTS")] = False
    """Add the texts of requests and answers to these lines: whoever reads the log reads them."""

    @property
    def logs_json(self) -> bool:
        """True if each line of output and log is a JSON object."""
        return self.json_output or self.log_format == "json"

    @property
    def logs_ends(self) -> bool:
        """True if the end of each request is logged."""
        return self.access_log and self.log_level in ("info", "debug")

    @property
    def logs_texts(self) -> bool:
        """True if the texts of requests and answers are logged too."""
        return self.log_requests and self.logs_ends

    @field_validator("log_level", mode="before")
    @classmethod
    def _known_level(cls, value: object) -> object:
        return {"warn": "warning", "trace": "debug"}.get(str(value).lower(), value)
