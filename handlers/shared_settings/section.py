"""A group of settings that are declared together."""

from pydantic_settings import BaseSettings, SettingsConfigDict


class Section(BaseSettings):
    """The base class of settings that stand next to what reads them.

    Each field has its variables by `env(...)`, and a docstring, which becomes its help.
    """

    model_config = SettingsConfigDict(
        populate_by_name=True,
        extra="ignore",
        frozen=True,
        use_attribute_docstrings=True,
        env_ignore_empty=True,
    )
