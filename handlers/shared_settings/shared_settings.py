"""The settings that no single contract owns: their names, defaults, bounds and meaning."""

import json
import os
import re
import shlex
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource
from typing_extensions import override

from engine.config import MAX_DRAFT_TOKENS, MAX_UNREAD_BYTES, QUANTIZATIONS
from engine.native.instructions import NATIVE, isa_names
from handlers.chat.tool_calls.formats.registry import TOOL_FORMAT_NAMES, tool_format_named
from handlers.shared_settings.kinds import Count, Limit, Names, Seconds, env
from handlers.shared_settings.section import Section

EMBEDDED_MODEL = "verbatim-demo"
# Of `ngram` without a number. A sequence whose drafts come true half of the time drafts one or two.
_NUM_DRAFT_TOKENS = 8


class SharedSettings(Section):
    """The section of the settings of one server process that several contracts, or none, depend on."""

    model: Annotated[str | None, env("VERBATIM_MODEL", "MODEL_ID")] = None
    """Local directory or Hugging Face hub id of the model; defaults to the embedded demo model."""

    served_model_name: Annotated[str | None, env("VERBATIM_SERVED_MODEL_NAME")] = None
    """Model name in answers and model lists; defaults to `model`."""

    model_alias: Annotated[Names, env("VERBATIM_MODEL_ALIAS")] = ("tgi", "dummy")
    """Further names, comma-separated, that requests may use for the model where their contract checks it."""

    revision: Annotated[str | None, env("VERBATIM_REVISION", "REVISION")] = None
    """Branch, tag or commit of a hub model."""

    engine: Annotated[Literal["verbatim", "vllm", "sglang"], env("VERBATIM_ENGINE")] = "verbatim"
    """Engine that computes tokens: verbatim, in this process; vllm or sglang, the servers at engine_url."""

    engine_url: Annotated[Names, env("VERBATIM_ENGINE_URL")] = ()
    """URLs of servers, comma-separated; requests go to the least busy, and where their prefix is cached."""

    engine_command: Annotated[str | None, env("VERBATIM_ENGINE_COMMAND")] = None
    """Command that starts the server of the engine, which ends with this one; {port} becomes a free port."""

    engine_api_key: Annotated[str | None, env("VERBATIM_ENGINE_API_KEY")] = None
    """API key that the servers at engine_url ask for."""

    engine_timeout: Annotated[Seconds, env("VERBATIM_ENGINE_TIMEOUT")] = 120.0
    """Seconds without a token from the server at engine_url after which a request fails."""

    engine_start_timeout: Annotated[Seconds, env("VERBATIM_ENGINE_START_TIMEOUT")] = 600.0
    """Seconds to wait at start until the servers at engine_url are ready."""

    dtype: Annotated[Literal["auto", "float32", "float16", "bfloat16"], env("VERBATIM_DTYPE", "DTYPE")] = (
        "auto"
    )
    """Data type of the weights and the arithmetic; auto chooses by model and device."""

    device: Annotated[str, env("VERBATIM_DEVICE"), Field(pattern=r"^(auto|cpu|cuda(:\d+)?)$")] = "auto"
    """Device that runs the model: auto (a GPU if there is one), cpu, cuda or cuda:N."""

    quantize: Annotated[str | None, env("VERBATIM_QUANTIZE", "QUANTIZE")] = None
    """Quantization of linear layers: int8, on a CPU only; by default the weights stay as they are."""

    isa: Annotated[str, env("VERBATIM_ISA")] = NATIVE
    """Newest CPU instructions to use: sse4_2, avx2, avx512, avx512_vnni, avx512_bf16, amx or native."""

    require_native: Annotated[bool, env("VERBATIM_REQUIRE_NATIVE")] = False
    """Start only if compiled code is found or built, and all that processor and model allow is in use."""

    kernel_cache: Annotated[str | None, env("VERBATIM_KERNEL_CACHE")] = None
    """Folder of compiled code from `verbatim build-kernels`; defaults to verbatim in the user's cache."""

    num_threads: Annotated[Limit, env("VERBATIM_NUM_THREADS")] = None
    """Threads that compute the model; defaults to the cores that the process may use."""

    huggingface_hub_cache: Annotated[
        str | None, env("VERBATIM_HUGGINGFACE_HUB_CACHE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE")
    ] = None
    """Folder that holds models of the Hugging Face hub; by default its library chooses one."""

    trust_remote_code: Annotated[bool, env("VERBATIM_TRUST_REMOTE_CODE", "TRUST_REMOTE_CODE")] = False
    """Run modelling code from the model's repository, without a sandbox."""

    tool_call_parser: Annotated[str | None, env("VERBATIM_TOOL_CALL_PARSER")] = None
    """Format of tool calls, under vLLM's name; detected from chat template and vocabulary by default."""

    pooling: Annotated[Literal["auto", "mean", "last"], env("VERBATIM_POOLING")] = "auto"
    """Pooling of embeddings; auto follows the model's directory, or else takes the mean."""

    chat_template: Annotated[str | None, env("VERBATIM_CHAT_TEMPLATE", "TOKENIZER_CONFIG_PATH")] = None
    """Jinja chat template, a file with one, or a tokenizer_config.json, instead of the model's own."""

    trust_special_tokens: Annotated[bool, env("VERBATIM_TRUST_SPECIAL_TOKENS")] = False
    """Obey control tokens such as <|im_end|> in messages and tools, instead of treating them as text."""

    host: Annotated[str, env("VERBATIM_HOST", "HOSTNAME")] = "127.0.0.1"
    """Address to listen on; 0.0.0.0 for every interface. HOSTNAME counts only if it is an IP address."""

    port: Annotated[int, env("VERBATIM_PORT", "PORT"), Field(ge=0, le=65535)] = 8080
    """TCP port to listen on; 0 takes a free one."""

    ssl_certfile: Annotated[str | None, env("VERBATIM_SSL_CERTFILE")] = None
    """PEM file with the certificate and its chain; if set, the server speaks HTTPS."""

    ssl_keyfile: Annotated[str | None, env("VERBATIM_SSL_KEYFILE")] = None
    """File with the private key of the certificate; defaults to ssl_certfile."""

    ssl_keyfile_password: Annotated[str | None, env("VERBATIM_SSL_KEYFILE_PASSWORD")] = None
    """Password of the private key."""

    ssl_ca_certs: Annotated[str | None, env("VERBATIM_SSL_CA_CERTS")] = None
    """File with CA certificates; if set, clients must present a certificate that one of them has signed."""

    root: Annotated[Names, env("VERBATIM_ROOT")] = ("openai", "tgi", "triton", "aleph_alpha", "anthropic")
    """Contracts that are also served at /, comma-separated; the first to claim a path gets it."""

    api_key: Annotated[str | None, env("VERBATIM_API_KEY", "API_KEY")] = None
    """API key that generating operations require, as a bearer token or as their contract defines."""

    api_keys_file: Annotated[str | None, env("VERBATIM_API_KEYS_FILE")] = None
    """TOML file with further keys and their limits (`verbatim keys new`); read again when it changes."""

    require_key: Annotated[Literal["operations", "all"], env("VERBATIM_REQUIRE_KEY")] = "operations"
    """Where a key is required: operations as their documents say, or all except health probes."""

    audit_log: Annotated[str | None, env("VERBATIM_AUDIT_LOG")] = None
    """File for one JSON line per request, without prompts and answers; - is standard output."""

    cors_allow_origin: Annotated[Names, env("VERBATIM_CORS_ALLOW_ORIGIN", "CORS_ALLOW_ORIGIN")] = ()
    """Origins, comma-separated, whose pages may call the server; * allows all. None by default."""

    allowed_hosts: Annotated[Names, env("VERBATIM_ALLOWED_HOSTS")] = ()
    """Host names, comma-separated, that requests may use; by default any with a key or beyond loopback."""

    payload_limit: Annotated[Count, env("VERBATIM_PAYLOAD_LIMIT", "PAYLOAD_LIMIT")] = 2_000_000
    """Largest request body in bytes."""

    max_url_bytes: Annotated[Count, env("VERBATIM_MAX_URL_BYTES")] = 16_384
    """Longest URL in bytes; a longer one is refused with 414."""

    max_header_bytes: Annotated[Count, env("VERBATIM_MAX_HEADER_BYTES")] = 65_536
    """Total size of a request's headers in bytes; larger ones are refused with 431."""

    max_headers: Annotated[Count, env("VERBATIM_MAX_HEADERS")] = 100
    """Number of headers per request; more are refused with 431."""

    header_timeout: Annotated[Seconds, env("VERBATIM_HEADER_TIMEOUT")] = 10.0
    """Seconds from the start of a connection or request until the headers must be complete."""

    body_timeout: Annotated[Seconds, env("VERBATIM_BODY_TIMEOUT")] = 10.0
    """Seconds over which the rate of a request body is measured; a slower body is refused with 408."""

    min_body_rate: Annotated[int, env("VERBATIM_MIN_BODY_RATE"), Field(ge=0)] = 1024
    """Lowest rate of a request body in bytes per second; 0 for any rate."""

    keep_alive_timeout: Annotated[Seconds, env("VERBATIM_KEEP_ALIVE_TIMEOUT")] = 75.0
    """Seconds that an idle connection is kept open; longer than clients wait before they reuse one."""

    client_timeout: Annotated[Seconds, env("VERBATIM_CLIENT_TIMEOUT")] = 30.0
    """Seconds after which a client that does not read its answer is disconnected."""

    max_connections: Annotated[Limit, env("VERBATIM_MAX_CONNECTIONS")] = None
    """Most open connections; the longest idle one gives way. Defaults to what file descriptors allow."""

    max_concurrent_requests: Annotated[
        Count, env("VERBATIM_MAX_CONCURRENT_REQUESTS", "MAX_CONCURRENT_REQUESTS")
    ] = 128
    """Sequences that may run or wait at once; more are refused as overloaded."""

    max_request_share: Annotated[float, env("VERBATIM_MAX_REQUEST_SHARE"), Field(gt=0, le=1)] = 0.25
    """Share of them that one request may hold; its other sequences wait. Bounds the width of beam search."""

    max_unread_bytes: Annotated[Count, env("VERBATIM_MAX_UNREAD_BYTES")] = MAX_UNREAD_BYTES
    """Unread output in bytes after which a slow client is cut off; 8 times as much for all clients."""

    max_input_tokens: Annotated[
        Limit, env("VERBATIM_MAX_INPUT_TOKENS", "MAX_INPUT_TOKENS", "MAX_INPUT_LENGTH")
    ] = None
    """Longest prompt in tokens (TGI's and MindIE's contracts); defaults to max_total_tokens - 1."""

    max_total_tokens: Annotated[Limit, env("VERBATIM_MAX_TOTAL_TOKENS", "MAX_TOTAL_TOKENS")] = None
    """Longest prompt plus output in tokens; defaults to what the model and the cache allow."""

    max_batch_prefill_tokens: Annotated[
        Limit, env("VERBATIM_MAX_BATCH_PREFILL_TOKENS", "MAX_BATCH_PREFILL_TOKENS")
    ] = None
    """Most tokens that one step computes; by default chosen by device."""

    max_batch_total_tokens: Annotated[
        Limit, env("VERBATIM_MAX_BATCH_TOTAL_TOKENS", "MAX_BATCH_TOTAL_TOKENS")
    ] = None
    """Size of the KV cache in tokens; by default chosen from the free memory."""

    max_batch_size: Annotated[Limit, env("VERBATIM_MAX_BATCH_SIZE", "MAX_BATCH_SIZE")] = None
    """Most sequences that one step computes; by default chosen by device."""

    prefix_caching: Annotated[bool, env("VERBATIM_PREFIX_CACHING", "PREFIX_CACHING")] = True
    """Reuse KV blocks of earlier prompts for prompts that begin alike."""

    speculate: Annotated[int, env("VERBATIM_SPECULATE", "SPECULATE"), Field(ge=0, le=MAX_DRAFT_TOKENS)] = 0
    """Speculation without a draft model: `ngram`, `ngram:N`, or N, the most tokens of a draft; 0 for none."""

    validation_workers: Annotated[Count, env("VERBATIM_VALIDATION_WORKERS", "VALIDATION_WORKERS")] = 2
    """Threads that tokenize long prompts."""

    disable_grammar_support: Annotated[
        bool, env("VERBATIM_DISABLE_GRAMMAR_SUPPORT", "DISABLE_GRAMMAR_SUPPORT")
    ] = False
    """Refuse grammars and response formats; tool calls still follow their schemas."""

    check_responses: Annotated[Literal["off", "log", "fail"], env("VERBATIM_CHECK_RESPONSES")] = "off"
    """Check each answer against its document before it is sent: log faults, or answer 500 instead."""

    playground: Annotated[bool, env("VERBATIM_PLAYGROUND")] = True
    """Serve /playground, a page to try every operation by hand."""

    graceful_termination_timeout: Annotated[
        int, env("VERBATIM_GRACEFUL_TERMINATION_TIMEOUT", "GRACEFUL_TERMINATION_TIMEOUT"), Field(ge=0)
    ] = 90
    """Seconds that running requests have to finish after SIGTERM or SIGINT."""

    log_level: Annotated[
        Literal["critical", "error", "warning", "info", "debug"], env("VERBATIM_LOG_LEVEL", "LOG_LEVEL")
    ] = "info"
    """Lowest severity of log messages to write; warn and trace are taken for warning and debug."""

    json_output: Annotated[bool, env("VERBATIM_JSON_OUTPUT", "JSON_OUTPUT")] = False
    """Write each line of output and log as a JSON object, as TGI does."""

    @property
    def asks_for_key(self) -> bool:
        """True if generating operations require a key."""
        return self.api_key is not None or self.api_keys_file is not None

    @property
    def model_name(self) -> str:
        """The server's name of its model."""
        return self.served_model_name or self.model or EMBEDDED_MODEL

    @property
    def max_sequences_a_request(self) -> int:
        """The number of a request's sequences that may run or wait at once."""
        return max(1, int(self.max_concurrent_requests * self.max_request_share))

    @field_validator(
        "engine",
        "log_level",
        "require_key",
        "dtype",
        "pooling",
        "quantize",
        "isa",
        "check_responses",
        mode="before",
    )
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator("log_level", mode="before")
    @classmethod
    def _known_level(cls, value: object) -> object:
        return {"warn": "warning", "trace": "debug"}.get(str(value).lower(), value)

    @field_validator("api_key")
    @classmethod
    def _can_be_sent(cls, key: str | None) -> str | None:
        if key is not None and not key.strip():
            raise ValueError("a blank key would leave the server open; leave the setting out for that")
        if key is not None and key != key.strip():
            raise ValueError("no client can send a key with blanks around it")
        return key

    @field_validator("api_keys_file")
    @classmethod
    def _names_a_file(cls, path: str | None) -> str | None:
        if path is not None and not path.strip():
            raise ValueError("a blank name would leave the server open; leave the setting out for that")
        return path

    @field_validator("quantize")
    @classmethod
    def _is_quantization(cls, name: str | None) -> str | None:
        if name not in QUANTIZATIONS:
            raise ValueError(f"{name!r} is not supported; the one that is: int8, on a CPU")
        return name

    @field_validator("speculate", mode="before")
    @classmethod
    def _read_speculation(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        if (match := re.fullmatch(r"ngram|(?:ngram:)?(\d+)", value.strip().lower())) is None:
            raise ValueError(f"{value!r} is not supported; ngram, ngram:N and N are")
        return match[1] or _NUM_DRAFT_TOKENS

    @field_validator("isa")
    @classmethod
    def _is_isa(cls, name: str) -> str:
        if name not in isa_names():
            raise ValueError(f"{name!r} is none of {', '.join(isa_names())}")
        return name

    @field_validator("engine_url")
    @classmethod
    def _are_urls(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        for url in urls:
            parts = urlsplit(url)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
                raise ValueError(f"{url!r} is no URL of a server, such as http://127.0.0.1:8000")
        return urls

    @field_validator("engine_command")
    @classmethod
    def _is_command(cls, command: str | None) -> str | None:
        try:
            if command is not None and not shlex.split(command):
                raise ValueError("it is empty")
        except ValueError as error:
            raise ValueError(f"{command!r} is no command: {error}") from None
        return command

    @model_validator(mode="after")
    def _knows_its_engine(self) -> Self:
        if self.engine == "verbatim":
            if self.engine_url or self.engine_command is not None:
                name = "engine_url" if self.engine_url else "engine_command"
                raise ValueError(f"{name} is of servers of another engine, and engine is verbatim")
            return self
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

    @field_validator("tool_call_parser")
    @classmethod
    def _is_tool_format(cls, name: str | None) -> str | None:
        if name is not None and tool_format_named(name) is None:
            raise ValueError(f"{name!r} is none of {', '.join(TOOL_FORMAT_NAMES)}")
        return name

    @field_validator("num_threads")
    @classmethod
    def _has_processors(cls, number: int | None) -> int | None:
        if number is not None and number > (present := os.cpu_count() or 1):
            raise ValueError(f"{number} threads would wait for one another: there are {present} processors")
        return number

    @field_validator("check_responses")
    @classmethod
    def _has_a_judge(cls, value: str) -> str:
        if value != "off" and find_spec("jsonschema_rs") is None:
            raise ValueError(
                "jsonschema-rs is not installed; pip install 'verbatim-server[check]' installs it"
            )
        return value

    @model_validator(mode="after")
    def _has_a_certificate(self) -> Self:
        if self.ssl_certfile is None and (self.ssl_keyfile or self.ssl_ca_certs or self.ssl_keyfile_password):
            raise ValueError("ssl_keyfile, ssl_keyfile_password and ssl_ca_certs need an ssl_certfile")
        return self

    @field_validator("chat_template")
    @classmethod
    def _read_template(cls, value: str | None) -> str | None:
        if value is None or "{" in value:
            return value
        try:
            text = Path(value).read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise ValueError(f"no chat template can be read from {value}: {error}") from error
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
        """Return the sources: options, then the environment, without a HOSTNAME that is no address."""
        assert isinstance(env_settings, EnvSettingsSource)
        env_settings.env_vars = {**_blank_keys(), **env_settings.env_vars}
        if not _is_address(env_settings.env_vars.get("hostname") or ""):
            env_settings.env_vars = {k: v for k, v in env_settings.env_vars.items() if k != "hostname"}
        return init_settings, env_settings

    @model_validator(mode="after")
    def _has_a_key_to_ask_for(self) -> Self:
        if self.require_key == "all" and not self.asks_for_key:
            raise ValueError("require_key is all, and there is neither api_key nor api_keys_file")
        return self

    @model_validator(mode="after")
    def _prompt_leaves_room(self) -> Self:
        if self.max_input_tokens and self.max_total_tokens and self.max_input_tokens >= self.max_total_tokens:
            raise ValueError("max_input_tokens must be less than max_total_tokens")
        return self


def _blank_keys() -> dict[str, str | None]:
    """Return the variables of a key that are set and empty, which would otherwise count as absent."""
    names = ("VERBATIM_API_KEY", "API_KEY", "VERBATIM_API_KEYS_FILE")
    return {name.lower(): "" for name in names if os.environ.get(name) == ""}


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
