"""The parser of the header Retry-After; no torch."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def seconds_of(value: str) -> float | None:
    """Return the seconds in the header, which has a number or a date (RFC 9110, section 10.2.3).

    None if the header is empty or invalid, or if the time is in the past.
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
