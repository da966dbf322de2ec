"""The progress bars of libraries that load a model, converted to lines for the log."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tqdm.auto import tqdm
from transformers.utils.logging import set_tqdm_hook
from typing_extensions import override

# Loading that ends sooner is not reported.
_FIRST_LINE_AFTER_S = 2.0
_LINE_EVERY_S = 2.0


def line_bar(report: Callable[[str], None]) -> type["tqdm[Any]"]:
    """Return a tqdm class that reports lines such as "Loading weights: 40%" instead of drawing a bar."""

    class LineBar(tqdm):  # type: ignore[type-arg]  # generic only in its stubs
        monitor_interval = 0  # no thread that redraws

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            kwargs |= {"delay": _FIRST_LINE_AFTER_S, "mininterval": _LINE_EVERY_S, "leave": False}
            super().__init__(*args, **kwargs)

        @override
        def display(self, msg: str | None = None, pos: int | None = None) -> None:
            if self.total and msg != "":
                report(f"{self.desc.removesuffix(': ')}: {self.n / self.total:.0%}")

    return LineBar


@contextmanager
def progress_lines(report: Callable[[str], None]) -> Iterator[None]:
    """Convert transformers' progress bars to lines within the block."""
    bar = line_bar(report)
    previous = set_tqdm_hook(lambda _, args, kwargs: bar(*args, **kwargs))
    try:
        yield
    finally:
        set_tqdm_hook(previous)
