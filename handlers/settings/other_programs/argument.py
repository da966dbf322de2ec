"""One option of another program: its names, the form of its value, and its effect here."""

from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from handlers.shared_settings.reading import flag


class Form(NamedTuple):
    """The form of a value. metavar: its placeholder in the help; None for a switch, which takes no value.
    type: what pydantic reads its text as. repeats: whether the option may be given several times.
    has_no: whether the switch has a form that turns it off, such as `--no-mmap`. is_optional: whether the
    value may be left out.
    """

    metavar: str | None
    type: Any
    repeats: bool = False
    has_no: bool = False
    is_optional: bool = False


def one_of(*names: str) -> Form:
    """Return the form of a value that is one of these names."""
    return Form("{" + ",".join(names) + "}", Literal[names])


SWITCH: Final = Form(None, bool)
ON_OR_OFF: Final = Form(None, bool, has_no=True)
TRUE_OR_FALSE: Final = Form("{true,false}", bool)
WHOLE: Final = Form("N", Annotated[int, Field(ge=0)])
COUNT: Final = Form("N", Annotated[int, Field(ge=1)])
PORT: Final = Form("N", Annotated[int, Field(ge=0, le=65535)])
DECIMAL: Final = Form("X", float)
TEXT: Final = Form("TEXT", str)
TEXTS: Final = Form("TEXT", str, repeats=True)
MAYBE: Final = Form("TEXT", Any, is_optional=True)


class Setting(NamedTuple):
    """The option sets this setting of ours. remark: where the two differ.

    default: values that stand for the default, such as llama.cpp's `-c 0`.
    """

    name: str
    remark: str = ""
    default: tuple[str, ...] = ()


class NoEffect(NamedTuple):
    """The option is accepted with a warning that gives the reason.

    same: values that ask for what happens anyway, and so need no warning; None for every value.
    """

    why: str
    same: tuple[object, ...] | None = ()


class Refused(NamedTuple):
    """The option is refused, with the reason, because ignoring it would change answers, or with our name.

    same: values that ask for what happens anyway, and are accepted.
    """

    why: str
    same: tuple[object, ...] = ()


class Action(NamedTuple):
    """The option makes the command print something. It has no variable."""

    what: str


Effect: TypeAlias = Setting | NoEffect | Refused | Action


class Argument(NamedTuple):
    """An option. name: that of its flag, with underscores. also: its other flags, such as `-p`.

    has_variable: whether its variable, such as `NUM_SHARD`, is read too, as TGI's are.
    """

    name: str
    form: Form
    effect: Effect
    also: tuple[str, ...] = ()
    has_variable: bool = False

    @property
    def flag(self) -> str:
        """Its option, such as `--num-shard`."""
        return flag(self.name)

    @property
    def flags(self) -> tuple[str, ...]:
        """All its flags."""
        return self.flag, *self.also

    @property
    def variable(self) -> str | None:
        """Its environment variable, such as `NUM_SHARD`."""
        return self.name.upper() if self.has_variable and not isinstance(self.effect, Action) else None

    def parse(self, value: str | bool | None) -> object:
        """Return the value of its text. Raises ValueError, with the reason in the form's terms."""
        try:
            return TypeAdapter[object](self.form.type).validate_python(value)
        except ValidationError as error:
            raise ValueError(error.errors()[0]["msg"]) from None
