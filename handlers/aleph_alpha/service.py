"""What all operations of the contract share."""

from handlers.aleph_alpha.errors import to_problem
from handlers.service.exchange import Exchange
from handlers.service.shared import Shared
from handlers.wire.fingerprint import fingerprint


class Service:
    """One served model under this contract. model_version: its name, and its revision if it has one."""

    def __init__(self, shared: Shared) -> None:
        self.chat = shared.chat
        self.workers = shared.workers
        self.tokenizer = shared.engine.tokenizer
        self.model_info = shared.engine.model_info
        self.model_names = shared.model_names
        self.exchanges = shared.exchanges
        self.fingerprint = fingerprint(self.model_info)
        revision = self.model_info.revision
        self.model_version = shared.model_names.served + (f"@{revision}" if revision else "")

    def exchange(self, received_s: float) -> Exchange:
        """As `Exchanges.open`."""
        return self.exchanges.open(received_s, to_problem)
