"""The parts of an engine on the fallback path, whose model runs with transformers' own cache."""

from collections.abc import Callable

from engine.assembly.engine_parts import EngineParts
from engine.assembly.prepared_model import PreparedModel
from engine.attention.kv_cache.budget import choose_cache_sizes
from engine.attention.kv_cache.geometry import KVGeometry
from engine.linear.packed_linear import linear_kernel
from engine.model.fallback.kernels import fallback_kernels
from engine.model.fallback.runner import FallbackRunner
from engine.model.fallback.trial import STEPWISE, cannot_fall_back, choose_fallback_steps
from engine.model.loading.refusals import one_line
from engine.port.errors import EngineError, ModelNotSupported
from engine.port.info.kernels import check_none_is_missing
from engine.scheduling.sequence_states import SequenceStates
from engine.scheduling.state_slots import StateSlots


def fallback_parts(prepared: PreparedModel, obstacle: str, on_progress: Callable[[str], None]) -> EngineParts:
    """Return the parts of a model that runs with transformers' own cache, a sequence at a time.

    obstacle: why it does not attend over pages. Raises ModelNotSupported if it cannot run so either.
    """
    config, loaded, model = prepared.config, prepared.loaded, prepared.loaded.model
    try:
        runner = FallbackRunner(model, config.block_size, loaded.speech)
        cost = choose_fallback_steps(model, runner)
    except ModelNotSupported as error:
        raise ModelNotSupported(cannot_fall_back(obstacle, error)) from error
    except EngineError:
        raise
    except Exception as error:  # whatever modelling code raises
        raise ModelNotSupported(cannot_fall_back(obstacle, one_line(error))) from error
    if runner.is_stepwise:
        on_progress(STEPWISE)
    sizes = choose_cache_sizes(
        config,
        cost.token_bytes * config.block_size,
        cost.with_audio_of(model).sequence_bytes or None,
        loaded.plan.max_total_tokens,
        model.device,
        keeps_snapshots=False,
    )
    states = SequenceStates(StateSlots(sizes.max_num_sequences), config.block_size, takes_snapshots=False)
    scheduler = prepared.scheduler(sizes, runner, states, shares_blocks=False)
    kernels = tuple(
        fallback_kernels(
            model.device,
            model.dtype,
            linear_kernel(model),
            quantize=config.quantize,
            has_stored_layers=prepared.has_stored_layers,
        )
    )
    if config.require_native:
        check_none_is_missing(kernels)
    geometry = KVGeometry((), model.dtype)
    info = prepared.describe(geometry, sizes, runner, kernels, paged_obstacle=obstacle)
    return EngineParts(config, runner, scheduler, loaded.tokenizer, info, None, loaded.speech)
