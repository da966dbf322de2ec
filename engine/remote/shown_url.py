"""The part of a server's URL that may be shown; pure, no torch."""

from urllib.parse import urlsplit


def shown_url(url: str) -> str:
    """Return a URL for logs, tables and messages: without its user and password, and so whatever it is.

    All before the last @ is left out, since a password with a character that a URL cannot have ends elsewhere
    for whoever reads the URL.
    """
    scheme, separator, _ = url.partition("://")
    _, at, rest = url.rpartition("@")
    shown = url if not at else f"{scheme}://{rest}" if separator else rest
    return shown.rstrip("/")


def complaint_about(url: str) -> str | None:
    """Return the reason why this is no URL of a server; None for one that is."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:  # a port that is no number or too large, or brackets that do not match
        return "it has no host, or a port beyond 65535"
    if parts.scheme not in ("http", "https") or not host or port == 0:
        return "it has no scheme, no host, or port 0"
    if parts.query or parts.fragment:
        return "it has a query or a fragment"
    if not (host + parts.path).isascii():
        return "its host or path has characters beyond ASCII: a host is written in its form with xn--"
    if not (host + parts.path).isprintable() or " " in url:
        return "it has a space, or a character that cannot be printed"
    try:
        host.encode("idna")
    except UnicodeError:
        return "a label of its host is empty, or longer than 63 characters"
    return None
