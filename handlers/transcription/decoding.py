"""The decoding of one window, again at higher temperatures while its result is repetitive or unlikely."""

import zlib
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from math import exp
from secrets import token_hex
from typing import Final, NamedTuple

from engine.port.events import TokenEvent
from engine.port.info.speech_info import SpeechInfo
from engine.port.request import (
    GenerationRequest,
    Media,
    Prompt,
    SamplingParams,
    StopConditions,
    TimestampRules,
)
from engine.port.text.tokenizer import Tokenizer
from handlers.active_requests.active_request import ActiveRequest

_MAX_SEED = 2**64


class DecodingRules(NamedTuple):
    """The rules of Whisper's own program (Radford et al. 2022, arXiv 2212.04356, section 4.5), with its
    values.

    temperatures: those that are tried in turn, where the request names none. A result counts as repetitive if
    its text is compressed by more than max_compression_ratio, and as unlikely if its mean log-probability is
    below min_avg_logprob; None leaves a rule out. An unlikely one is silence where the probability that
    nobody speaks is above max_no_speech_prob. is_conditioned: whether the text so far is a prompt for the
    next window.
    """

    temperatures: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    max_compression_ratio: float | None = 2.4
    min_avg_logprob: float | None = -1.0
    max_no_speech_prob: float | None = 0.6
    is_conditioned: bool = True


WHISPERS_RULES: Final = DecodingRules()


class WindowTask(NamedTuple):
    """One window to write down.

    prompt: the token ids before its text, from start_id's place on those that say what to do. window: the
    sound.
    """

    prompt: tuple[int, ...]
    window: Media
    has_timestamps: bool


class Counts:
    """The tokens of all decodings of one transcript. num_decodings: how many there were."""

    def __init__(self) -> None:
        self.num_prompt_tokens = 0
        self.num_output_tokens = 0
        self.num_decodings = 0


@dataclass(frozen=True, slots=True)
class DecodedWindow:
    """The result of a window.

    token_ids: with the end token, if that came. logprobs: of each of them. text: of those that are text.
    is_silence: whether nobody speaks. The other fields are those of `Segment`.
    """

    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    text: str
    temperature: float
    avg_logprob: float
    compression_ratio: float
    no_speech_prob: float
    is_silence: bool


