"""The reading of the launcher's arguments from a command line and from the environment."""

import argparse
from collections.abc import Iterable, Mapping
from typing import Any

from handlers.tgi.launcher.argument import Action, Argument, NoEffect, Refused, Setting
from handlers.tgi.launcher.arguments import ARGUMENTS, WITHOUT_SETTING


def add_arguments(
    parser: "argparse._ActionsContainer", arguments: Iterable[Argument], meanings: Mapping[str, str]
) -> None:
    """Add these arguments as options; one that is not given stays out of the namespace.

    meanings: the help of each setting, by its name.
    """
    for argument in arguments:
        names = (argument.flag,) if argument.short is None else (f"-{argument.short}", argument.flag)
        keywords: dict[str, Any] = {
            "dest": argument.name,
            "default": argparse.SUPPRESS,
            "help": _help(argument, meanings).replace("%", "%%"),
        }
        if argument.form.metavar is None:
            keywords["action"] = "store_true"
        else:
            keywords["metavar"] = argument.form.metavar
            keywords["action"] = "append" if argument.form.repeats else "store"
        parser.add_argument(*names, **keywords)


def add_letters(parser: "argparse._ActionsContainer") -> None:
    """Add the letters of the arguments that settings stand for, such as `-p`, for these settings."""
    for argument in ARGUMENTS:
        if argument.short is not None and isinstance(argument.effect, Setting):
            parser.add_argument(
                f"-{argument.short}",
                dest=argument.effect.name,
                default=argparse.SUPPRESS,
                metavar=argument.form.metavar,
                help=f"the same as {argument.flag}",
            )


def _help(argument: Argument, meanings: Mapping[str, str]) -> str:
    return _meaning(argument, meanings) + (f" [env: {argument.variable}]" if argument.variable else "")


def _meaning(argument: Argument, meanings: Mapping[str, str]) -> str:
    match argument.effect:
        case Setting(name):
            return meanings[name]
        case NoEffect(why):
            return f"no effect: {why}"
        case Refused(why, same):
            return f"only {' or '.join(map(shown, same))}: {why}"
        case Action(what):
            return what


def shown(value: object) -> str:
    """Return a value as it is written on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value) or "''"


def settings_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return our settings, by their names, that the given arguments stand for.

    Raises ValueError where two arguments give one setting different values.
    """
    values: dict[str, Any] = {}
    sources: dict[str, Argument] = {}
    for argument in ARGUMENTS:
        if not isinstance(argument.effect, Setting) or argument.name not in given:
            continue
        name, value = argument.effect.name, given[argument.name]
        if values.setdefault(name, value) != value:
            raise ValueError(
                f"{sources[name].flag} and {argument.flag} name the same limit; give one of them"
            )
        sources.setdefault(name, argument)
    return values


def check_arguments(given: Mapping[str, Any], environment: Mapping[str, str]) -> list[str]:
    """Return a warning for each argument that has no effect, be it an option or a variable.

    Raises ValueError with one line for each argument that is refused or has a wrong value.
    """
    warnings, refusals = [], []
    for argument in WITHOUT_SETTING:
        if (found := _find(argument, given, environment)) is None:
            continue
        name, text = found
        try:
            value = argument.parse(text)
        except ValueError as error:
            refusals.append(f"{name}: {error}")
            continue
        match argument.effect:
            case NoEffect(why, same) if same is not None and value not in same:
                warnings.append(f"{name} has no effect: {why}")
            case Refused(why, same) if value not in same:
                refusals.append(f"{name} {shown(value)} is refused: {why}")
            case _:
                pass
    if refusals:
        raise ValueError("\n".join(refusals))
    return warnings


def _find(
    argument: Argument, given: Mapping[str, Any], environment: Mapping[str, str]
) -> tuple[str, str | bool] | None:
    """Return the option or variable that the user gave, and its value; an empty variable counts as absent."""
    if argument.name in given:
        return argument.flag, given[argument.name]
    if argument.variable is not None and (text := environment.get(argument.variable)):
        return argument.variable, text
    return None
