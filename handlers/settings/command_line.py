"""Command-line options for the settings, and their table in the documentation."""

import argparse
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin

from pydantic import ByteSize
from pydantic.fields import FieldInfo
from typing_extensions import override

from handlers.settings.other_programs.argument import Argument, Setting
from handlers.settings.other_programs.reading import PROGRAMS, add_arguments, settings_of
from handlers.settings.settings import Settings
from handlers.settings.several_gpus import over_vllm
from handlers.settings.topics import topics
from handlers.shared_settings.reading import flag, read_section, variables, with_flags
from handlers.shared_settings.section import Section

_LIST: Final = "A,B"


class Option(NamedTuple):
    """A setting with all its names. flags: its own flag, then those of other programs."""

    name: str
    flags: tuple[str, ...]
    environment: tuple[str, ...]
    default: str
    help: str
    metavar: str | None  # None for a switch

    @property
    def own_flags(self) -> tuple[str, ...]:
        """Its own flag, and of a switch also the one that turns it off."""
        return (self.flags[0], flag(f"no_{self.name}"))[: 2 if self.metavar is None else 1]


@cache
def options(section: type[Section] = Settings) -> tuple[Option, ...]:
    """Return the settings of a section, in order of declaration."""
    others = _flags_of_others()
    return tuple(
        Option(
            name,
            tuple(dict.fromkeys((flag(name), *others.get(name, ())))),
            variables(field),
            _default(field),
            # Descriptions may have line breaks in the source.
            with_flags(" ".join((field.description or "").split()), section.model_fields),
            _metavar(field.annotation),
        )
        for name, field in section.model_fields.items()
    )


def _flags_of_others() -> dict[str, list[str]]:
    """Return the flags that other programs have for our settings, by name."""
    flags: dict[str, list[str]] = {}
    for argument in (each for table in PROGRAMS.values() for each in table):
        if isinstance(argument.effect, Setting):
            flags.setdefault(argument.effect.name, []).extend(argument.flags)
    return flags


def _metavar(annotation: Any) -> str | None:
    """Return the placeholder of a value in the help text: its choices, or its kind."""
    kinds = {bool: None, int: "N", int | None: "N", float: "X", float | None: "X", tuple[str, ...]: _LIST}
    kinds[ByteSize | None] = "SIZE"
    choices = get_args(annotation) if get_origin(annotation) is Literal else ()
    return "{" + ",".join(choices) + "}" if choices else kinds.get(annotation, "NAME")


def _default(field: FieldInfo) -> str:
    value = field.get_default()
    return ",".join(value) if isinstance(value, tuple) else "" if value is None else str(value).lower()


def add_options(
    parser: argparse._ActionsContainer,
    only: Collection[str] | None = None,
    section: type[Section] = Settings,
    *,
    is_brief: bool = False,
) -> None:
    """Add all settings, or those in `only`, as options; an option that is not set is not in the namespace.

    is_brief: whether the help leaves out the variables.
    """
    for option in options(section):
        if only is None or option.name in only:
            _add_option(parser, option, _help(option, is_brief))


class _Models(argparse.Action):
    """Stores one model, or several."""

    @override
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(values, list)
        name, value = ("model", values[0]) if len(values) == 1 else ("models", values)
        setattr(namespace, name, value)


def add_settings(
    parser: argparse.ArgumentParser, only: Collection[str] | None = None, *, takes_several: bool = False
) -> list[str]:
    """Add all settings, or those in `only`, in groups of their topics, with the model as an argument.

    takes_several: whether several models may be given.

    The names that other programs have for them are added too, but not to the help; with all settings, also
    those of their options that no setting stands for. Returns all flags.
    """
    for topic, names in topics().items():
        if chosen := [name for name in names if only is None or name in only]:
            add_options(parser.add_argument_group(topic), chosen)
    given: dict[str, Any] = {"nargs": "*", "action": _Models} if takes_several else {"nargs": "?"}
    parser.add_argument(
        "model", default=argparse.SUPPRESS, metavar="MODEL", help="the same as --model", **given
    )
    taken = {name for option in options() if only is None or option.name in only for name in option.own_flags}
    for table in PROGRAMS.values():
        wanted = [each for each in table if only is None or _setting(each) in only]
        add_arguments(parser, wanted, taken=taken)
        taken |= {name for each in wanted for name in each.flags}
    return sorted(taken)


def _setting(argument: Argument) -> str | None:
    return argument.effect.name if isinstance(argument.effect, Setting) else None


def _add_option(parser: argparse._ActionsContainer, option: Option, text: str) -> None:
    keywords: dict[str, Any] = {"dest": option.name, "default": argparse.SUPPRESS, "help": text}
    if option.metavar is None:
        keywords["action"] = argparse.BooleanOptionalAction
    else:
        keywords["metavar"] = option.metavar
        keywords["action"] = "append" if option.metavar == _LIST else "store"
    parser.add_argument(option.flags[0], **keywords)


def _help(option: Option, is_brief: bool) -> str:
    facts = [f"default: {option.default}"] if option.default else []
    if not is_brief:
        facts.append(f"env: {', '.join(option.environment)}")
    return (option.help + (f" [{'; '.join(facts)}]" if facts else "")).replace("%", "%%")


def read_settings(given: argparse.Namespace, section: type[Settings] = Settings) -> Settings:
    """Return the settings from the parsed options, the environment and the configuration file.

    Raises ValueError with one line for each invalid setting, by the name that it was given by.
    """
    values, flags = settings_of(vars(given))
    number = flags.get("tensor_parallel_size", "--tensor-parallel-size")
    return over_vllm(read_section(section, values, flags), vars(given), number)


def settings_table(section: type[Section] = Settings) -> str:
    """Return the settings of a section as a Markdown table."""
    rows = ["| option | environment | default | meaning |", "|---|---|---|---|"]
    for option in options(section):
        names = ", ".join(f"`{variable}`" for variable in option.environment)
        default = f"`{option.default}`" if option.default else ""
        rows.append(f"| `{option.flags[0]}` | {names} | {default} | {option.help} |")
    return "\n".join(rows)
