"""The reading of a section of settings, with complaints in the names that the user gave."""

import os
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import AliasChoices, ValidationError, create_model
from pydantic.fields import FieldInfo

from handlers.shared_settings.section import Section

SectionT = TypeVar("SectionT", bound=Section)


def variables(field: FieldInfo) -> tuple[str, ...]:
    """Return the environment variables of a setting; the first that is set wins."""
    assert isinstance(field.validation_alias, AliasChoices), field
    return tuple(str(choice) for choice in field.validation_alias.choices)


def flag(name: str) -> str:
    """Return the command-line option for the name of a setting or of a variable."""
    return "--" + name.lower().replace("_", "-")


def read_section(section: type[SectionT], given: Mapping[str, Any]) -> SectionT:
    """Return the section from the given values and, for what they lack, from the environment.

    Raises ValueError with one line for each wrong setting.
    """
    try:
        return section(**{name: value for name, value in given.items() if name in section.model_fields})
    except ValidationError as error:
        raise ValueError("\n".join(_complaint(section, detail) for detail in error.errors())) from None


def read_from_environment(section: type[Section], name: str) -> Any:
    """Return one setting's value, whatever is wrong with the others.

    The section's own validators are not asked. Raises ValueError for a value of another type.
    """
    field = section.model_fields[name]
    fields: dict[str, Any] = {name: (field.annotation, field)}
    return getattr(read_section(create_model(section.__name__, __base__=Section, **fields), {}), name)


def _complaint(section: type[Section], detail: Any) -> str:
    """Return `--port: Input should be ...`, or `PORT: ...` if the value came from the environment."""
    message = str(detail["msg"]).removeprefix("Value error, ")
    return f"{_given_name(section, str(detail['loc'][0]))}: {message}" if detail["loc"] else message


def _given_name(section: type[Section], where: str) -> str:
    """Return the option or the variable that the user set; pydantic names a field's first
    variable for all.
    """
    if where in section.model_fields:
        return flag(where)
    names = next((names for names in map(variables, section.model_fields.values()) if where in names), ())
    return next((name for name in names if os.environ.get(name)), where)
