"""Holds the changes against what is acknowledged, and says what is to be done."""

from collections.abc import Iterable, Iterator

from verbatim_kit.breaking.acknowledgements import OPEN, SETTLED, Acknowledgements
from verbatim_kit.breaking.change import Change


def complaints(
    file: str, changes: Iterable[Change], now: Acknowledgements, at_base: Acknowledgements
) -> Iterator[str]:
    """A paragraph for each change that the file does not acknowledge, and each line of it that is idle."""
    found = [str(change) for change in changes]
    unknown = [change for change in found if change not in now.open]
    if unknown:
        yield "\n".join(
            [
                f"Breaking changes that {file} does not acknowledge. Undo them, or write under `{OPEN}`:",
                *(f"- `{change}`: why" for change in unknown),
            ]
        )
    for line in now.open:
        if line not in found:
            yield f"{file} acknowledges what is no change:\n- `{line}`\n{_remedy(line, at_base)}"


def _remedy(line: str, at_base: Acknowledgements) -> str:
    if line in at_base.open:
        return f"The base has it already: move the line under `{SETTLED}`."
    return "The base and the tree do not differ there: mend the line or take it out."
