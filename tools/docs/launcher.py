"""The arguments of TGI's launcher as a Markdown table: the option here that each becomes, or its effect."""

from handlers.settings.command_line import options
from handlers.tgi.launcher.argument import Action, Argument, NoEffect, Refused, Setting
from handlers.tgi.launcher.arguments import ARGUMENTS
from handlers.tgi.launcher.reading import shown


def launcher_table() -> str:
    """Return the table, as it stands in docs/guides/tgi.md."""
    own = {option.name: option.flags[0] for option in options()}
    rows = ["| TGI | here | remarks |", "|---|---|---|"]
    for argument in ARGUMENTS:
        here, remark = _cells(argument, own)
        rows.append(f"| {_names(argument)} | {here} | {remark} |")
    return "\n".join(rows)


def _names(argument: Argument) -> str:
    names = (argument.flag, f"-{argument.short}" if argument.short else None, argument.variable)
    return ", ".join(f"`{name}`" for name in names if name)


def _cells(argument: Argument, own: dict[str, str]) -> tuple[str, str]:
    match argument.effect:
        case Setting(name, remark):
            return f"`{own[name]}`", remark
        case NoEffect(why, same):
            if same is None:
                return "always so", why
            return f"no effect, with a warning{_unless(argument, same)}", why
        case Refused(why, same):
            return f"refused{_unless(argument, same)}", why
        case Action(what):
            return "yes", what


def _unless(argument: Argument, same: tuple[object, ...]) -> str:
    if not same or argument.form.metavar is None:  # a switch that is off asks for nothing
        return ""
    values = (f"`{shown(value)}`" if value != "" else "empty" for value in same)
    return f" unless it is {' or '.join(values)}"
