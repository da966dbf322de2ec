"""The parts of an engine on the fallback path, whose model runs with transformers' own cache."""

from collections.abc import Callable

from engine.assembly.engine_parts import EngineParts
from engine.assembly.kernel_reports import fallback_kernels
from engine.assembly.prepared_model import PreparedModel
from engine.assembly.sequence_memory import SequenceMemory
from engine.model.fallback.runner import FallbackRunner
from engine.model.fallback.trial import STEPWISE, cannot_fall_back, choose_fallback_steps
from engine.port.errors import EngineError, ModelNotSupported, one_line
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
    memory = SequenceMemory.on_fallback(cost, model, obstacle, config)
    sizes = memory.sizes(config, loaded.plan)
    states = SequenceStates(StateSlots(sizes.max_num_sequences), config.block_size, takes_snapshots=False)
    scheduler = prepared.scheduler(sizes, runner, states, shares_blocks=False)
    kernels = tuple(fallback_kernels(model.device, model.dtype, prepared.linears))
    if config.require_native:
        check_none_is_missing(kernels)
    info = prepared.facts.describe(memory, sizes, runner.hidden_states.shape[1], kernels)
    return EngineParts(config, runner, scheduler, loaded.tokenizer, info, None, loaded.speech)
