"""The reading of other programs' options from a command line and from the environment."""

import argparse
from collections.abc import Collection, Iterable, Mapping, Set
from typing import Any, Final

from handlers.settings.other_programs import llama_cpp, tgi, vllm
from handlers.settings.other_programs.argument import Action, Argument, NoEffect, Refused, Setting
from handlers.shared_settings.reading import flag

PROGRAMS: Final[Mapping[str, tuple[Argument, ...]]] = {
    "tgi": tgi.ARGUMENTS,
    "vllm": vllm.ARGUMENTS,
    "llama.cpp": llama_cpp.ARGUMENTS,
}
"""The tables, by program. Where several have an option of one name, the first one's effect holds."""

_BY_NAME: Final = {each.name: each for table in reversed([*PROGRAMS.values()]) for each in table}


def add_arguments(
    parser: "argparse._ActionsContainer",
    arguments: Iterable[Argument],
    meanings: Mapping[str, str] | None = None,
    taken: Set[str] = frozenset(),
) -> None:
    """Add these options; one that is not given stays out of the namespace.

    meanings: the help of each setting, by its name; None to leave the options out of the help.
    taken: flags that the parser has already.
    """
    for argument in arguments:
        # Letters come first in help texts.
        flags = sorted({*argument.flags} - taken, key=lambda name: (name.startswith("--"), name))
        if flags:
            parser.add_argument(*flags, **_keywords(argument, meanings))


def _keywords(argument: Argument, meanings: Mapping[str, str] | None) -> dict[str, Any]:
    form = argument.form
    keywords: dict[str, Any] = {
        "dest": argument.name,
        "default": argparse.SUPPRESS,
        "help": argparse.SUPPRESS if meanings is None else _help(argument, meanings).replace("%", "%%"),
    }
    if form.metavar is None:
        return keywords | {"action": argparse.BooleanOptionalAction if form.has_no else "store_true"}
    if form.is_optional:
        keywords |= {"nargs": "?", "const": ""}
    return keywords | {"metavar": form.metavar, "action": "append" if form.repeats else "store"}


def _help(argument: Argument, meanings: Mapping[str, str]) -> str:
    return _meaning(argument, meanings) + (f" [env: {argument.variable}]" if argument.variable else "")


def _meaning(argument: Argument, meanings: Mapping[str, str]) -> str:
    match argument.effect:
        case Setting(name):
            return meanings[name]
        case NoEffect(why):
            return f"no effect: {why}"
        case Refused(why, same):
            return f"only {' or '.join(map(shown, same))}: {why}" if same else f"refused: {why}"
        case Action(what):
            return what


def shown(value: object) -> str:
    """Return a value as it is written on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value) or "''"


def settings_of(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return our settings by their names, and the flag that each was given by.

    given: parsed options by name, ours and other programs'. Raises ValueError where two options give one
    setting different values.
    """
    values: dict[str, Any] = {}
    flags: dict[str, str] = {}
    for key, value in given.items():
        name = key
        if (argument := _BY_NAME.get(key)) is not None and isinstance(argument.effect, Setting):
            name = argument.effect.name
            if value in argument.effect.default:
                continue
        if values.setdefault(name, value) != value:
            raise ValueError(f"{flags[name]} and {flag(key)} are the same setting; give one of them")
        flags.setdefault(name, flag(key))
    return values, flags


def check_arguments(
    given: Mapping[str, Any], environment: Mapping[str, str], handed_on: Collection[str] = ()
) -> list[str]:
    """Return a warning for each argument that has no effect, be it an option or a variable.

    handed_on: names of arguments that another program gets. Raises ValueError with one line for each argument
    that is refused or has a wrong value.
    """
    warnings, refusals = [], []
    for argument in _BY_NAME.values():
        if argument.name in handed_on or (found := _find(argument, given, environment)) is None:
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
) -> tuple[str, Any] | None:
    """Return the option or variable that the user gave, and its value; an empty variable counts as absent."""
    if isinstance(argument.effect, Setting):
        return None
    if argument.name in given:
        value = given[argument.name]
        is_off = value is False and argument.form.has_no
        return flag(f"no_{argument.name}" if is_off else argument.name), value
    if argument.variable is not None and (text := environment.get(argument.variable)):
        return argument.variable, text
    return None


def as_options(argument: Argument, value: Any) -> list[str]:
    """Return an option with its value as words of a command line."""
    if isinstance(value, bool) or argument.form.metavar is None:
        return [argument.flag if value else flag(f"no_{argument.name}")]
    values = value if isinstance(value, list | tuple) else (value,)
    return [word for one in values for word in (argument.flag, shown(one))]
