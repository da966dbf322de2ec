"""The table about a server that is printed when it starts."""

from collections.abc import Sequence
from typing import Final

from engine.capabilities import Capabilities
from engine.kernels import Kernel, by_obstacle, in_use, not_in_use
from engine.model_info import ModelInfo
from handlers.access.hosts import is_loopback
from handlers.app import MARKING_HEADERS, TABLES
from handlers.playground.page import PATH
from handlers.runtime.root_routes import Placement, marked_placements, placements
from handlers.settings.own_engine import OwnEngineSettings
from handlers.settings.settings import Settings

_ALL: Final = Capabilities()


def start_up_table(settings: Settings, info: ModelInfo, capabilities: Capabilities = _ALL) -> str:
    """Return the lines about the server for the person who starts it."""
    return "\n".join(
        (
            *(
                _own_engine(settings, info)
                if settings.engine == "verbatim"
                else _remote_engine(settings, info, capabilities)
            ),
            *_contracts(settings),
            "  pages     /docs" + (f", {PATH}" if settings.playground else ""),
            *_warnings(settings, capabilities),
        )
    )


def _own_engine(settings: Settings, info: ModelInfo) -> list[str]:
    """Return the lines about a model that this process computes."""
    num_cached = info.num_blocks * info.block_size
    millions = info.num_parameters / 1e6
    return [
        f"  model     {settings.model_name} ({info.architecture}, {millions:,.1f}M parameters)",
        f"  device    {', '.join(filter(None, (info.device, info.instructions, info.dtype)))}",
        f"  cache     {num_cached:,} tokens ({info.kv_cache_bytes / 2**20:,.0f} MiB), "
        f"at most {info.max_total_tokens:,} for one request",
        *_speculation(info.max_draft_tokens),
        *_kernels(info.kernels),
    ]


def _remote_engine(settings: Settings, info: ModelInfo, capabilities: Capabilities) -> list[str]:
    """Return the lines about a model that other servers compute."""
    lines = [
        f"  model     {settings.model_name} ({info.architecture})",
        f"  engine    {settings.engine} at {', '.join(settings.engine_url) or 'a free port'}"
        + (", started by engine_command" if settings.engine_command else ""),
        f"  context   {info.max_total_tokens:,} tokens for one request",
    ]
    return lines + [f"  refused   {', '.join(capabilities.missing)}"] if capabilities.missing else lines


def _speculation(max_draft_tokens: int) -> list[str]:
    """Return a line if drafts are verified, else none."""
    if not max_draft_tokens:
        return []
    return [f"  drafts    up to {max_draft_tokens} tokens a step, from a sequence's own text (ngram)"]


def _kernels(kernels: tuple[Kernel, ...]) -> list[str]:
    """Return one line if all compiled code serves the model; else what does, and a line for each obstacle."""
    obstacles = by_obstacle(kernels)
    if not obstacles:
        return [f"  native    all of it: {in_use(kernels)}"] if kernels else []
    return [
        f"  native    {in_use(kernels) or 'none; torch computes everything'}",
        *(f"            without {not_in_use(group)}: {why.reason}" for why, group in obstacles.items()),
    ]


def _warnings(settings: Settings, capabilities: Capabilities) -> list[str]:
    lines = []
    if unused := _unused(settings, capabilities):
        lines.append(f"  warning   without effect on engine {settings.engine}: {', '.join(unused)}")
    if not settings.asks_for_key and not is_loopback(settings.host):
        lines.append(f"  warning   no key is asked for: whoever reaches {settings.host} may use the server")
    return lines


def _unused(settings: Settings, capabilities: Capabilities) -> list[str]:
    """Return the names of given settings that have no effect, since another engine computes."""
    if settings.engine == "verbatim":
        return []
    without_effect = [*OwnEngineSettings.model_fields]
    if not capabilities.embeddings:
        without_effect.append("pooling")
    return [name for name in without_effect if name in settings.model_fields_set]


def _contracts(settings: Settings) -> list[str]:
    """Return a line for each contract: its prefix, and its operations at the root."""
    at_root, _ = placements(TABLES, settings.root)
    marked = marked_placements(TABLES, settings.root, MARKING_HEADERS)
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
