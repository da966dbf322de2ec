"""The settings that are not specific to a contract: names, defaults, limits and descriptions."""

import json
import re
from difflib import get_close_matches
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
)
from typing_extensions import override

from engine.config import MAX_UNREAD_BYTES
from engine.extras import how_to_install
from engine.whole_file import read_whole
from handlers.chat.tool_calls.formats.registry import TOOL_FORMAT_NAMES, tool_format_named
from handlers.shared_settings.config_file import read_config
from handlers.shared_settings.kinds import LOWER, Count, Limit, Names, env
from handlers.shared_settings.section import Section

# Kubernetes gives every container variables of each service of its namespace. Those of one called `verbatim`,
# such as VERBATIM_SERVICE_HOST and VERBATIM_PORT=tcp://10.0.0.1:80, look like settings.
_SERVICE_NAME: Final = re.compile(
    r"\w+_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)", re.IGNORECASE
)
_SERVICE_ADDRESS: Final = re.compile(r"(tcp|udp|sctp)://", re.IGNORECASE)


def is_of_a_service(name: str) -> bool:
    """Return whether a variable of this name can only be of a service."""
    return _SERVICE_NAME.fullmatch(name) is not None


def is_service_address(value: str) -> bool:
    """Return whether a value is the address of a service, such as tcp://10.0.0.1:80."""
    return _SERVICE_ADDRESS.match(value) is not None


EMBEDDED_MODEL = "verbatim-demo"
EMBEDDED_VISION_MODEL = "verbatim-demo-vision"

_MAX_TEMPLATE_BYTES = 50_000_000  # a tokenizer_config.json may list all special tokens
_PORTS = ("verbatim_port", "port")


