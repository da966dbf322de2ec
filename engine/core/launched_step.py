"""A step between launch and collect: being computed on the device, and not yet read."""

from dataclasses import dataclass, field

from engine.core.stages.embedding_stage import LaunchedEmbeddings
from engine.core.stages.next_tokens import LaunchedTokens
from engine.core.stages.prompt_logprobs import LaunchedPromptScores
from engine.host.transfers import Readback
from engine.port.info.stats import StepCounters
from engine.scheduling.schedule import Schedule


@dataclass(slots=True, eq=False)
class LaunchedStep:
    """The schedule of one step and the results that the device is computing.

    started_at, computed_at: the times at which the step began and the call of the model returned, by
        `time.perf_counter`. forward_s: the seconds that the call of the model took.
    failed_media: the digests of media that could not be encoded; the requests whose tokens in the step hold
        one of them fail when it is collected.
    error: the exception that ended the launch; the step's requests fail when it is collected.
    """

    schedule: Schedule
    counters: StepCounters
    started_at: float
    computed_at: float = 0.0
    forward_s: float = 0.0
    readback: Readback = field(default_factory=Readback)
    prompt_scores: LaunchedPromptScores | None = None
    embeddings: LaunchedEmbeddings | None = None
    tokens: LaunchedTokens | None = None
    failed_media: frozenset[bytes] = frozenset()
    error: Exception | None = None
