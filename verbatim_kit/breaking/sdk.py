"""Symbols of the Python SDK that are gone, found by griffe without importing it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import griffe

from verbatim_kit.breaking.change import Change

# Griffe also tells of values and types that differ, which the documents tell better, and of parameters that
# moved, all of which are keyword-only in what we generate.
_KINDS: Final = {
    griffe.BreakageKind.OBJECT_REMOVED: "symbol removed",
    griffe.BreakageKind.OBJECT_CHANGED_KIND: "symbol changed",
    griffe.BreakageKind.PARAMETER_REMOVED: "parameter removed",
    griffe.BreakageKind.PARAMETER_ADDED_REQUIRED: "parameter required",
    griffe.BreakageKind.PARAMETER_CHANGED_REQUIRED: "parameter required",
    griffe.BreakageKind.PARAMETER_MOVED: "parameter moved",
}
# Pydantic's settings of a class, which are no name of the contract.
_SETTINGS: Final = "model_config"


def sdk_changes(before: Path, after: Path) -> Iterator[Change]:
    """The names in Python that the packages in folder `before` have and those in `after` lack."""
    for package in sorted(path.parent.name for path in before.glob("*/__init__.py")):
        if not (after / package / "__init__.py").exists():
            yield Change("sdk", "symbol removed", package)
            continue
        for breakage in griffe.find_breaking_changes(_load(package, before), _load(package, after)):
            kind = _KINDS.get(breakage.kind)
            if kind is not None and breakage.obj.name != _SETTINGS:
                yield Change("sdk", kind, _name(breakage))


def _load(package: str, folder: Path) -> griffe.Object | griffe.Alias:
    return griffe.load(package, search_paths=[folder], allow_inspection=False, resolve_aliases=True)


def _name(breakage: griffe.Breakage) -> str:
    """`package.function`, or `package.function(parameter)`."""
    parameter = next(
        (
            value.name
            for value in (breakage.old_value, breakage.new_value)
            if isinstance(value, griffe.Parameter)
        ),
        None,
    )
    return f"{breakage.obj.path}({parameter})" if parameter else breakage.obj.path
