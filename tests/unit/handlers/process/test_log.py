import io
import json
import logging
import sys

import pytest

from handlers.process.log import JsonFormatter, format_all_as_json, json_line
from handlers.process.standard_output import complain, print_as_json, say


def record(level: int, message: str, *values: object, exc_info: bool = False) -> logging.LogRecord:
    exception = sys.exc_info() if exc_info else None
    return logging.LogRecord("some.logger", level, "file.py", 1, message, values, exception)


def test_a_line_has_the_members_of_tgis() -> None:
    assert json.loads(json_line("one\ntwo", "WARNING", "verbatim", 1_700_000_000.25)) == {
        "timestamp": "2023-11-14T22:13:20.250000Z",
        "level": "WARN",
        "fields": {"message": "one\ntwo"},
        "target": "verbatim",
    }


def test_a_record_is_one_line_with_its_traceback() -> None:
    try:
        raise RuntimeError("why\nnot")
    except RuntimeError:
        text = JsonFormatter().format(record(logging.CRITICAL, "bad %s", "é\n", exc_info=True))
    assert "\n" not in text
    line = json.loads(text)
    assert (line["level"], line["target"], line["fields"]["message"]) == ("ERROR", "some.logger", "bad é\n")
    assert "RuntimeError: why" in line["fields"]["exception"]


def test_handlers_that_libraries_set_up_write_json_too() -> None:
    library, stream = logging.getLogger("tests.some_library"), io.StringIO()
    handler = logging.StreamHandler(stream)
    library.addHandler(handler)
    loggers = [logging.root, *map(logging.getLogger, logging.root.manager.loggerDict)]
    formatters = [(each, each.formatter) for logger in loggers for each in logger.handlers]
    try:
        format_all_as_json()
        library.error("broken")
    finally:
        library.removeHandler(handler)
        for each, formatter in formatters:
            each.setFormatter(formatter)
    assert json.loads(stream.getvalue())["fields"] == {"message": "broken"}


def test_what_is_printed_is_json_while_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    print_as_json(True)
    try:
        say("  one\n  two")
        complain("three")
    finally:
        print_as_json(False)
    say("  four")
    complain("five")
    shown = capsys.readouterr()
    first, second, third = shown.out.splitlines()
    assert [json.loads(line)["fields"]["message"] for line in (first, second)] == ["one", "two"]
    assert third == "  four"
    fault, plain = shown.err.splitlines()
    assert (json.loads(fault)["level"], json.loads(fault)["fields"]) == ("ERROR", {"message": "three"})
    assert plain == "verbatim: error: five"
