"""The parts of an engine whose model attends over pages."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from msgspec.structs import replace
from torch import Tensor
from transformers import PreTrainedModel

from engine.assembly.engine_parts import EngineParts
from engine.assembly.gpu_code import install_varlen, record_steps, report_ahead
from engine.assembly.kernel_reports import paged_kernels
from engine.assembly.model_facts import NO_DRAFTS
from engine.assembly.prepared_model import PreparedModel
from engine.assembly.sequence_memory import SequenceMemory
from engine.assembly.step_memory import PeakOf, largest_step_bytes
from engine.attention.kv_cache.budget import StepMemory
from engine.attention.kv_cache.pages import KVPages
from engine.attention.paged_backend import PagedBackend
from engine.attention.varlen.choice import VarlenChoice, choose_layers
from engine.attention.varlen.library import VarlenLibrary
from engine.config import EngineConfig
from engine.fusion.install_fast_path import ObservedSteps, install_fast_path, observe_steps
from engine.fusion.layer_fusion import fuse_layers
from engine.fusion.layer_stacking import stack_layers
from engine.model.checks.reference_pass import is_same, largest_difference
from engine.model.checks.self_check import check_attention, decoded_logits, eager_logits, paged_logits
from engine.model.geometry_probe import observe_geometry
from engine.model.loading.memory import size_in_words
from engine.model.recorded_steps import Capture
from engine.model.runner import ModelRunner
from engine.port.info.kernels import Kernel, check_none_is_missing
from engine.scheduling.sequence_states import SequenceStates
from engine.scheduling.state_slots import StateSlots
from engine.state.by_sequence import compute_by_sequence
from engine.state.probe import has_recurrent_layers, observe_states
from engine.state.store import StateStore


@dataclass(frozen=True)
class PagedParts(EngineParts):
    """The parts of a model that attends over pages. attention: holds the pages."""

    runner: ModelRunner
    attention: PagedBackend


def paged_parts(
    prepared: PreparedModel,
    library: VarlenLibrary | None,
    capture: Capture | None,
    peak_of: PeakOf | None,
    on_progress: Callable[[str], None],
) -> PagedParts:
    """Return the parts of a model that attends over pages. library, capture, peak_of: None on a CPU.

    Raises NoPagedAttention if it cannot.
    """
    loaded = prepared.loaded
    geometry = observe_geometry(loaded.model)
    choice = None
    if library is not None:
        choice = choose_layers(geometry, library, prepared.config.block_size, loaded.model.device)
        prepared = prepared._replace(config=_with_blocks(prepared.config, choice.block_size))
    config = prepared.config
    observed = observe_states(loaded.model) if has_recurrent_layers(loaded.model) else None
    device = loaded.model.device
    slot_bytes = None if observed is None else observed.geometry.slot_bytes
    memory = SequenceMemory.on_pages(geometry, slot_bytes, config)
    attention = PagedBackend(KVPages(geometry, 1, config.block_size, device))
    runner = ModelRunner(loaded.model, attention, None, loaded.media)
    steps = None
    is_sized = config.num_kv_blocks is not None or config.kv_cache_bytes is not None
    if choice is not None and peak_of is not None and observed is None and not is_sized:
        steps = _measure_steps(prepared, choice, runner, attention, peak_of, is_recorded=capture is not None)
        on_progress(f"steps take up to {size_in_words(steps.num_bytes)} in addition to weights and cache")
    sizes = memory.sizes(config, loaded.plan, steps=steps)
    states = None
    if observed is not None:
        compute_by_sequence(observed.modules)
        runner.states = states = StateStore(observed.geometry, sizes.num_state_slots, device)
        if config.max_draft_tokens:
            on_progress(NO_DRAFTS)
    attention.pages = KVPages(
        geometry, sizes.num_blocks, config.block_size, device, num_spare=0 if capture is None else 1
    )
    slots = None
    if states is not None:
        _choose_steps(loaded.model, runner, on_progress)
        slots = SequenceStates(
            StateSlots(states.num_slots), config.block_size, takes_snapshots=config.prefix_caching
        )
    scheduler = prepared.scheduler(sizes, runner, slots)
    varlen = None if choice is None else install_varlen(choice, attention, runner)
    layers = _install_layers(prepared, runner)
    kernels = tuple(
        paged_kernels(device, loaded.model.dtype, geometry.dtype, prepared.linears, layers, varlen)
    )
    if choice is not None and capture is not None:
        kernels += record_steps(
            choice,
            attention,
            runner,
            capture,
            num_sequences=sizes.max_num_sequences,
            num_tokens=config.max_batch_tokens,
            most_keys=min(loaded.plan.max_total_tokens, sizes.num_blocks * config.block_size),
        )
        kernels += (report_ahead(config, scheduler),)
    if config.require_native:
        check_none_is_missing(kernels)
    info = prepared.facts.describe(memory, sizes, runner.hidden_states.shape[1], kernels)
    return PagedParts(config, runner, scheduler, loaded.tokenizer, info, loaded.media, None, attention)


def _measure_steps(
    prepared: PreparedModel,
    choice: VarlenChoice,
    runner: ModelRunner,
    attention: PagedBackend,
    peak_of: PeakOf,
    *,
    is_recorded: bool,
) -> StepMemory:
    """Return the memory of steps whose layers attend as was chosen. is_recorded: if all can be recorded.

    Raises ModelNotSupported and NoPagedAttention as `largest_step_bytes` does.
    """
    loaded, own = prepared.loaded, attention.attention
    if choice.served is not None:
        attention.attention = choice.served.attention
    is_all = choice.served is not None and len(choice.served.layers) == attention.pages.num_layers
    num_bytes = largest_step_bytes(
        runner,
        loaded.tokenizer,
        prepared.config,
        loaded.plan.max_total_tokens,
        peak_of,
        is_recorded=is_recorded and is_all,
    )
    attention.attention = own
    return StepMemory(num_bytes, is_bounded=is_all and loaded.media is None)


def _with_blocks(config: EngineConfig, block_size: int) -> EngineConfig:
    """Return a configuration with blocks of another size, of which as many hold as many tokens as before."""
    if config.num_kv_blocks is None:
        return replace(config, block_size=block_size)
    num_blocks = -(-config.num_kv_blocks * config.block_size // block_size)
    return replace(config, block_size=block_size, num_kv_blocks=num_blocks)


def _choose_steps(model: PreTrainedModel, runner: ModelRunner, on_progress: Callable[[str], None]) -> None:
    """Let recurrent layers continue sequences token by token where their code cannot do so in chunks.

    transformers' Mamba begins each chunk of several tokens from an empty state.
    """
    eager = eager_logits(model)
    of_chunks = largest_difference(paged_logits(runner), eager)
    if is_same(of_chunks, model.dtype):
        return
    runner.is_stepwise = True
    if largest_difference(paged_logits(runner), eager) < of_chunks:
        on_progress("recurrent layers continue a prompt token by token, since their code cannot in chunks")
    else:
        runner.is_stepwise = False


def _install_layers(prepared: PreparedModel, runner: ModelRunner) -> Iterator[Kernel]:
    """Replace layers and passes by compiled code, and report on it.

    Raises NoPagedAttention if paged attention differs from the model's own.
    """
    model = prepared.loaded.model
    is_quantized = prepared.config.quantize is not None or bool(prepared.linears.num_stored)
    eager, paged = eager_logits(model), list[Tensor]()

    def run() -> Tensor:
        paged.append(paged_logits(runner))
        if len(paged) == 1:  # of the model's own layers, before any is fused
            check_attention(model, paged[0], eager, is_quantized=is_quantized)
        return paged[-1]

    # Each of these needs the result of the one before it.
    yield fuse_layers(model, run, is_quantized=is_quantized)
    if not paged:
        run()
    steps: list[ObservedSteps] = []

    def decode() -> list[Tensor]:
        steps[:] = [observe_steps(model, lambda: decoded_logits(runner))]
        return steps[0].logits

    yield stack_layers(model, decode)
    # Its last pass was that of the stacked layers, which the fast path must equal.
    last = steps[0] if steps else None
    yield install_fast_path(model, runner, lambda: decoded_logits(runner), last)
