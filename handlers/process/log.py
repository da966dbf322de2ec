"""The log of the process, as text or as JSON in the form of Text Generation Inference's `--json-output`."""

import json
import logging
from datetime import UTC, datetime
from typing import Final

from typing_extensions import override

_LEVELS: Final = {
    "WARNING": "WARN",
    "CRITICAL": "ERROR",
}  # TGI has five levels: TRACE, DEBUG, INFO, WARN, ERROR


def set_up_log(level: str, json_output: bool) -> None:
    """Set up logging. At level info, uvicorn's messages about its start, which ours replace, are hidden, and
    torch's about its end.
    """
    logging.basicConfig(level=level.upper(), format="%(levelname)s %(name)s: %(message)s")
    if json_output:
        logging.captureWarnings(True)
        format_all_as_json()
    if level == "info":
        for library in ("uvicorn", "torch"):
            logging.getLogger(library).setLevel(logging.WARNING)


def json_line(message: str, level: str, target: str, time_s: float, exception: str | None = None) -> str:
    """Return a log record as one line of JSON. level: Python's name of the level. time_s: Unix time."""
    time = datetime.fromtimestamp(time_s, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    fields = {"message": message} | ({} if exception is None else {"exception": exception})
    line = {"timestamp": time, "level": _LEVELS.get(level, level), "fields": fields, "target": target}
    return json.dumps(line, ensure_ascii=False)


class JsonFormatter(logging.Formatter):
    """A log formatter that writes each record as one line of JSON, with the traceback in a field."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        exception = self.formatException(record.exc_info) if record.exc_info else None
        return json_line(record.getMessage(), record.levelname, record.name, record.created, exception)


def format_all_as_json() -> None:
    """Set the JSON formatter on every log handler, including those that libraries have added."""
    loggers = [logging.root, *logging.root.manager.loggerDict.values()]
    for logger in loggers:
        for handler in getattr(logger, "handlers", ()):  # a logging.PlaceHolder has none
            handler.setFormatter(JsonFormatter())
