"""An engine whose layers torch's varlen attention serves, put together as for a GPU, on any device."""

import torch

from engine.attention.kv_cache.pages import KVPages
from engine.attention.paged_attention import ATTENTION_NAME
from engine.attention.paged_backend import PagedBackend
from engine.attention.varlen.attention import ServedLayers
from engine.attention.varlen.choice import refusal
from engine.attention.varlen.library import FORMS, VarlenLibrary
from engine.core.core import EngineCore
from engine.model.adaptation.adapted_modules import adapt_modules
from engine.model.geometry_probe import observe_geometry
from engine.model.recorded_steps import Capture, RecordedSteps, StepSize
from engine.model.runner import ModelRunner
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.sampler import Sampler
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.scheduler import Scheduler
from engine.scheduling.sequence_states import SequenceStates
from engine.scheduling.state_slots import StateSlots
from engine.speculation.ngram_proposer import NgramProposer
from engine.speculation.speculator import Speculator
from engine.state.by_sequence import compute_by_sequence
from engine.state.probe import has_recurrent_layers, observe_states
from engine.state.store import StateStore
from tests.support.tiny_models.text import tiny_model, tiny_tokenizer
from tests.unit.engine.free_rows import FreeRows

BLOCK_SIZE = 16
NUM_BLOCKS = 200
GRAPH_SIZES = (*map(StepSize.of_decodes, (1, 2, 4, 8)), StepSize.of_any(4, 8), StepSize.of_any(8, 8))


def varlen_core(
    architecture: str,
    library: VarlenLibrary,
    device: torch.device,
    dtype: torch.dtype,
    *,
    num_drafted: int = 0,
    capture: Capture | None = None,
    runs_ahead: bool = False,
    max_batch_tokens: int = 6,
    max_num_sequences: int = 64,
) -> EngineCore:
    """Return an engine of a tiny model. capture: records its steps, if it is given."""
    model = tiny_model(architecture)
    model.set_attn_implementation(ATTENTION_NAME)
    adapt_modules(model)
    torch.nn.Module.to(model, device, dtype)
    geometry = observe_geometry(model)
    layers = frozenset(layer.index for layer in geometry.layers if refusal(layer, geometry, library) is None)
    pages = KVPages(geometry, NUM_BLOCKS, BLOCK_SIZE, device, num_spare=1)
    states = slots = None
    if has_recurrent_layers(model):
        observed = observe_states(model)
        compute_by_sequence(observed.modules)
        states = StateStore(observed.geometry, 100, device)
        slots = SequenceStates(StateSlots(100), BLOCK_SIZE, takes_snapshots=True)
    served = ServedLayers(library, FORMS[1], layers)
    runner = ModelRunner(model, PagedBackend(pages, served.attention), states)
    if capture is not None:
        runner.recordings = recorded = RecordedSteps(runner, pages, served, most_keys=512)
        for size in GRAPH_SIZES:
            recorded.record(size, capture)
    scheduler = Scheduler(
        BlockPool(NUM_BLOCKS, BLOCK_SIZE),
        max_batch_tokens=max_batch_tokens,
        max_num_sequences=max_num_sequences,
        states=slots,
    )
    tokenizer = Tokenizer(tiny_tokenizer(), vocab_size=model.config.vocab_size, end_token_ids=())
    speculator = None
    if num_drafted:
        speculator = Speculator(NgramProposer(), num_drafted, costs=FreeRows(), most_rows=64)
    return EngineCore(
        runner, scheduler, Sampler(tokenizer), tokenizer, speculator=speculator, runs_ahead=runs_ahead
    )
