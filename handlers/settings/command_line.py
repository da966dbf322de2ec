"""Command-line options for the settings, and their table in the documentation."""

import argparse
from collections.abc import Collection, Iterator
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin

from pydantic.fields import FieldInfo

from handlers.settings.settings import Settings
from handlers.shared_settings.reading import flag, read_section, variables
from handlers.shared_settings.section import Section

_LIST: Final = "A,B"


class Option(NamedTuple):
    """A setting with all its names. flags: its own flag, then those of Text Generation Inference."""

    name: str
    flags: tuple[str, ...]
    environment: tuple[str, ...]
    default: str
    help: str
    metavar: str | None  # None for a switch


def options(section: type[Section] = Settings) -> Iterator[Option]:
    """Yield the settings of a section, in order of declaration."""
    for name, field in section.model_fields.items():
        environment = variables(field)
        yield Option(
            name,
            _flags(name, environment),
            environment,
            _default(field),
            " ".join((field.description or "").split()),  # descriptions may have line breaks in the source
            _metavar(field.annotation),
        )


def _flags(name: str, environment: tuple[str, ...]) -> tuple[str, ...]:
    foreign = (variable for variable in environment if not variable.startswith("VERBATIM_"))
    return tuple(dict.fromkeys(flag(key) for key in (name, *foreign)))


def _metavar(annotation: Any) -> str | None:
    """Return the placeholder of a value in the help text: its choices, or its kind."""
    kinds = {bool: None, int: "N", int | None: "N", float: "X", float | None: "X", tuple[str, ...]: _LIST}
    choices = get_args(annotation) if get_origin(annotation) is Literal else ()
    return "{" + ",".join(choices) + "}" if choices else kinds.get(annotation, "NAME")


def _default(field: FieldInfo) -> str:
    value = field.get_default()
    return ",".join(value) if isinstance(value, tuple) else "" if value is None else str(value).lower()


def add_options(
    parser: argparse._ActionsContainer,
    only: Collection[str] | None = None,
    section: type[Section] = Settings,
) -> None:
    """Add all settings, or those in `only`, as options; an option that is not set is not in the namespace."""
    for option in options(section):
        if only is None or option.name in only:
            _add_option(parser, option)


def _add_option(parser: argparse._ActionsContainer, option: Option) -> None:
    keywords: dict[str, Any] = {"dest": option.name, "default": argparse.SUPPRESS, "help": _help(option)}
    if option.metavar is None:
        keywords["action"] = argparse.BooleanOptionalAction
    else:
        keywords["metavar"] = option.metavar
        keywords["action"] = "append" if option.metavar == _LIST else "store"
    parser.add_argument(*option.flags, **keywords)


def add_model_argument(parser: argparse.ArgumentParser) -> None:
    """Add the model as a positional argument."""
    parser.add_argument(
        "model", nargs="?", default=argparse.SUPPRESS, metavar="MODEL", help="the same as --model"
    )


def _help(option: Option) -> str:
    default = f"default: {option.default}; " if option.default else ""
    return f"{option.help} [{default}env: {', '.join(option.environment)}]".replace("%", "%%")


def read_settings(given: argparse.Namespace) -> Settings:
    """Return the settings from the parsed options and the environment.

    Raises ValueError with one line for each invalid setting.
    """
    return read_section(Settings, vars(given))


def settings_table(section: type[Section] = Settings) -> str:
    """Return the settings of a section as a Markdown table."""
    rows = ["| option | environment | default | meaning |", "|---|---|---|---|"]
    for option in options(section):
        names = ", ".join(f"`{variable}`" for variable in option.environment)
        default = f"`{option.default}`" if option.default else ""
        rows.append(f"| `{option.flags[0]}` | {names} | {default} | {option.help} |")
    return "\n".join(rows)
