"""The help of `verbatim serve`: the common options, or those of one topic."""

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from typing_extensions import override

from handlers.process.standard_output import say
from handlers.settings.command_line import add_options, options
from handlers.settings.other_programs.reading import PROGRAMS, add_arguments
from handlers.settings.topics import COMMON, topics

_ALL: Final = "all"
_WIDE: Final = 34  # columns for the names of options


class TopicHelp(argparse.Action):
    """Prints the help of a topic and exits."""

    @override
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        shown = _parser(parser, values if values in _topics() else None)
        say(shown.format_help().rstrip())
        parser.exit()


def add_topic_help(parser: argparse.ArgumentParser) -> None:
    """Add `-h` and `--help`, which take a topic, to a parser without them."""
    parser.add_argument(
        "-h",
        "--help",
        action=TopicHelp,
        nargs="?",
        default=argparse.SUPPRESS,
        metavar="TOPIC",
        help=f"print the common options, or those of a topic: {', '.join(_topics())}",
    )


def _topics() -> tuple[str, ...]:
    return *topics(), *PROGRAMS, _ALL


def _parser(parser: argparse.ArgumentParser, topic: object) -> argparse.ArgumentParser:
    """Return a parser whose help is that of a topic; None for the common options."""
    shown = argparse.ArgumentParser(
        prog=parser.prog,
        usage=parser.usage,
        description=parser.description,
        add_help=False,
        formatter_class=partial(argparse.HelpFormatter, max_help_position=_WIDE),
    )
    if topic is None:
        add_options(shown.add_argument_group("common options"), COMMON, is_brief=True)
        shown.epilog = (
            f"--help TOPIC lists more options, with TOPIC one of {', '.join(topics())} or {_ALL}. The "
            "options of other programs are taken too: --help tgi, vllm or llama.cpp. Each --NAME is also a "
            "variable VERBATIM_NAME and a key of the --config file."
        )
    for name, settings in topics().items():
        if topic in (name, _ALL):
            add_options(shown.add_argument_group(name), settings)
    taken = {name for option in options() for name in option.own_flags} if topic == _ALL else set()
    meanings = {option.name: f"the same as {option.flags[0]}" for option in options()}
    for name, table in PROGRAMS.items():
        if topic in (name, _ALL):
            add_arguments(shown.add_argument_group(f"options of {name}"), table, meanings, taken)
            taken |= {each for argument in table for each in argument.flags}
    return shown
