"""One argument of TGI's launcher: its names, the form of its value, and its effect here."""

from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from handlers.shared_settings.reading import flag


class Form(NamedTuple):
    """The form of a value. metavar: its placeholder in the help; None for a switch, which takes no value.
    type: what pydantic reads its text as.
    """

    metavar: str | None
    type: Any
    repeats: bool = False


def one_of(*names: str) -> Form:
    """Return the form of a value that is one of these names."""
    return Form("{" + ",".join(names) + "}", Literal[names])


SWITCH: Final = Form(None, bool)
TRUE_OR_FALSE: Final = Form("{true,false}", bool)
WHOLE: Final = Form("N", Annotated[int, Field(ge=0)])
COUNT: Final = Form("N", Annotated[int, Field(ge=1)])
PORT: Final = Form("N", Annotated[int, Field(ge=0, le=65535)])
DECIMAL: Final = Form("X", float)
TEXT: Final = Form("TEXT", str)
TEXTS: Final = Form("TEXT", str, repeats=True)


class Setting(NamedTuple):
    """The argument sets this setting of ours. remark: where the two differ."""

    name: str
    remark: str = ""


class NoEffect(NamedTuple):
    """The argument is accepted with a warning that gives the reason.

    same: values that ask for what happens anyway, and so need no warning; None for every value.
    """

    why: str
    same: tuple[object, ...] | None = ()


class Refused(NamedTuple):
    """The argument is refused with the reason, because ignoring it would change answers.

    same: values that ask for what happens anyway, and are accepted.
    """

    why: str
    same: tuple[object, ...] = ()


class Action(NamedTuple):
    """The argument makes the command print something. It has no variable."""

    what: str


Effect: TypeAlias = Setting | NoEffect | Refused | Action


class Argument(NamedTuple):
    """An argument of the launcher. short: its letter, as in `-p`."""

    name: str
    form: Form
    effect: Effect
    short: str | None = None

    @property
    def flag(self) -> str:
        """Its option, such as `--num-shard`."""
        return flag(self.name)

    @property
    def variable(self) -> str | None:
        """Its environment variable, such as `NUM_SHARD`."""
        return None if isinstance(self.effect, Action) else self.name.upper()

    def parse(self, value: str | bool) -> object:
        """Return the value of its text. Raises ValueError, with the reason in the form's terms."""
        try:
            return TypeAdapter[object](self.form.type).validate_python(value)
        except ValidationError as error:
            raise ValueError(error.errors()[0]["msg"]) from None
