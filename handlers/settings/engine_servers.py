"""The choice of an engine, and the settings of one on other servers."""

import shlex
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from engine.remote.shown_url import complaint_about
from handlers.shared_settings.kinds import LOWER, Names, Seconds, env
from handlers.shared_settings.section import Section


class EngineServerSettings(Section):
    """The engine, and where its servers are if it is not the one in this process."""

    engine: Annotated[Literal["verbatim", "vllm", "sglang"], LOWER, env("VERBATIM_ENGINE")] = "verbatim"
    """Engine that computes tokens: verbatim, in this process or the servers at engine_url; vllm, sglang."""

    engine_url: Annotated[Names, env("VERBATIM_ENGINE_URL")] = ()
    """URLs of servers, comma-separated; requests go to the least busy, and where their prefix is cached."""

    engine_command: Annotated[str | None, env("VERBATIM_ENGINE_COMMAND")] = None
    """Command that starts the server of the engine, which ends with this one; {port} becomes a free port."""

    engine_api_key: Annotated[str | None, env("VERBATIM_ENGINE_API_KEY")] = None
    """API key that the servers at engine_url ask for."""

    engine_timeout: Annotated[Seconds, env("VERBATIM_ENGINE_TIMEOUT")] = 120.0
    """Seconds of silence from the server at engine_url, or ten times as many of comments in place of
    tokens, after which a request fails. Verbatim sends a comment every 15 seconds while a request waits.
    """

    engine_start_timeout: Annotated[Seconds, env("VERBATIM_ENGINE_START_TIMEOUT")] = 600.0
    """Seconds to wait at start until one of the servers at engine_url is ready."""

    engine_priorities: Annotated[bool, env("VERBATIM_ENGINE_PRIORITIES")] = False
    """vLLM's servers were started with --scheduling-policy priority, so requests may have a priority."""

    api_workers: Annotated[int, env("VERBATIM_API_WORKERS"), Field(ge=0)] = 0
    """Processes that answer HTTP beside the engine's own; 0 answers in the engine's process."""

    @property
    def is_over_servers(self) -> bool:
        """True if other servers compute the tokens, and not this process."""
        return self.engine != "verbatim" or bool(self.engine_url) or self.engine_command is not None

    @field_validator("engine_url")
    @classmethod
    def _are_urls(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        for place, url in enumerate(urls, start=1):
            if complaint := complaint_about(url):  # without the URL, which may hold a password
                raise ValueError(
                    f"number {place} is no URL of a server, such as http://127.0.0.1:8000: {complaint}"
                )
        return urls

    @field_validator("engine_command")
    @classmethod
    def _is_command(cls, command: str | None) -> str | None:
        try:
            if command is not None and not shlex.split(command):
                raise ValueError("it is empty")
        except ValueError as error:  # without the command, which may hold a key
            raise ValueError(f"this is no command: {error}") from None
        return command

    @model_validator(mode="after")
    def _knows_its_engine(self) -> Self:
        if self.engine_priorities and self.engine != "vllm":
            raise ValueError("engine_priorities is of engine vllm: others say themselves how they schedule")
        if not self.is_over_servers:
            return self
        if self.api_workers:
            raise ValueError("api_workers are of the engine of this server, and other servers compute")
        takes_port = "{port}" in (self.engine_command or "")
        if takes_port and self.engine_url:
            raise ValueError("engine_command has a {port} of its own, so there must be no engine_url")
        if not takes_port and not self.engine_url:
            raise ValueError(
                f"engine is {self.engine}, which needs an engine_url, or an engine_command with {{port}}"
            )
        if self.engine_command is not None and len(self.engine_url) > 1:
            raise ValueError("engine_command starts one server, and engine_url names several")
        return self
