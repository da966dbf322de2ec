"""`verbatim-kit lint [--list]`"""

import argparse
import sys
from pathlib import Path
from typing import Final

import yaml

from verbatim_kit.generate.documents.document import Document, load_document
from verbatim_kit.lint.exceptions import ExceptionsError, complaints, read_exceptions
from verbatim_kit.lint.rules import Breach, breaches

_EXCEPTIONS: Final = Path("specs", "lint_exceptions.yaml")


def main(arguments: list[str] | None = None) -> int:
    """Prints what breaks a rule; 1 if anything does, 2 if the exceptions cannot be read, else 0."""
    options = _parse(arguments)
    found = {name: breaches(document) for name, document in _documents(options.root).items()}
    if options.list:
        print(yaml.safe_dump(_as_exceptions(found), width=110, sort_keys=True), end="")
        return 0
    try:
        excepted = read_exceptions(options.root / options.exceptions)
    except ExceptionsError as error:
        print(f"{options.exceptions}: {error}", file=sys.stderr)
        return 2
    lines = [
        line
        for contract in sorted({*found, *excepted})
        for line in complaints(contract, found.get(contract, []), excepted.get(contract, ()))
    ]
    num_excepted = sum(map(len, excepted.values()))
    print(*lines, f"Documents: {len(found)}; faults: {len(lines)}; exceptions: {num_excepted}", sep="\n")
    return 1 if lines else 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="verbatim-kit lint", description="Hold the effective documents to the rules of style."
    )
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the repository (default: here)")
    parser.add_argument(
        "--exceptions",
        type=Path,
        default=_EXCEPTIONS,
        help="known breaches as YAML, if the repository has such a file (default: %(default)s)",
    )
    parser.add_argument("--list", action="store_true", help="print every breach as a file of exceptions")
    return parser.parse_args(arguments)


def _documents(root: Path) -> dict[str, Document]:
    paths = sorted((root / "generated").glob("*/openapi.json"))
    return {path.parent.name: load_document(path) for path in paths}


def _as_exceptions(found: dict[str, list[Breach]]) -> dict[str, dict[str, list[str]]]:
    return {
        contract: {
            rule: [place for name, place in breaches if name == rule]
            for rule in sorted({rule for rule, _ in breaches})
        }
        for contract, breaches in found.items()
        if breaches
    }


if __name__ == "__main__":
    sys.exit(main())
