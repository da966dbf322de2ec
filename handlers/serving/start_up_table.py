"""The table that is printed when a server starts."""

from textwrap import wrap
from typing import Final

from engine.port.info.capabilities import Capabilities
from engine.port.info.model_info import ModelInfo
from engine.remote.shown_url import shown_url
from engine.remote.wire.verbatim import VerbatimApi
from handlers.access.hosts import is_loopback
from handlers.chat.summary import ChatSummary
from handlers.composition import TABLES
from handlers.root_paths.playground.page import PATH
from handlers.serving.model_table import model_lines
from handlers.settings.settings import Settings

_ALL: Final = Capabilities()
_COLUMNS: Final = 80
_INDENT: Final = " " * 12


def start_up_table(
    settings: Settings,
    info: ModelInfo,
    capabilities: Capabilities = _ALL,
    chat: ChatSummary | None = None,
) -> str:
    """Return the table for the operator.

    chat: summary of the chat template; None without one.
    """
    return "\n".join(
        (
            *(
                (*model_lines(settings.model_name, info, chat), *_api_workers(settings.api_workers))
                if not settings.is_over_servers
                else _remote_engine(settings, info, capabilities)
            ),
            *_contracts(settings),
            "  pages     " + (f"/, /docs, {PATH}" if settings.playground else "/docs"),
            *_warnings(settings),
        )
    )


def _remote_engine(settings: Settings, info: ModelInfo, capabilities: Capabilities) -> list[str]:
    """Return the lines about a model that runs on other servers."""
    lines = [
        f"  model     {settings.model_name} ({info.architecture})",
        f"  engine    {settings.engine} at {', '.join(map(shown_url, settings.engine_url)) or 'a free port'}"
        + (", started by this server" if settings.engine_command else ""),
        f"  context   {info.max_total_tokens:,} tokens for one request",
    ]
    return lines + [f"  refused   {', '.join(capabilities.missing)}"] if capabilities.missing else lines


def _api_workers(num_workers: int) -> list[str]:
    """Return the lines about the processes of a server with API workers; none without them."""
    if not num_workers:
        return []
    return [
        f"  processes {num_workers} for HTTP, and one for the engine",
        f"  refused   {', '.join(VerbatimApi.capabilities.missing)}",
    ]


def _warnings(settings: Settings) -> list[str]:
    if settings.asks_for_key or is_loopback(settings.host):
        return []
    return [f"  warning   no API key is required: anyone who reaches {settings.host} may use the server"]


def _contracts(settings: Settings) -> list[str]:
    """Return the lines about where contracts are served, for terminals of 80 columns."""
    at_root = [name for name in settings.root if name in TABLES]
    texts = [
        f"{', '.join(at_root)} at /" if at_root else "none at /",
        f"{', '.join(TABLES)}, each under its name, as /{next(iter(TABLES))}",
        "`verbatim contracts` lists the paths",
    ]
    wrapped = [line for text in texts for line in wrap(text, _COLUMNS - len(_INDENT))]
    return [f"  contracts {wrapped[0]}", *(_INDENT + line for line in wrapped[1:])]
