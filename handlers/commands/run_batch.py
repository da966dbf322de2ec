"""The command `verbatim run-batch`."""

import argparse
import asyncio
from pathlib import Path
from typing import Any, Final

from engine.port.errors import EngineError
from handlers.commands.command_parser import CommandParser
from handlers.commands.ending import fail
from handlers.engine_starter import check_own_engine
from handlers.process.exit_status import ExitStatus
from handlers.process.fitness import UnfitProcess, check_process
from handlers.process.standard_output import say
from handlers.settings.command_line import add_settings, read_settings
from handlers.settings.settings import Settings

# What concerns a server alone; the environment may set it for one.
_QUIET: Final[dict[str, Any]] = {
    "api_key": None,
    "api_keys_file": None,
    "access_log": False,
    "no_store": True,
    "store": None,
}


def add(commands: "argparse._SubParsersAction[CommandParser]") -> None:
    """Add the command to the subparsers."""
    run_batch = commands.add_parser(
        "run-batch",
        help="answer the requests in a file, without a server",
        usage="%(prog)s INPUT [MODEL] -o OUTPUT [options]",
        description="Answer the requests in a file as OpenAI's Batch API does, one a line, without a server. "
        "Answers are added to the output as they come. If the command is run again, lines that the output "
        "has are not asked again. The exit status is 0 if all lines have an answer, which may be an error.",
    )
    run_batch.add_argument(
        "input",
        type=Path,
        metavar="INPUT",
        help='lines such as {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {}}',
    )
    run_batch.add_argument(
        "-o", "--output", type=Path, required=True, metavar="OUTPUT", help="the file that gets the answers"
    )
    run_batch.flags = add_settings(run_batch)
    run_batch.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    try:
        settings = read_settings(argparse.Namespace(**{**vars(options), **_QUIET}))
        if settings.is_supervised:
            raise ValueError("the lines are answered by one model")
    except ValueError as error:
        return fail(error, ExitStatus.USAGE)
    try:
        check_process()
        if not settings.is_over_servers:
            check_own_engine()
        return _answer(settings, options.input, options.output)
    except (EngineError, UnfitProcess, OSError) as error:
        return fail(error, ExitStatus.FAILED)


def _answer(settings: Settings, source: Path, target: Path) -> int:
    # Imported here, since these imports take seconds and a wrong option should fail at once.
    from handlers.llm.batch_file import BatchFile, InvalidBatchFile

    try:
        file = BatchFile.opened(source, target, settings.payload_limit)
    except (InvalidBatchFile, FileNotFoundError) as error:
        return fail(error, ExitStatus.USAGE)
    num_failed = asyncio.run(file.answer(settings))
    say(f"{file.num_lines} lines are answered in {target}; of those answered now, {num_failed} with an error")
    return ExitStatus.STOPPED
