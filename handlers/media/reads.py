"""The count of files that were read for requests."""

from collections import Counter

from engine.port.info.stats import seconds_histogram


class Reads:
    """Files by kind ("image", "file") and by whether they could be read, their bytes, and their seconds.

    seconds: of each file, with the fetch of a URL and the check of its content.
    """

    def __init__(self) -> None:
        self.num_files: Counter[tuple[str, bool]] = Counter()
        self.num_bytes: Counter[str] = Counter()
        self.seconds = seconds_histogram()

    def count(self, kind: str, num_bytes: int | None, seconds: float) -> None:
        """Count a file. num_bytes: None if it could not be read."""
        self.num_files[kind, num_bytes is not None] += 1
        self.num_bytes[kind] += num_bytes or 0
        self.seconds.observe(seconds)
