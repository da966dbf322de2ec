"""`python -m verbatim_kit.sdk_typescript [--target FOLDER]`, after `npm ci` in the folder `node` here"""

import argparse
import sys
from pathlib import Path

from verbatim_kit.sdk_typescript.build import build_package


def main(arguments: list[str] | None = None) -> int:
    """Writes and compiles the package. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m verbatim_kit.sdk_typescript", description="Build the package."
    )
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the repository (default: here)")
    parser.add_argument("--target", type=Path, default=Path("build/sdk/typescript"), help="where to build")
    options = parser.parse_args(arguments)
    build_package(options.root, options.target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
