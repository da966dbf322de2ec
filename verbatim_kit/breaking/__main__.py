"""`verbatim-kit breaking [--base COMMIT]`"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from verbatim_kit.breaking.acknowledgements import (
    NAME,
    Acknowledgements,
    FormatError,
    parse_acknowledgements,
    read_acknowledgements,
)
from verbatim_kit.breaking.base import Base, NoBase, default_reference
from verbatim_kit.breaking.change import Change
from verbatim_kit.breaking.operation_changes import breaking_changes
from verbatim_kit.breaking.report import complaints
from verbatim_kit.breaking.sdk import sdk_changes

_SDK: Final = "generated/clients/python"
_ALL: Final = ""  # what belongs to no one contract is acknowledged in specs/ itself


def main(arguments: list[str] | None = None) -> int:
    """Prints what breaks without being acknowledged; 1 if anything does, 2 if nothing can be compared."""
    options = _parse(arguments)
    try:
        base = Base(options.root, options.base or default_reference(options.root))
        found = _by_contract(options.root, base)
        paragraphs = list(_complaints(options.root, base, found))
    except NoBase as error:
        print(error, file=sys.stderr)
        if error.is_shallow:
            print("The clone is shallow, so nothing is compared: `git fetch --unshallow` gets the rest.")
        return 0 if error.is_shallow else 2
    except FormatError as error:
        print(error, file=sys.stderr)
        return 2
    print(*paragraphs, sep="\n\n", end="\n" if paragraphs else "")
    num_found = sum(map(len, found.values()))
    verdict = "not all in order" if paragraphs else "all in order"
    print(f"Breaking changes since {base.reference} ({base.commit[:10]}): {num_found}; {verdict}")
    return 1 if paragraphs else 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="verbatim-kit breaking",
        description="Compare the contracts and the Python SDK with those of another commit, and fail at what "
        f"would break their users, unless specs/<contract>/{NAME} acknowledges it.",
    )
    parser.add_argument(
        "--base",
        help="the commit to compare with (default: the last tag before HEAD, else where HEAD left "
        "origin/HEAD, else HEAD~1)",
    )
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the repository (default: here)")
    return parser.parse_args(arguments)


def _by_contract(root: Path, base: Base) -> dict[str, list[Change]]:
    """Breaking changes by the contract whose file acknowledges them."""
    found: dict[str, list[Change]] = defaultdict(list)
    for contract in base.folders("generated"):
        path = f"generated/{contract}/openapi.json"
        before = base.read(path)
        if before is None:
            continue
        if (root / path).exists():
            after = (root / path).read_text(encoding="utf-8")
            found[contract] += breaking_changes(json.loads(before), json.loads(after))
        else:
            found[_ALL].append(Change("operation", "contract removed", contract))
    for change in _sdk(root, base):
        # client.pets.models.Pet belongs to the contract pets.
        part = change.place.split(".")[1:2]
        found[part[0] if part and (root / "specs" / part[0]).is_dir() else _ALL].append(change)
    return found


def _sdk(root: Path, base: Base) -> Iterator[Change]:
    with TemporaryDirectory() as folder:
        if base.extract(_SDK, Path(folder)):
            yield from sorted(set(sdk_changes(Path(folder, _SDK), root / _SDK)))


def _complaints(root: Path, base: Base, found: dict[str, list[Change]]) -> Iterator[str]:
    files = {
        path.parent.relative_to(root / "specs").as_posix() for path in (root / "specs").glob(f"*/{NAME}")
    }
    for contract in sorted({_ALL, *found, *files}):
        file = f"specs/{contract}/{NAME}".replace("//", "/")
        before = base.read(file)
        at_base = (
            Acknowledgements() if before is None else parse_acknowledgements(before, f"{file} at the base")
        )
        yield from complaints(file, found.get(contract, []), read_acknowledgements(root / file), at_base)


if __name__ == "__main__":
    sys.exit(main())
