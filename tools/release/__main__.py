"""`python -m tools.release VERSION [FOLDER]` checks a release, and writes its notes and hashes in the folder.

NOTES.md is the version's entry of the changelog, and SHA256SUMS can be checked by `sha256sum --check`.
"""

import argparse
import hashlib
import sys
from pathlib import Path

from tools.release.changelog import notes_of
from tools.release.checks import faults

ROOT = Path(__file__).parents[2]
SUMS = "SHA256SUMS"


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Check, and write if a folder is given. Returns the exit status: 1 if there is a fault."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.release", description="Check and describe a release."
    )
    parser.add_argument("version", help="the version, such as 1.2.3")
    parser.add_argument(
        "folder", nargs="?", type=Path, help="the folder of what is released, for notes and hashes"
    )
    options = parser.parse_args(arguments)
    found = list(faults(root, options.version))
    for fault in found:
        print(f"{options.version} cannot be released: {fault}", file=sys.stderr)
    if not found and options.folder is not None:
        write(options.folder, notes_of(root / "CHANGELOG.md", options.version))
    return 1 if found else 0


def write(folder: Path, notes: str) -> None:
    """Write the notes into a folder, and the hashes of all its files."""
    (folder / "NOTES.md").write_text(notes, encoding="utf-8")
    files = sorted(path for path in folder.iterdir() if path.name != SUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
