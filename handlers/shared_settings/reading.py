"""The reading of a section of settings, with complaints in the names that the user gave."""

import os
import re
from collections.abc import Container, Mapping
from typing import Any, Final, TypeVar

from pydantic import AliasChoices, ValidationError, create_model
from pydantic.fields import FieldInfo

from handlers.shared_settings.section import Section

SectionT = TypeVar("SectionT", bound=Section)

_FIELD: Final = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b")


def variables(field: FieldInfo) -> tuple[str, ...]:
    """Return the environment variables of a setting; the first that is set wins."""
    assert isinstance(field.validation_alias, AliasChoices), field
    return tuple(str(choice) for choice in field.validation_alias.choices)


def flag(name: str) -> str:
    """Return the command-line option for the name of a setting or of a variable."""
    return "--" + name.lower().replace("_", "-")


def with_flags(text: str, names: Container[str], flags: Mapping[str, str] | None = None) -> str:
    """Return a text in which these settings have their options' names. flags: other names of some."""
    known = flags or {}
    return _FIELD.sub(
        lambda found: known.get(found[0], flag(found[0])) if found[0] in names else found[0], text
    )


def read_section(
    section: type[SectionT], given: Mapping[str, Any], flags: Mapping[str, str] | None = None
) -> SectionT:
    """Return the section from the given values and, for what they lack, from the environment.

    flags: the options by which values were given, where they are not the settings' own. Raises ValueError
    with one line for each wrong setting.
    """
    known = {name: value for name, value in given.items() if name in section.model_fields}
    try:
        return section(**known)
    except ValidationError as error:
        names = {name: (flags or {}).get(name, flag(name)) for name in known}
        raise ValueError("\n".join(_complaint(section, detail, names) for detail in error.errors())) from None


def read_from_environment(section: type[Section], name: str) -> Any:
    """Return one setting's value, whatever is wrong with the others.

    The section's own validators are not asked. Raises ValueError for a value of another type.
    """
    field = section.model_fields[name]
    fields: dict[str, Any] = {name: (field.annotation, field)}
    return getattr(read_section(create_model(section.__name__, __base__=Section, **fields), {}), name)


def _complaint(section: type[Section], detail: Any, names: Mapping[str, str]) -> str:
    """Return `--port: Input should be ...`, or `PORT: ...` if the value came from the environment.

    names: the options that were given, by their settings.
    """
    message = with_flags(str(detail["msg"]).removeprefix("Value error, "), section.model_fields, names)
    return f"{_given_name(section, str(detail['loc'][0]), names)}: {message}" if detail["loc"] else message


def _given_name(section: type[Section], where: str, names: Mapping[str, str]) -> str:
    """Return the option, the variable or the key of the configuration file that the user set; pydantic names
    a field or its first variable.
    """
    fields = {name: variables(field) for name, field in section.model_fields.items()}
    name = next(name for name, choices in fields.items() if where in (name, *choices))
    if name in names:
        return names[name]
    variable = next((each for each in fields[name] if os.environ.get(each)), None)
    return variable or f"{flag(name).removeprefix('--')} in the configuration file"
