"""What the operation needs of the server."""

from secrets import token_hex

from handlers.faults.refused import Refused
from handlers.faults.violation import Violation
from handlers.mindie.errors import to_problem
from handlers.service.exchange import Exchange
from handlers.service.shared import Shared
from handlers.wire.envelope import Envelope


class Service:
    """One served model under this contract.

    is_full_text: whether the chunks of a stream repeat the text so far.
    """

    def __init__(self, shared: Shared) -> None:
        self.chat = shared.chat
        self.workers = shared.workers
        self.exchanges = shared.exchanges
        self.model_names = shared.model_names
        self.tokenizer = shared.engine.tokenizer
        self.vocab_size = shared.engine.model_info.vocab_size
        self.is_full_text = shared.settings.mindie_full_text
        self._max_total_tokens = shared.engine.model_info.max_total_tokens
        self._max_input_tokens = min(
            shared.settings.max_input_tokens or self._max_total_tokens, self._max_total_tokens - 1
        )

    def exchange(self, received_s: float) -> Exchange:
        """As `Exchanges.open`."""
        return self.exchanges.open(received_s, to_problem)

    def room_after(self, num_prompt_tokens: int) -> int:
        """Tokens that an answer can have. Raises Refused for a prompt over its limit, or that leaves none."""
        if num_prompt_tokens > self._max_input_tokens:
            raise Refused(
                f"`messages` must have at most {self._max_input_tokens} tokens. Given: {num_prompt_tokens}",
                "messages",
                Violation.TOO_LONG,
            )
        return self._max_total_tokens - num_prompt_tokens

    def envelope(self) -> Envelope:
        """Of a new answer. MindIE counts its requests; a random number is unique beyond one process."""
        return Envelope(model=self.model_names.served, id=f"endpoint_common_{token_hex(16)}")
