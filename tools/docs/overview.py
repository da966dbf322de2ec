"""The page that lists the contracts."""

from collections.abc import Iterable

from tools.docs.contract import Contract
from tools.docs.table import table
from verbatim_kit.generate.documents.document import operations_of


def overview(contracts: Iterable[Contract]) -> str:
    """Markdown."""
    rows = [_row(contract) for contract in contracts]
    head = ("contract", "API", "operations", "corrections", "interactive")
    return f"""# Contracts

A contract is an OpenAPI document as its maker published it, an overlay that corrects it, and the reasons.
What is served follows from the two, and the code from what is served. Every contract is whole under its own
prefix; `--root` says whose operations stand at `/` too, and `verbatim contracts` prints who answers what.

{table(head, rows)}

These pages are rendered from `specs/` and `generated/` whenever the site is built.
"""


def _row(contract: Contract) -> tuple[str, ...]:
    name = contract.name
    num_operations = sum(1 for _ in operations_of(contract.document))
    num_actions = (contract.overlay or "").count("- target:")
    corrections = f"[{num_actions}]({name}-errata.md)" if num_actions else "0"
    return (
        f"[`{name}`]({name}.md)",
        contract.title,
        str(num_operations),
        corrections,
        f"[try it]({name}-try.html)",
    )
