"""The trial of the fallback path at load: parts of a sequence must give what the whole does."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import msgspec
import torch
from torch import Tensor
from transformers import PreTrainedConfig, PreTrainedModel

from engine.attention.batch import build_batch
from engine.attention.paged_attention import EAGER
from engine.model.checks.reference_pass import is_same, largest_difference, reference_logits
from engine.model.fallback.own_cache import CachedModel
from engine.model.fallback.runner import FallbackRunner
from engine.model.mask_windows import windows_recorded
from engine.port.errors import EngineError, ModelNotSupported, one_line
from engine.port.request import Prompt
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.schedule import ScheduledTokens
from engine.scheduling.scheduler import Scheduler
from engine.speech.speech_class import speech_class

# Said at the start of a model whose code cannot continue a prompt with several tokens at once.
STEPWISE: Final = "a prompt is continued token by token, since the model's code cannot in chunks"

# A window, a chunk or a compressed run of more tokens is not tried: it would take seconds.
_MAX_REACH = 512
_NAMES_OF_REACHES = re.compile("window|chunk|compress|block")


class _Text(NamedTuple):
    """A sequence of the trial, and which of its tokens each step computes: the first part begins, the second
    continues, the last decodes.
    """

    token_ids: tuple[int, ...]
    parts: tuple[tuple[int, int], ...]


# The second begins with a single token.
_TEXTS = (
    _Text(tuple(range(8)), ((0, 5), (5, 7), (7, 8))),
    _Text(tuple(reversed(range(8))), ((0, 1), (1, 6), (6, 8))),
)


class CacheCost(msgspec.Struct, frozen=True):
    """The memory of a model's own cache in bytes: what each token adds to it, and what a sequence takes
    besides, as by recurrent layers.
    """

    token_bytes: int
    sequence_bytes: int

    def with_audio_of(self, model: PreTrainedModel) -> "CacheCost":
        """Return the cost with that of the recordings which sequences of a model that transcribes are about.

        A trial has a few rows in place of one.
        """
        speech = speech_class(model.config)
        audio_bytes = model.audio_bytes if speech is not None and isinstance(model, speech) else 0
        return CacheCost(self.token_bytes, self.sequence_bytes + audio_bytes)


class _Trial(NamedTuple):
    """The logits of each text, [num_tokens, vocab_size] float32; the bytes of its cache after each part;
    and the windows, in tokens, that the caches keep although no mask has them.
    """

    logits: list[Tensor]
    sizes: list[list[int]]
    unmasked_windows: set[int]


def observe_cost(model: CachedModel) -> CacheCost:
    """Compute a few tokens, and return what their caches take. The model may have no data."""
    sizes: list[list[int]] = []
    for text in _TEXTS:
        cache = model.new_cache()
        sizes.append([])
        for start, end in text.parts:
            ids = torch.tensor(text.token_ids[start:end], device=model.device)
            model.compute(cache, ids, ids[:0])
            sizes[-1].append(cache.num_bytes)
    return _cost(sizes)


def choose_fallback_steps(model: PreTrainedModel, runner: FallbackRunner) -> CacheCost:
    """Let the runner compute chunks at once or token by token, whichever is right, and return their cost.

    Sequences are computed by turns, so that what modules keep of one would spoil the others. Raises
    ModelNotSupported if neither way gives the logits of a pass over the whole sequence.
    """
    name = type(model).__name__
    texts = [*_TEXTS, *_beyond_reach(model.config.get_text_config(decoder=True))]
    wholes = [reference_logits(model, list(text.token_ids)) for text in texts]
    if not all(whole.isfinite().all() for whole in wholes):
        raise ModelNotSupported(f"{name} computes logits of NaN or infinity in {model.dtype}")
    begun = reference_logits(model, list(texts[0].token_ids[:4]))
    if not is_same(largest_difference(begun, wholes[0][: len(begun)]), model.dtype):
        raise ModelNotSupported(f"{name} looks ahead: what it computes of a token depends on later ones")
    faults = []
    for runner.is_stepwise in (False, True):
        try:
            trial = _try(runner, texts)
        except EngineError:
            raise
        except Exception as error:  # whatever modelling code raises for a chunk
            faults.append(one_line(error))
            continue
        if trial.unmasked_windows:
            kept = ", ".join(map(str, sorted(trial.unmasked_windows)))
            raise ModelNotSupported(
                f"{name} keeps the last {kept} tokens in its cache, and sees all others within a prompt"
            )
        difference = max(map(largest_difference, trial.logits, wholes))
        if is_same(difference, model.dtype):
            return _cost(trial.sizes[: len(_TEXTS)])
        faults.append(f"logits differ by {difference:.1%}")
    raise ModelNotSupported(f"{name} does not continue a sequence from its own cache: {faults[-1]}")


def cannot_fall_back(obstacle: str, fault: object) -> str:
    """Return the refusal of a model for both ways.

    obstacle: why it does not attend over pages. fault: why its own cache does not serve it.
    """
    return f"{obstacle}, and the fallback path cannot serve it: {fault}"


def _beyond_reach(config: PreTrainedConfig) -> Iterator[_Text]:
    """Yield a text that crosses the longest window, chunk or compressed run that the configuration names."""
    numbers = [
        number
        for name, value in config.to_dict().items()
        if _NAMES_OF_REACHES.search(name)
        for number in (value.values() if isinstance(value, dict) else [value])
    ]
    reaches = [number for number in numbers if type(number) is int and 8 <= number <= _MAX_REACH]
    num_tokens = max(reaches, default=0) + 9
    if reaches and num_tokens <= getattr(config, "max_position_embeddings", num_tokens):
        ids = tuple((7 * place + 3) % config.vocab_size for place in range(num_tokens))
        yield _Text(
            ids, ((0, num_tokens - 12), (num_tokens - 12, num_tokens - 4), (num_tokens - 4, num_tokens))
        )


def _try(runner: FallbackRunner, texts: Sequence[_Text]) -> _Trial:
    """Compute the texts by turns, in slots from 0 on, and release these."""
    num_blocks = sum(-(-len(text.token_ids) // runner.block_size) for text in texts)
    pool = BlockPool(num_blocks, runner.block_size)
    scheduler = Scheduler(pool, max_batch_tokens=_MAX_REACH, max_num_sequences=len(texts))
    sequences = []
    for slot, text in enumerate(texts):
        sequence = scheduler.new_sequence(order=(0, slot, 0), prompt=Prompt(text.token_ids))
        sequence.table.grow(len(text.token_ids), write_from=0)
        sequence.slot = slot
        sequences.append(sequence)
    logits: list[list[Tensor]] = [[] for _ in sequences]
    sizes: list[list[int]] = [[] for _ in sequences]
    with windows_recorded(EAGER) as masked:
        for parts in zip(*(text.parts for text in texts), strict=True):
            entries = [ScheduledTokens(each, *part) for each, part in zip(sequences, parts, strict=True)]
            batch = build_batch(entries, runner.block_size)
            rows = runner.run(batch, list(range(len(batch.input_ids)))).float()
            for entry, span in zip(batch.entries, batch.spans, strict=True):
                logits[sequences.index(entry.sequence)].append(rows[span.row : span.row + span.num_tokens])
            for slot, of_sequence in enumerate(sizes):
                of_sequence.append(runner.cache_of(slot).num_bytes)
    unmasked = runner.cache_of(0).windows - masked
    runner.release_states(list(range(len(sequences))))
    return _Trial([torch.cat(parts) for parts in logits], sizes, unmasked)


def _cost(sizes: list[list[int]]) -> CacheCost:
    """Return the cost by a line above these sizes, in bytes, of each text's cache after each part."""
    points = [
        [(end, size) for (_, end), size in zip(text.parts, of_text, strict=True)]
        for text, of_text in zip(_TEXTS, sizes, strict=True)
    ]
    token_bytes = max(
        -(-(larger - smaller) // (end - begin))
        for of_prompt in points
        for (begin, smaller), (end, larger) in pairwise(of_prompt)
    )
    token_bytes = max(token_bytes, 0)
    besides = max(size - end * token_bytes for of_prompt in points for end, size in of_prompt)
    return CacheCost(token_bytes, max(besides, 0))
