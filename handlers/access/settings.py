"""The settings of access control: keys, hosts, origins; and of the audit log."""

import os
from typing import Annotated, Literal, Self

from pydantic import field_validator, model_validator
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource
from typing_extensions import override

from handlers.shared_settings.kinds import LOWER, Names, env
from handlers.shared_settings.log_settings import LogSettings


class AccessSettings(LogSettings):
    """The settings of access control, of the log and of the audit log."""

    api_key: Annotated[str | None, env("VERBATIM_API_KEY", "API_KEY")] = None
    """API key that generating operations require, as a bearer token or as their contract defines."""

    api_keys_file: Annotated[str | None, env("VERBATIM_API_KEYS_FILE")] = None
    """TOML file with further keys and their limits (`verbatim keys new`); read again when it changes."""

    require_key: Annotated[Literal["operations", "all"], LOWER, env("VERBATIM_REQUIRE_KEY")] = "operations"
    """Where a key is required: operations as their documents say, or all except health probes."""

    audit_log: Annotated[str | None, env("VERBATIM_AUDIT_LOG")] = None
    """File for one JSON line per request, without prompts and answers; - is standard output."""

    cors_allow_origin: Annotated[Names, env("VERBATIM_CORS_ALLOW_ORIGIN", "CORS_ALLOW_ORIGIN")] = ()
    """Origins, comma-separated, whose pages may call the server; * allows all. None by default."""

    allowed_hosts: Annotated[Names, env("VERBATIM_ALLOWED_HOSTS")] = ()
    """Host names, comma-separated, that requests may use; by default any with a key or beyond loopback."""

    @property
    def asks_for_key(self) -> bool:
        """True if generating operations require a key."""
        return self.api_key is not None or self.api_keys_file is not None

    @field_validator("api_key")
    @classmethod
    def _can_be_sent(cls, key: str | None) -> str | None:
        if key is not None and not key.strip():
            raise ValueError("the key is blank; to run a server without a key, do not set it")
        if key is not None and key != key.strip():
            raise ValueError("the key begins or ends with blanks, which clients cannot send")
        return key

    @field_validator("api_keys_file")
    @classmethod
    def _names_a_file(cls, path: str | None) -> str | None:
        if path is not None and not path.strip():
            raise ValueError("the name is blank; to run a server without keys, do not set it")
        return path

    @override
    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the usual sources, but do not ignore a key that is set to an empty environment variable."""
        assert isinstance(env_settings, EnvSettingsSource)
        env_settings.env_vars = {**_blank_keys(), **env_settings.env_vars}
        return super().settings_customise_sources(
            settings_cls, init_settings, env_settings, dotenv_settings, file_secret_settings
        )

    @model_validator(mode="after")
    def _has_a_key_to_ask_for(self) -> Self:
        if self.require_key == "all" and not self.asks_for_key:
            raise ValueError("require_key is all, but neither api_key nor api_keys_file is set")
        return self


def _blank_keys() -> dict[str, str | None]:
    """Return the environment variables of keys that are set but empty, which are ignored by default."""
    names = ("VERBATIM_API_KEY", "API_KEY", "VERBATIM_API_KEYS_FILE")
    return {name.lower(): "" for name in names if os.environ.get(name) == ""}
