"""The settings that select the engine, and those of an engine on other servers."""

import shlex
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from engine.remote.shown_url import complaint_about
from handlers.shared_settings.kinds import LOWER, Count, Names, Seconds, env
from handlers.shared_settings.section import Section


class EngineServerSettings(Section):
    """The engine, and the servers that run it if it does not run in this process."""

    engine: Annotated[Literal["verbatim", "vllm", "sglang"], LOWER, env("VERBATIM_ENGINE")] = "verbatim"
    """Engine that computes tokens: verbatim, in this process or the servers at engine_url; vllm, sglang."""

    tensor_parallel_size: Annotated[Count, env("VERBATIM_TENSOR_PARALLEL_SIZE", "NUM_SHARD")] = 1
    """Number of GPUs over which one model is split; above 1, the server starts vLLM, which does it."""

    engine_url: Annotated[Names, env("VERBATIM_ENGINE_URL")] = ()
    """URLs of servers, comma-separated; requests are routed by load and cached prefixes."""

    engine_command: Annotated[str | None, env("VERBATIM_ENGINE_COMMAND")] = None
    """Command that starts the engine's server, which stops with this one; {port} becomes a free port."""

    engine_api_key: Annotated[str | None, env("VERBATIM_ENGINE_API_KEY")] = None
    """API key that the servers at engine_url require."""

    engine_timeout: Annotated[Seconds, env("VERBATIM_ENGINE_TIMEOUT")] = 120.0
    """Seconds without data from the server at engine_url, or ten times as many with comments but without
    tokens, after which a request fails. Verbatim sends a comment every 15 seconds while a request waits.
    """

    engine_start_timeout: Annotated[Seconds, env("VERBATIM_ENGINE_START_TIMEOUT")] = 600.0
    """Seconds to wait at start until one of the servers at engine_url is ready."""

    engine_priorities: Annotated[bool, env("VERBATIM_ENGINE_PRIORITIES")] = False
    """The vLLM servers run with --scheduling-policy priority, so requests may have a priority."""

    api_workers: Annotated[int, env("VERBATIM_API_WORKERS"), Field(ge=0)] = 0
    """Number of additional processes that serve HTTP; with 0, the engine's process serves it."""

    @property
    def is_over_servers(self) -> bool:
        """True if the engine runs on other servers instead of in this process."""
        is_named = self.engine != "verbatim" or bool(self.engine_url) or self.engine_command is not None
        return is_named or self.tensor_parallel_size > 1

    @field_validator("engine_url")
    @classmethod
    def _are_urls(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        for place, url in enumerate(urls, start=1):
            if complaint := complaint_about(url):  # the message omits the URL, which may contain a password
                raise ValueError(
                    f"number {place} is not a server URL such as http://127.0.0.1:8000: {complaint}"
                )
        return urls

    @field_validator("engine_command")
    @classmethod
    def _is_command(cls, command: str | None) -> str | None:
        try:
            if command is not None and not shlex.split(command):
                raise ValueError("it is empty")
        except ValueError as error:  # the message omits the command, which may contain a key
            raise ValueError(f"the command is invalid: {error}") from None
        return command

    @model_validator(mode="after")
    def _knows_its_engine(self) -> Self:
        if self.engine_priorities and self.engine != "vllm":
            raise ValueError("engine_priorities is only for engine vllm")
        if not self.is_over_servers:
            return self
        if self.api_workers:
            raise ValueError("api_workers is only for the local engine, not for other servers")
        if self.tensor_parallel_size > 1 and self.engine_command is None:
            if self.engine_url or self.engine == "sglang":
                raise ValueError("tensor_parallel_size starts vLLM, so it goes with no other engine")
            return self
        takes_port = "{port}" in (self.engine_command or "")
        if takes_port and self.engine_url:
            raise ValueError("engine_command with {port} cannot be combined with engine_url")
        if not takes_port and not self.engine_url:
            raise ValueError(f"engine {self.engine} needs an engine_url, or an engine_command with {{port}}")
        if self.engine_command is not None and len(self.engine_url) > 1:
            raise ValueError("engine_command starts one server, but engine_url has several")
        return self