class WindowDecoder:
    """Decodes the windows of one request, by requests to the engine.

    counts: of all so far.
    """

    def __init__(
        self,
        active: ActiveRequest,
        tokenizer: Tokenizer,
        info: SpeechInfo,
        rules: DecodingRules,
        *,
        temperature: float,
        seed: int,
    ) -> None:
        """Prepare the decoding of a sound.

        active: the request, whose permits it stays within.
        temperature: the temperature of `TranscriptionRequest`; 0 tries those of the rules in order.
        """
        self._active = active
        self._tokenizer = tokenizer
        self._info = info
        self._rules = rules
        self._temperatures = rules.temperatures if temperature == 0 else (temperature,)
        self._seed = seed
        self.counts = Counts()

    async def language(self, window: Media) -> str:
        """Return the code of the language that is spoken in a window."""
        codes = {token_id: code for code, token_id in self._info.languages.items()}
        sampling = SamplingParams(temperature=0.0, allowed_token_ids=tuple(codes))
        events = await self._generate(
            WindowTask((self._info.start_id,), window, False), sampling, max_tokens=1
        )
        return codes[events[0].token_id]

    async def decode(self, task: WindowTask) -> DecodedWindow:
        """Return the first result that is good enough, or else the last."""
        no_speech_prob: float | None = None
        for temperature in self._temperatures:
            if no_speech_prob is None and not self._knows_from_prompt(task):
                no_speech_prob = await self._no_speech_prob(task)
            sampling = self._sampling(task, temperature, wants_no_speech=no_speech_prob is None)
            events = await self._generate(task, sampling)
            if no_speech_prob is None:
                no_speech_prob = self._found_no_speech(task, events[0])
            decoded = self._measured(events, temperature, no_speech_prob)
            if decoded.is_silence or self._is_good(decoded):
                break
        return decoded

    def _sampling(self, task: WindowTask, temperature: float, *, wants_no_speech: bool) -> SamplingParams:
        info = self._info
        banned, timestamps = info.banned_ids, None
        if task.has_timestamps:
            banned = (*banned, info.no_timestamps_id)
            most = info.max_initial_timestamp
            timestamps = TimestampRules(
                first_timestamp_id=info.first_timestamp_id,
                text_end_id=info.end_id,
                max_initial_timestamp_id=None if most is None else info.first_timestamp_id + most,
            )
        return SamplingParams(
            temperature=temperature,
            seed=(self._seed + self.counts.num_decodings) % _MAX_SEED,
            banned_token_ids=banned,
            first_banned_token_ids=info.first_banned_ids,
            timestamps=timestamps,
            num_logprobs=0,
            adjusted_logprobs=True,
            num_prompt_logprobs=0 if wants_no_speech else None,
            prompt_logprob_token_ids=(info.no_speech_id,) if wants_no_speech else (),
        )

    def _knows_from_prompt(self, task: WindowTask) -> bool:
        """Return whether the prompt has a token after the first of the transcript, in whose place the model
        would say that nobody speaks.
        """
        return task.prompt[-1] != self._info.start_id

    async def _no_speech_prob(self, task: WindowTask) -> float:
        """Return the probability that nobody speaks, by a token that is drawn for nothing else."""
        sampling = SamplingParams(
            temperature=0.0, num_logprobs=0, logprob_token_ids=(self._info.no_speech_id,)
        )
        events = await self._generate(task, sampling, max_tokens=1)
        return exp(events[0].top_logprobs[0].logprob)

    def _found_no_speech(self, task: WindowTask, first: TokenEvent) -> float:
        assert first.prompt is not None, "the log-probabilities of the prompt were asked for"
        behind_start = first.prompt[task.prompt.index(self._info.start_id) + 1]
        return exp(behind_start.top_logprobs[0].logprob)

    async def _generate(
        self, task: WindowTask, sampling: SamplingParams, *, max_tokens: int | None = None
    ) -> list[TokenEvent]:
        """Return the events of a whole output. max_tokens: None for all that fit."""
        request = GenerationRequest(
            request_id=token_hex(16),
            prompt=Prompt(task.prompt, (task.window,)),
            sampling=sampling,
            stopping=StopConditions(max_tokens=max_tokens or self._info.num_positions - len(task.prompt)),
        )
        async with aclosing(self._active.run(request)) as running:
            events = [event async for event in running]
        self.counts.num_decodings += 1
        self.counts.num_prompt_tokens += len(task.prompt)
        self.counts.num_output_tokens += len(events)
        return events

    def _measured(
        self, events: Sequence[TokenEvent], temperature: float, no_speech_prob: float
    ) -> DecodedWindow:
        token_ids = tuple(event.token_id for event in events)
        text = text_of(token_ids, self._info, self._tokenizer).strip()
        logprobs = tuple(event.logprob or 0.0 for event in events)
        avg_logprob = sum(logprobs) / len(logprobs)
        rules = self._rules
        is_unlikely = rules.min_avg_logprob is not None and avg_logprob < rules.min_avg_logprob
        is_quiet = rules.max_no_speech_prob is not None and no_speech_prob > rules.max_no_speech_prob
        return DecodedWindow(
            token_ids=token_ids,
            logprobs=logprobs,
            text=text,
            temperature=temperature,
            avg_logprob=avg_logprob,
            compression_ratio=_compression_ratio(text),
            no_speech_prob=no_speech_prob,
            is_silence=is_quiet and (is_unlikely or rules.min_avg_logprob is None),
        )

    def _is_good(self, decoded: DecodedWindow) -> bool:
        rules = self._rules
        is_repetitive = (
            rules.max_compression_ratio is not None
            and decoded.compression_ratio > rules.max_compression_ratio
        )
        is_unlikely = rules.min_avg_logprob is not None and decoded.avg_logprob < rules.min_avg_logprob
        return not is_repetitive and not is_unlikely


def text_of(token_ids: Sequence[int], info: SpeechInfo, tokenizer: Tokenizer) -> str:
    """Return the text of those tokens that are text, as the tokenizer has it."""
    ids = [token_id for token_id in token_ids if token_id < info.end_id]
    return tokenizer.decode(ids, skip_special_tokens=True)


def _compression_ratio(text: str) -> float:
    data = text.encode(errors="replace")
    return len(data) / len(zlib.compress(data))
