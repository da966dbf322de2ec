"""The events of one sequence, made of the data of a server's answer; no torch."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final

from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from engine.port.text.sequence_output import SequenceOutput
from engine.port.text.token_times import TokenTimes
from engine.port.text.tokenizer import Tokenizer
from engine.remote.wire.answer_reader import DONE, AnswerReader, NewToken

LARGE_BYTES: Final = 2**17  # of data that takes more than a millisecond to read
_NUM_AT_ONCE: Final = 64  # events, which take a few milliseconds


class CachedTokens:
    """The count of a request's prompt tokens that were not computed again, as far as it is known.

    It is the first sequence's count, since the others find what the first has computed.
    """

    def __init__(self) -> None:
        self.num = 0


class SequenceEvents:
    """Puts the events of one sequence. has_begun: whether one was put. is_over: whether the last one was."""

    def __init__(
        self,
        request: GenerationRequest,
        index: int,
        tokenizer: Tokenizer,
        reader: AnswerReader,
        put: Callable[[TokenEvent], object],
        num_running: Callable[[], int],
        cached: CachedTokens,
    ) -> None:
        """Make the writer of events for a sequence whose answer is yet to come.

        num_running: returns the number of sequences that run, for the events' `batch_size`.
        cached: the count of the request.
        """
        self._output = SequenceOutput(request, tokenizer, index=index)
        self._reader = reader
        self._put = put
        self._num_running = num_running
        self._cached = cached
        self._is_first = index == 0
        self._times = TokenTimes(time.perf_counter())
        self.has_begun = False
        self.is_over = False

    @property
    def silent_s(self) -> float:
        """Seconds since the last tokens came, or since the sequence began."""
        return time.perf_counter() - self._times.last_time

    def put(self, pieces: Sequence[bytes]) -> None:
        """Put the events of data that came together.

        Data that follows the last event is left. Of tokens that came together, the first one has the time of
        the step: they come from one step of the server, or from several whose tokens it sent when it could,
        and nothing says how long each of these took. Raises Malformed and UpstreamError.
        """
        now = time.perf_counter()
        for data in pieces:
            if self._put_tokens(self._reader.read(data), now):
                return

    async def put_large(self, pieces: Sequence[bytes]) -> None:
        """Put the events of data that may be large, as `put` does, while other streams go on.

        A large piece, which may be a whole answer, is read in a thread, and events are put some at a time.
        Raises Malformed and UpstreamError.
        """
        now = time.perf_counter()
        num_put = 0
        for data in pieces:
            is_large = len(data) > LARGE_BYTES
            tokens = await asyncio.to_thread(self._reader.read, data) if is_large else self._reader.read(data)
            for start in range(0, len(tokens), _NUM_AT_ONCE):
                some = tokens[start : start + _NUM_AT_ONCE]
                if self._put_tokens(some, now):
                    return
                num_put += len(some)
                if num_put >= _NUM_AT_ONCE:
                    num_put = 0
                    await asyncio.sleep(0)

    def _put_tokens(self, tokens: Sequence[NewToken], now: float) -> bool:
        """Put their events, and return whether the last one of the sequence was among them."""
        if not tokens:
            return False
        reader, batch_size = self._reader, self._num_running()
        if self._is_first:
            self._cached.num = reader.num_cached_tokens
        times, queue_s = self._times, reader.queue_s
        times.queue_s = queue_s
        for token in tokens:
            is_first = not self.has_begun
            step_s = now - times.last_time
            times.step_s = max(step_s - queue_s, 0.0) if is_first else step_s
            event = self._output.append(
                token,
                times,
                is_complete=token.is_complete,
                is_at_limit=token.is_at_limit,
                prompt=reader.prompt if is_first else None,
                num_cached_tokens=self._cached.num,
                batch_size=batch_size,
            )
            times.last_time, self.has_begun = now, True
            self._put(event)
            if event.finish is not None:
                self.is_over = True
                return True
        return False

    def end(self) -> None:
        """Put what was held back until the end of the data, which has come."""
        self.put((DONE,))
