"""Warnings about settings that have no effect or show what users write, for the start of a server."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Final

from handlers.settings.own_engine import OwnEngineSettings
from handlers.settings.settings import Settings
from handlers.shared_settings.reading import flag, variables
from handlers.shared_settings.shared_settings import is_of_a_service, is_service_address

_PREFIX: Final = "VERBATIM_"
# It also says whether the tokens of prompts are remembered, which any process does that answers HTTP.
_ALSO_OF_FRONTS: Final = frozenset(("prefix_caching",))
_OF_SERVERS: Final = ("engine_api_key", "engine_timeout", "engine_start_timeout")


def start_warnings(settings: Settings, environment: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each setting that was given and has no effect, and for one that logs texts.

    These are variables of the environment that are no setting, options of the own engine where other servers
    compute, and options of such servers where the own engine computes.
    """
    if settings.logs_texts:
        yield "--log-requests writes the texts of requests and answers to the log"
    elif settings.log_requests:
        yield "--log-requests has no effect: no requests are logged"
    yield from _unknown_variables(settings, environment)
    if settings.is_over_servers:
        names = [name for name in (*OwnEngineSettings.model_fields, "pooling") if name not in _ALSO_OF_FRONTS]
        reason = "it is of Verbatim's own engine, and other servers compute"
    else:
        names = [] if settings.api_workers else [*_OF_SERVERS]
        reason = "it is of other servers, and Verbatim's own engine computes"
    for name in names:
        if getattr(settings, name) != type(settings).model_fields[name].get_default():
            yield f"{flag(name)} has no effect: {reason}"


def _unknown_variables(settings: Settings, environment: Mapping[str, str]) -> Iterator[str]:
    names = {name for field in type(settings).model_fields.values() for name in variables(field)}
    known = sorted(name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX))
    for name in sorted(environment):
        own = name.upper().removeprefix(_PREFIX)
        is_of_kubernetes = is_of_a_service(name) or is_service_address(environment[name])
        if own == name.upper() or own in known or is_of_kubernetes:
            continue
        close = get_close_matches(own, known, n=1, cutoff=0.8)
        hint = f"; did you mean {_PREFIX}{close[0]}?" if close else ""
        yield f"{name} has no effect: it is no setting of this server{hint}"
