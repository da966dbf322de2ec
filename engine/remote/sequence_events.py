"""The events of one sequence, made of the data of a server's answer; no torch."""

import time
from collections.abc import Callable, Sequence

from engine.events import TokenEvent
from engine.remote.wire.answer_reader import AnswerReader
from engine.request import GenerationRequest
from engine.text.sequence_output import SequenceOutput
from engine.text.tokenizer import Tokenizer


class SequenceEvents:
    """Puts the events of one sequence. has_begun: one was put. is_over: the last one was."""

    def __init__(
        self,
        request: GenerationRequest,
        index: int,
        tokenizer: Tokenizer,
        reader: AnswerReader,
        put: Callable[[TokenEvent], object],
        num_running: Callable[[], int],
    ) -> None:
        """num_running: the sequences that run, for the events' `batch_size`."""
        self._output = SequenceOutput(request, tokenizer, index=index)
        self._reader = reader
        self._put = put
        self._num_running = num_running
        self._last_time = time.perf_counter()
        self.has_begun = False
        self.is_over = False

    def put(self, pieces: Sequence[bytes]) -> None:
        """Put the events of data that came together; what follows the sequence's last token is left.

        The tokens of one event of the server are of one step. Raises Malformed and UpstreamError.
        """
        reader = self._reader
        for data in pieces:
            tokens = reader.read(data)
            if not tokens:
                continue
            now = time.perf_counter()
            step_s, self._last_time = now - self._last_time, now
            for token in tokens:
                event = self._output.append(
                    token.token_id,
                    is_complete=token.is_complete,
                    logprob=token.logprob,
                    top_logprobs=token.top_logprobs,
                    prompt=None if self.has_begun else reader.prompt,
                    num_cached_tokens=reader.num_cached_tokens,
                    queue_s=reader.queue_s,
                    batch_size=self._num_running(),
                    step_s=step_s,
                )
                step_s, self.has_begun = 0.0, True
                self._put(event)
                if event.finish is not None:
                    self.is_over = True
                    return
