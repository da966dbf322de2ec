"""transformers' index of its models, made in a fifth of the time, and kept for the next start.

When it is imported, transformers reads the source of all its models, 1,600 files, to learn which names each
defines; and reads them again for the package of models. Each time most of the time goes into walking through
all lines to find the one that lists the names. Here they are read once, and each from that line on.
"""

import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from typing_extensions import override

from engine.model.loading.imports.kept_index import Index, kept
from engine.model.loading.imports.unused_packages import leave_out_packages

_MODULE: Final = "transformers.utils.import_utils"


def index_quickly() -> None:
    """Let the import of transformers make its index quickly, without packages that a server does not use.

    Does nothing once it is imported.
    """
    if _MODULE not in sys.modules:
        sys.meta_path.insert(0, _Finder())


def names_of(fetch: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """Return a function that gives the same names as transformers' own for the source of a module.

    fetch: transformers' own, which searches for the last line that begins with `__all__`, and reads on from
    there.
    """

    def fetch_from_last(source: str) -> list[str]:
        # Without a match the line may be the first, or follow a separator of lines other than "\n".
        last = source.rfind("\n__all__")
        return fetch(source if last < 0 else source[last + 1 :])

    return fetch_from_last


def define_once(define: Callable[[str], Index]) -> Callable[..., Index]:
    """Return a function with the same results that reads each folder once.

    define: transformers' own, which is given a folder or a file in it. The function takes a prefix too, which
    it puts before each name of a module, as transformers' own does.
    """
    once = cache(define)

    def define_folder(place: str | Path, prefix: str | None = None) -> Index:
        path = Path(place)
        start = "" if prefix is None else f"{prefix}."
        return {
            backends: {f"{start}{module}": set(names) for module, names in modules.items()}
            for backends, modules in once(str(path.parent if path.is_file() else path)).items()
        }

    return define_folder


class _Finder(MetaPathFinder):
    """The finder of one module, which is changed once it is loaded, before others import from it."""

    @override
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _MODULE:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_change(module: ModuleType) -> None:
            execute(module)
            change: Any = module
            change.fetch__all__ = names_of(change.fetch__all__)
            define = kept(change.define_import_structure, Path(change.__file__))
            change.define_import_structure = define_once(define)
            leave_out_packages(module)

        spec.loader.exec_module = execute_and_change  # type: ignore[method-assign]  # of this loader alone
        return spec
