"""`verbatim-kit generate [CONTRACT ...] [--check]`"""

import argparse
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from verbatim_kit.generate.inputs import contract_folders
from verbatim_kit.generate.tree import build_tree, differences, replace_tree


def main(arguments: list[str] | None = None) -> int:
    """Writes generated/, or with --check tells whether it is what specs/ gives. Returns the exit status."""
    options = _parse(arguments)
    specs, committed = options.root / "specs", options.root / "generated"
    known = [folder.name for folder in contract_folders(specs)]
    if unknown := sorted(set(options.contracts) - set(known)):
        raise SystemExit(f"no such contract in specs/: {', '.join(unknown)} (there are: {', '.join(known)})")
    with TemporaryDirectory() as folder:
        tree = Path(folder, "generated")
        if options.contracts and committed.exists():
            shutil.copytree(committed, tree, ignore=shutil.ignore_patterns("__pycache__"))
        build_tree(options.root, tree, options.contracts or known)
        if options.check:
            return _report(differences(tree, committed))
        replace_tree(tree, committed)
    return 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="verbatim-kit generate", description="Write generated/ from specs/."
    )
    parser.add_argument("contracts", nargs="*", metavar="CONTRACT", help="only these (default: all)")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if generated/ would change")
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the repository (default: here)")
    return parser.parse_args(arguments)


def _report(lines: list[str]) -> int:
    if lines:
        print(
            "generated/ is not what specs/ gives:",
            *lines,
            "Run `make generate` and commit the result.",
            sep="\n",
        )
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
