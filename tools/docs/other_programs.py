"""The options of other programs as Markdown tables: the option here that each becomes, or its effect."""

from handlers.settings.command_line import options
from handlers.settings.other_programs.argument import Action, Argument, NoEffect, Refused, Setting
from handlers.settings.other_programs.reading import PROGRAMS, shown


def table_of(program: str, head: str) -> str:
    """Return the table of a program in PROGRAMS, as it stands in its page. head: that of the first column."""
    own = {option.name: option.flags[0] for option in options()}
    rows = [f"| {head} | here | remarks |", "|---|---|---|"]
    for argument in PROGRAMS[program]:
        here, remark = _cells(argument, own)
        rows.append(f"| {_names(argument)} | {here} | {remark} |")
    return "\n".join(rows)


def _names(argument: Argument) -> str:
    return ", ".join(f"`{name}`" for name in (*argument.flags, argument.variable) if name)


def _cells(argument: Argument, own: dict[str, str]) -> tuple[str, str]:
    match argument.effect:
        case Setting(name, remark, default):
            values = " or ".join(f"`{value}`" for value in default)
            remarks = [remark] if remark else []
            return f"`{own[name]}`", "; ".join(
                remarks + [f"{values} for the default"] if default else remarks
            )
        case NoEffect(why, same):
            if same is None:
                return "no effect", why
            return f"no effect, with a warning{_unless(argument, same)}", why
        case Refused(why, same):
            return f"refused{_unless(argument, same)}", why
        case Action(what):
            return "yes", what


def _unless(argument: Argument, same: tuple[object, ...]) -> str:
    if not same or (argument.form.metavar is None and not argument.form.has_no):
        return ""  # a switch that is off asks for nothing
    if argument.form.metavar is None:
        return " if it is off" if same == (True,) else " if it is on"
    values = (f"`{shown(value)}`" if value != "" else "empty" for value in same)
    return f" unless it is {' or '.join(values)}"
