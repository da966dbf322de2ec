"""Response headers as the document types them."""

from handlers.active_requests.timing import Timing
from handlers.tgi_family.headers import Headers, cost_headers


def costs(timing: Timing) -> Headers:
    """Return the headers of a whole answer; times in milliseconds, with fractions."""
    return cost_headers(timing, lambda seconds: round(seconds * 1000, 3))