class SharedSettings(Section):
    """The section of settings that several contracts, or none, depend on."""

    config: Annotated[str | None, env("VERBATIM_CONFIG")] = None
    """TOML file with options by their names, such as max-total-tokens = 4096, unless they are given
    otherwise."""

    model: Annotated[str | None, env("VERBATIM_MODEL", "MODEL_ID")] = None
    """Local directory or Hugging Face hub id of the model, or the name of an embedded one: verbatim-demo,
    which is the default, or verbatim-demo-vision."""

    served_model_name: Annotated[str | None, env("VERBATIM_SERVED_MODEL_NAME")] = None
    """Model name in answers and model lists; defaults to `model`."""

    model_alias: Annotated[Names, env("VERBATIM_MODEL_ALIAS")] = ("tgi", "dummy")
    """Further model names, comma-separated, for requests; listed as models, except these two defaults."""

    revision: Annotated[str | None, env("VERBATIM_REVISION", "REVISION")] = None
    """Branch, tag or commit of a hub model."""

    huggingface_hub_cache: Annotated[
        str | None, env("VERBATIM_HUGGINGFACE_HUB_CACHE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE")
    ] = None
    """Cache folder for models of the Hugging Face hub; defaults to that of huggingface_hub."""

    trust_remote_code: Annotated[bool, env("VERBATIM_TRUST_REMOTE_CODE", "TRUST_REMOTE_CODE")] = False
    """Run modelling code from the model's repository, without a sandbox."""

    tool_call_parser: Annotated[str | None, env("VERBATIM_TOOL_CALL_PARSER")] = None
    """Format of tool calls, by vLLM's name; by default detected from the chat template and vocabulary."""

    pooling: Annotated[Literal["auto", "mean", "last"], LOWER, env("VERBATIM_POOLING")] = "auto"
    """Pooling of embeddings; auto reads it from the model's directory, and defaults to the mean."""

    chat_template: Annotated[str | None, env("VERBATIM_CHAT_TEMPLATE", "TOKENIZER_CONFIG_PATH")] = None
    """Jinja chat template, a file with one, or a tokenizer_config.json, instead of the model's own."""

    trust_special_tokens: Annotated[bool, env("VERBATIM_TRUST_SPECIAL_TOKENS")] = False
    """Encode control tokens such as <|im_end|> in messages and tools as such, instead of as text."""

    host: Annotated[str, env("VERBATIM_HOST", "HOSTNAME")] = "127.0.0.1"
    """Address to listen on; 0.0.0.0 for every interface. HOSTNAME is ignored unless it is an IP address."""

    port: Annotated[int, env("VERBATIM_PORT", "PORT"), Field(ge=0, le=65535)] = 8080
    """TCP port to listen on; 0 selects a free port."""

    root: Annotated[Names, env("VERBATIM_ROOT")] = (
        "openai",
        "tgi",
        "triton",
        "aleph_alpha",
        "anthropic",
        "tokens",
        "systemone",
    )
    """Contracts that are also served at /, comma-separated; the first contract with a path gets it."""

    max_concurrent_requests: Annotated[
        Count, env("VERBATIM_MAX_CONCURRENT_REQUESTS", "MAX_CONCURRENT_REQUESTS")
    ] = 128
    """Maximum sequences that run or wait; further requests are refused as overloaded."""

    max_request_share: Annotated[float, env("VERBATIM_MAX_REQUEST_SHARE"), Field(gt=0, le=1)] = 0.25
    """Maximum share of max_concurrent_requests for one request; its other sequences wait. Limits beam
    width."""

    max_unread_bytes: Annotated[Count, env("VERBATIM_MAX_UNREAD_BYTES")] = MAX_UNREAD_BYTES
    """Bytes of unread output after which a slow client is disconnected; 8 times as much for all clients."""

    stream_keep_alive: Annotated[float, env("VERBATIM_STREAM_KEEP_ALIVE"), Field(ge=0)] = 5.0
    """Seconds of silence after which a stream sends its status, then comments; 0 for never."""

    max_input_tokens: Annotated[
        Limit, env("VERBATIM_MAX_INPUT_TOKENS", "MAX_INPUT_TOKENS", "MAX_INPUT_LENGTH")
    ] = None
    """Maximum tokens of a prompt (TGI's and MindIE's contracts); defaults to max_total_tokens - 1."""

    max_total_tokens: Annotated[Limit, env("VERBATIM_MAX_TOTAL_TOKENS", "MAX_TOTAL_TOKENS")] = None
    """Maximum tokens of prompt and output together; defaults to what the model and the cache allow."""

    clamp_max_tokens: Annotated[bool, env("VERBATIM_CLAMP_MAX_TOKENS")] = False
    """Shorten an answer whose max_tokens exceeds what the context leaves, instead of refusing the request."""

    validation_workers: Annotated[Count, env("VERBATIM_VALIDATION_WORKERS", "VALIDATION_WORKERS")] = 2
    """Threads that tokenize long prompts."""

    decisions_permutations: Annotated[int, env("VERBATIM_DECISIONS_PERMUTATIONS"), Field(ge=1, le=255)] = 1
    """Orders of the choices of a decision whose probabilities are averaged; each costs a prompt."""

    disable_grammar_support: Annotated[
        bool, env("VERBATIM_DISABLE_GRAMMAR_SUPPORT", "DISABLE_GRAMMAR_SUPPORT")
    ] = False
    """Refuse grammars and response formats; tool calls still follow their schemas."""

    unknown_fields: Annotated[Literal["refuse", "ignore"], LOWER, env("VERBATIM_UNKNOWN_FIELDS")] = "refuse"
    """What becomes of a field that a contract does not have, outside of messages and the like, where it is
    ignored; ignore lists it in the header X-Ignored-Fields of the answer."""

    check_responses: Annotated[Literal["off", "log", "fail"], LOWER, env("VERBATIM_CHECK_RESPONSES")] = "off"
    """Check each answer against its OpenAPI document: log differences, or answer 500 instead."""

    playground: Annotated[bool, env("VERBATIM_PLAYGROUND")] = True
    """Serve /playground, a web page to try every operation, and a chat at / for browsers."""

    graceful_termination_timeout: Annotated[
        int, env("VERBATIM_GRACEFUL_TERMINATION_TIMEOUT", "GRACEFUL_TERMINATION_TIMEOUT"), Field(ge=0)
    ] = 90
    """Seconds that running requests have to finish after SIGTERM, SIGINT or SIGHUP."""

    @property
    def model_name(self) -> str:
        """The server's name of its model."""
        return self.served_model_name or self.model or EMBEDDED_MODEL

    @property
    def max_sequences_a_request(self) -> int:
        """The number of a request's sequences that may run or wait at once."""
        return max(1, int(self.max_concurrent_requests * self.max_request_share))

    @field_validator("model", "served_model_name")
    @classmethod
    def _is_named(cls, name: str | None) -> str | None:
        if name is not None and not name.strip():
            raise ValueError("a blank name is none; leave the setting out for the default")
        return name

    @field_validator("model")
    @classmethod
    def _is_no_mistyped_embedded_model(cls, name: str | None) -> str | None:
        embedded = (EMBEDDED_MODEL, EMBEDDED_VISION_MODEL)
        close = get_close_matches(name or "", embedded, n=1, cutoff=0.8)
        if name is not None and close and name not in embedded and not Path(name).exists():
            raise ValueError(f"there is no {name!r}; did you mean the embedded model {close[0]}?")
        return name

    @field_validator("tool_call_parser")
    @classmethod
    def _is_tool_format(cls, name: str | None) -> str | None:
        if name is not None and tool_format_named(name) is None:
            raise ValueError(f"{name!r} is none of {', '.join(TOOL_FORMAT_NAMES)}")
        return name

    @field_validator("check_responses")
    @classmethod
    def _has_a_judge(cls, value: str) -> str:
        if value != "off" and find_spec("jsonschema_rs") is None:
            raise ValueError(f"jsonschema-rs is not installed; {how_to_install('check')} installs it")
        return value

    @field_validator("chat_template")
    @classmethod
    def _read_template(cls, value: str | None) -> str | None:
        if value is None or "{" in value:
            return value
        try:
            text = read_whole(value, _MAX_TEMPLATE_BYTES).decode()
        except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a name with a NUL
            reason = error.strerror if isinstance(error, OSError) else error
            raise ValueError(f"no chat template can be read from {value}: {reason}") from error
        return _template_in(text)

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
        """Return the sources: options, then the environment, without a HOSTNAME that is no address, and
        without ports that are addresses of services of Kubernetes, then the configuration file.
        """
        assert isinstance(env_settings, EnvSettingsSource)
        foreign = {name for name in _PORTS if is_service_address(env_settings.env_vars.get(name) or "")}
        if not _is_address(env_settings.env_vars.get("hostname") or ""):
            foreign.add("hostname")
        env_settings.env_vars = {k: v for k, v in env_settings.env_vars.items() if k not in foreign}
        path = init_settings().get("VERBATIM_CONFIG") or env_settings.env_vars.get("verbatim_config")
        values = read_config(path, settings_cls) if path else {}
        return init_settings, env_settings, InitSettingsSource(settings_cls, values)

    @model_validator(mode="after")
    def _prompt_leaves_room(self) -> Self:
        if self.max_input_tokens and self.max_total_tokens and self.max_input_tokens >= self.max_total_tokens:
            raise ValueError("max_input_tokens must be less than max_total_tokens")
        return self


def _template_in(text: str) -> str | None:
    """Return the template in a file's text, which is Jinja or a tokenizer's configuration; None if the latter
    has none.
    """
    try:
        config = json.loads(text)
    except ValueError:
        return text  # Jinja, which is no JSON
    template = config.get("chat_template") if isinstance(config, dict) else text
    if isinstance(template, list):  # several, by name
        named = {each.get("name"): each.get("template") for each in template if isinstance(each, dict)}
        template = named.get("default")
    return template if isinstance(template, str) else None


def _is_address(value: str) -> bool:
    try:
        ip_address(value)
    except ValueError:
        return False
    return True
