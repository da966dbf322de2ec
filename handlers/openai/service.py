"""What all operations of the contract share."""

from functools import partial

from handlers.openai.errors import to_problem
from handlers.service.exchange import Exchange
from handlers.service.shared import Shared
from handlers.wire.envelope import Envelope
from handlers.wire.fingerprint import fingerprint


class Service:
    """One served model under this contract."""

    def __init__(self, shared: Shared) -> None:
        self.engine = shared.engine
        self.chat = shared.chat
        self.workers = shared.workers
        self.tokenizer = shared.engine.tokenizer
        self.model_info = shared.engine.model_info
        self.model_names = shared.model_names
        self.exchanges = shared.exchanges
        self.allows_forms = not shared.settings.disable_grammar_support
        self.fingerprint = fingerprint(shared.engine.model_info)

    def exchange(self, received_s: float, prompt_field: str, grammar_field: str = "") -> Exchange:
        """As `Exchanges.open`. The fields are those of `to_problem`."""
        return self.exchanges.open(
            received_s, partial(to_problem, prompt_field=prompt_field, grammar_field=grammar_field)
        )

    def envelope(self, prefix: str) -> Envelope:
        """Of a new answer, whose id has the prefix."""
        return Envelope.new(self.model_names.served, prefix)
