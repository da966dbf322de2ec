"""The command `verbatim build-kernels`."""

import argparse

from engine.native.instructions import isa_names
from engine.port.errors import EngineError
from handlers.commands.command_parser import CommandParser
from handlers.commands.ending import fail
from handlers.engine_starter import check_own_engine
from handlers.process.exit_status import ExitStatus
from handlers.process.standard_output import say


def add(commands: "argparse._SubParsersAction[CommandParser]") -> None:
    """Add the command to the subparsers."""
    command = commands.add_parser(
        "build-kernels",
        help="compile code for processors ahead of time",
        description="Compile the code that `verbatim serve` would otherwise compile when it first starts, "
        "for example for an image without a compiler. The server finds it through --kernel-cache or "
        "VERBATIM_KERNEL_CACHE.",
    )
    command.add_argument(
        "--isa",
        metavar="A,B",
        help=f"instruction sets to compile for, or all: {', '.join(isa_names()[1:])}. Each set becomes a "
        "separate library, and a server loads the best one that its processor supports; defaults to this "
        "processor's set",
    )
    command.add_argument(
        "--march",
        metavar="NAME",
        help="the compiler's -march, on architectures other than x86; native by default",
    )
    command.add_argument(
        "--output", metavar="DIR", help="folder to write to; defaults to the one that a server searches"
    )
    command.set_defaults(run=_build)


def _build(options: argparse.Namespace) -> int:
    try:
        check_own_engine()
    except EngineError as error:
        return fail(error, ExitStatus.FAILED)
    from engine.native.build_kernels import build_kernels
    from engine.native.compiler import CannotCompile

    try:
        for path in build_kernels(options.isa, options.march, options.output):
            say(str(path))
    except ValueError as error:
        return fail(error, ExitStatus.USAGE)
    except (CannotCompile, OSError, RuntimeError) as error:
        return fail(" ".join(str(error).split()), ExitStatus.FAILED)
    return 0
