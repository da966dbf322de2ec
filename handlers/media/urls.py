"""The sources that are URLs: fetched where the operator allows hosts, and refused otherwise."""

from typing import Final, Protocol

from typing_extensions import override

from handlers.media.budget import Budget, CannotRead
from handlers.media.domains import AllowedDomains
from handlers.media.settings import MediaSettings

MAX_FETCHES: Final = 32  # at once, each over a connection of its own


class UrlReader(Protocol):
    """A reader of the contents of URLs."""

    async def fetch(self, source: str, budget: Budget) -> bytes:
        """Return the content. Raises CannotRead."""


def url_reader(settings: MediaSettings) -> UrlReader:
    """Return a `Fetcher` where the settings allow hosts, else a reader that refuses all URLs."""
    if not settings.media_domains:
        return _Refusing()
    # With its library of HTTP it takes a tenth of a second to import, which few servers need.
    from handlers.media.fetcher import Fetcher

    return Fetcher(AllowedDomains(settings.media_domains), settings.media_timeout, max_fetches=MAX_FETCHES)


class _Refusing(UrlReader):
    @override
    async def fetch(self, source: str, budget: Budget) -> bytes:
        raise CannotRead("this server fetches no URLs; send the content as a data URL")
