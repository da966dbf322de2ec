"""What the operator decides for every contract alike."""

from dataclasses import dataclass

from .protocols.checks_keys import ChecksKeys


@dataclass(frozen=True, slots=True)
class RuntimeOptions:
    """max_body_bytes: a longer request body is refused.

    checks_keys: asked where the document secures an operation; None asks for no key.
    pages: other pages of this server, which the list of contracts leads to: relative link, and what it is.
    keep_alive_s: a stream that was silent for so many seconds sends a comment, so that proxies keep it open.
    """

    max_body_bytes: int = 2_000_000
    checks_keys: ChecksKeys | None = None
    keep_alive_s: float = 15.0
    pages: tuple[tuple[str, str], ...] = ()
