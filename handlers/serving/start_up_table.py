"""The table that is printed when a server starts."""

from collections.abc import Sequence
from typing import Final

from engine.port.info.capabilities import Capabilities
from engine.port.info.model_info import ModelInfo
from engine.remote.shown_url import shown_url
from engine.remote.wire.verbatim import VerbatimApi
from handlers.access.hosts import is_loopback
from handlers.chat.summary import ChatSummary
from handlers.composition import MARKING_HEADERS, TABLES, YIELDS
from handlers.playground.page import PATH
from handlers.runtime.root_routes import Placement, marked_placements, placements
from handlers.serving.model_table import model_lines
from handlers.settings.own_engine import OwnEngineSettings
from handlers.settings.settings import Settings

_ALL: Final = Capabilities()


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
            *_warnings(settings, capabilities),
        )
    )


def _remote_engine(settings: Settings, info: ModelInfo, capabilities: Capabilities) -> list[str]:
    """Return the lines about a model that runs on other servers."""
    lines = [
        f"  model     {settings.model_name} ({info.architecture})",
        f"  engine    {settings.engine} at {', '.join(map(shown_url, settings.engine_url)) or 'a free port'}"
        + (", started by engine_command" if settings.engine_command else ""),
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


def _warnings(settings: Settings, capabilities: Capabilities) -> list[str]:
    lines = []
    if unused := _unused(settings, capabilities):
        lines.append(f"  warning   options without effect on engine {settings.engine}: {', '.join(unused)}")
    if not settings.asks_for_key and not is_loopback(settings.host):
        host = settings.host
        lines.append(f"  warning   no API key is required: anyone who reaches {host} may use the server")
    return lines


def _unused(settings: Settings, capabilities: Capabilities) -> list[str]:
    """Return the names of the set options that have no effect, since they are for the local engine."""
    if not settings.is_over_servers:
        return []
    without_effect = [*OwnEngineSettings.model_fields]
    if not capabilities.embeddings:
        without_effect.append("pooling")
    return [name for name in without_effect if name in settings.model_fields_set]


def _contracts(settings: Settings) -> list[str]:
    """Return a line for each contract: its prefix and its paths at the root."""
    at_root, _ = placements(TABLES, settings.root, YIELDS)
    marked = marked_placements(TABLES, settings.root, MARKING_HEADERS, YIELDS)
    lines = []
    for name in TABLES:
        line = f"  contract  {name} under /{name}"
        if paths := _paths(at_root, name):
            line += f", and at {paths}"
        if paths := _paths(marked, name):
            line += f"; with {MARKING_HEADERS[name]} also at {paths}"
        lines.append(line)
    return lines


def _paths(placed: Sequence[Placement], contract: str) -> str:
    return " ".join(dict.fromkeys(placement.path for placement in placed if placement.contract == contract))
