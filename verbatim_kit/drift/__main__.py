"""`verbatim-kit drift --contract CONTRACT --upstream FILE`"""

import argparse
import sys
from pathlib import Path

from verbatim_kit.drift.difference import differences
from verbatim_kit.drift.report import render_report
from verbatim_kit.generate.documents.document import SpecError, load_document
from verbatim_kit.generate.inputs import find_inputs


def main(arguments: list[str] | None = None) -> int:
    """Prints where the upstream document differs; 1 if it does anywhere, 2 if one cannot be read, else 0."""
    options = _parse(arguments)
    try:
        stated = find_inputs(options.specs / options.contract)[0]
        rows = differences(load_document(stated), load_document(options.upstream))
    except (OSError, ValueError, SpecError) as error:
        print(error, file=sys.stderr)
        return 2
    if not rows:
        print(f"{options.upstream} and {stated} do not differ in structure.")
        return 0
    print(f"How {options.upstream} differs from {stated}:", render_report(rows), sep="\n\n")
    print(f"\nDifferences in structure: {len(rows)}")
    return 1


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="verbatim-kit drift",
        description="Compare the structure of an upstream OpenAPI document with that of the one a contract "
        "states, before its overlay.",
    )
    parser.add_argument("--contract", required=True, help="a folder of specs/")
    parser.add_argument("--upstream", required=True, type=Path, help="OpenAPI as JSON or YAML")
    parser.add_argument("--specs", type=Path, default=Path("specs"), help="where the contracts are")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
