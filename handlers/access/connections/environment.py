"""The HTTP protocol for uvicorn's own command line, with limits from the environment.

`uvicorn --http handlers.access.connections.environment:Protocol --factory handlers.app:create_app`
"""

from handlers.access.connections.settings import HttpSettings, http_limits
from handlers.shared_settings.reading import read_section
from verbatim_kit.http.connections import Connections
from verbatim_kit.http.protocol import BoundedProtocol, bounded_protocol


def _from_environment() -> type[BoundedProtocol]:
    """Return the class, or raise SystemExit with the message if the settings are not valid."""
    try:
        return bounded_protocol(Connections(http_limits(read_section(HttpSettings, {}))))
    except ValueError as error:
        raise SystemExit(f"verbatim: error: {error}") from None


Protocol = _from_environment()
