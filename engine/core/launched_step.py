"""A step between its two halves: on the device, and not yet read."""

from dataclasses import dataclass, field

from engine.core.beam_stage import LaunchedBeams
from engine.core.embedding_stage import LaunchedEmbeddings
from engine.core.prompt_logprobs import LaunchedPromptScores
from engine.core.sampling_stage import LaunchedGenerations
from engine.scheduling.schedule import Schedule
from engine.stats import StepCounters
from engine.transfers import Readback


@dataclass(slots=True, eq=False)
class LaunchedStep:
    """One step's schedule, and what the device computes of it. Times are seconds of `time.perf_counter`.

    computed_at: when the call of the model returned. forward_s: how long it took.
    error: why the step could not be launched; its requests fail when it is collected.
    """

    schedule: Schedule
    counters: StepCounters
    started_at: float
    computed_at: float = 0.0
    forward_s: float = 0.0
    readback: Readback = field(default_factory=Readback)
    prompt_scores: LaunchedPromptScores | None = None
    embeddings: LaunchedEmbeddings | None = None
    generations: LaunchedGenerations | None = None
    beams: LaunchedBeams | None = None
    error: Exception | None = None
