"""`verbatim-kit conform --document FILE --base-url URL`"""

import argparse
import sys
from importlib import import_module
from pathlib import Path

from verbatim_kit.conform.command import conform
from verbatim_kit.conform.contract import Contract
from verbatim_kit.conform.options import add_options
from verbatim_kit.conform.plan import Unusable, contract_plan
from verbatim_kit.conform.rules import Rules
from verbatim_kit.generate.documents.document import Document, SpecError, load_document
from verbatim_kit.openapi.item_schema import as_3_1
from verbatim_kit.openapi.streams import StreamError


def main(arguments: list[str] | None = None) -> int:
    """Check a server against a document. Return 0 without faults, 1 with faults, 2 if it does not answer."""
    options = _parse(arguments)
    try:
        rules = import_module(options.rules).RULES if options.rules else Rules()
        contract = Contract(options.document.stem, _document(options.document), rules)
        values = dict(_pair(text) for text in options.parameter)
        plan = contract_plan(contract, options.only, options.skip)
        return int(conform(plan, options, lambda client: values))
    except (ImportError, OSError, SpecError, StreamError, Unusable) as error:
        print(f"verbatim-kit: error: {error}", file=sys.stderr)
        return 2


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="verbatim-kit conform",
        description="Check any running server: requests are generated from an OpenAPI document, and "
        "each answer is checked against it. Exit status: 0 if there are no faults, 1 if there are, 2 if the "
        "server does not answer.",
    )
    parser.add_argument("--document", required=True, type=Path, help="OpenAPI 3.1 or 3.2 as JSON or YAML")
    parser.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="the value to send for a parameter, or for the body's member `model`; may be repeated",
    )
    parser.add_argument(
        "--rules", metavar="MODULE", help="Python module whose RULES say what the document cannot express"
    )
    add_options(parser)
    return parser.parse_args(arguments)


def _document(path: Path) -> Document:
    """Return a document as OpenAPI 3.1. Raises SpecError, StreamError."""
    document: Document = load_document(path)
    return as_3_1(document) if str(document.get("openapi", "")).startswith("3.2.") else document


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise Unusable("--parameter must have the form NAME=VALUE")
    return name, value


if __name__ == "__main__":
    sys.exit(main())
