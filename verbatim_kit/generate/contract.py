"""One contract's part of the generated tree: what its server is written against, and its clients."""

from pathlib import Path

from verbatim_kit.generate.documents.document import SpecError
from verbatim_kit.generate.emit import emit_contract
from verbatim_kit.generate.sdk.emit import emit_client
from verbatim_kit.generate.sdk.package import FOLDER, clients_of


def emit(folder: Path, tree: Path) -> str | None:
    """Write the contract of `folder` into the tree. Return what its documents do wrong; None if nothing."""
    try:
        document = emit_contract(folder, tree / folder.name)
    except SpecError as error:
        return f"specs/{folder.name}: {error}"
    try:
        emit_client(document, folder.name, tree / FOLDER, clients_of(folder.parents[1]).package)
    except SpecError as error:
        return f"specs/{folder.name}, for its clients: {error}"
    return None
