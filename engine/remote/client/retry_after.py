"""The time after which a server wants to be asked again, from its header Retry-After; no torch."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def seconds_of(value: str) -> float | None:
    """Return the seconds that the header names, by a number or a date (RFC 9110, section 10.2.3).

    None where it is missing or neither, and for a time that is over.
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        seconds = float(value)
    else:
        try:
            date = parsedate_to_datetime(value)
            seconds = (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
        except (ValueError, OverflowError):
            return None
    return seconds if seconds > 0 else None
