"""A description of the engine that would start, only from configuration and headers of weights."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec
import torch
from msgspec.structs import replace
from transformers import PreTrainedModel

from engine.assembly.kernel_reports import fallback_kernels, paged_kernels
from engine.assembly.model_facts import NO_DRAFTS, ModelFacts
from engine.assembly.prepared_model import check_compiled_code
from engine.assembly.sequence_memory import SequenceMemory
from engine.attention.kv_cache.budget import CacheSizes
from engine.attention.kv_cache.geometry import KVGeometry, LayerGeometry
from engine.attention.paged_attention import EAGER
from engine.attention.varlen.choice import VarlenChoice, choose_layers
from engine.attention.varlen.library import torch_varlen
from engine.config import EngineConfig
from engine.fusion.layer_fusion import expected_fusion
from engine.linear.linear_facts import expected_linear_facts
from engine.linear.merged_linear import Mergeable, find_mergeable
from engine.linear.plain_linear import is_plain, readers_observed
from engine.linear.unread_linear import put_unread_linears
from engine.model.adaptation.adapted_modules import adapt_modules
from engine.model.fallback.own_cache import CachedModel
from engine.model.fallback.trial import cannot_fall_back, observe_cost
from engine.model.geometry_probe import observe_geometry
from engine.model.hidden_states import HiddenStates
from engine.model.loading.checkpoint.end_tokens import ends_note
from engine.model.loading.checkpoint.stored_tensors import read_headers
from engine.model.loading.fetching import fetch_descriptions, fetch_headers
from engine.model.loading.loader import media_processor, read_tokenizer
from engine.model.loading.memory import check_room
from engine.model.loading.planning.context import context_note
from engine.model.loading.planning.plan import PlannedModel, plan_model
from engine.model.loading.pooling_config import find_own_pooling
from engine.model.loading.refusals import NeedsWeights
from engine.model.loading.weights import ReadModel
from engine.model.loading.without_weights import model_without_weights
from engine.port.errors import EngineError, ModelNotSupported, NoPagedAttention
from engine.port.info.kernels import check_none_is_missing
from engine.port.info.model_info import ModelInfo
from engine.port.request import MediaKind
from engine.port.text.tokenizer import Tokenizer
from engine.state.probe import has_recurrent_layers, observe_states


class DryRun(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a dry run.

    refusal: why the engine would not start, in the words that it would use; None if it would.
    info: the model as the engine would describe it, its memory by what is free now; None if too little is
    known. kernels are those that would be tried: each is compared with what it replaces once weights are
    there. notes: what will not be used or is not known, a sentence without its end each.
    """

    refusal: str | None
    info: ModelInfo | None
    notes: tuple[str, ...]
    tokenizer: Tokenizer | None


def dry_run(config: EngineConfig, on_progress: Callable[[str], None]) -> DryRun:
    """Find out whether an engine of this configuration would start, without reading the model's weights.

    A model on the hub is described by its small files and the headers of its weights, which are fetched.
    What depends on contents is not found: weights that are not finite, or results that differ.
    """
    notes: list[str] = []
    tokenizer = None
    try:
        check_compiled_code(config)
        plan = _plan(config, on_progress)
        room = _refusal(lambda: check_room(plan.directory, plan.weight_bytes, plan.device))
        tokenizer = read_tokenizer(plan, config)
        if note := ends_note(plan.ends, tokenizer):
            notes.append(note)
        processor = media_processor(plan, config, tokenizer, lambda line: notes.append(_without_mark(line)))
        try:
            made = model_without_weights(
                plan.directory,
                plan.config,
                plan.dtype,
                plan.tensors or {},
                config,
                notes.append,
                attends_paged=plan.paged_obstacle is None,
                keeps_media=processor is not None,
            )
        except NeedsWeights as error:
            notes.append(f"not known without its weights: {error}")
            return DryRun(refusal=room, info=None, notes=tuple(notes), tokenizer=tokenizer)
        media = frozenset[MediaKind]() if processor is None else processor.kinds
        info, lack = _describe(config, plan, made, media, notes)
        if config.require_native:
            check_none_is_missing(info.kernels)
    except EngineError as error:
        return DryRun(refusal=str(error), info=None, notes=tuple(notes), tokenizer=tokenizer)
    return DryRun(refusal=room or lack, info=info, notes=tuple(notes), tokenizer=tokenizer)


def _without_mark(line: str) -> str:
    """Return a line of the progress as a note."""
    return line.removeprefix("note: ")


def _plan(config: EngineConfig, on_progress: Callable[[str], None]) -> PlannedModel:
    found = fetch_descriptions(config, on_progress)
    if found.revision is None:
        return plan_model(found, config)
    try:
        tensors = read_headers(found.path)
    except ModelNotSupported:  # not all of it is on this machine
        tensors = None
    return plan_model(found, config, fetch_headers(config) if tensors is None else tensors)


def _refusal(check: Callable[[], None]) -> str | None:
    try:
        check()
    except ModelNotSupported as error:
        return str(error)
    return None


def _describe(
    config: EngineConfig,
    plan: PlannedModel,
    made: ReadModel,
    media: frozenset[MediaKind],
    notes: list[str],
) -> tuple[ModelInfo, str | None]:
    """Return the model as the engine would describe it, and the refusal for want of memory, if any.

    media: the kinds of files that can be read for it.
    """
    if note := context_note(plan.config.get_text_config(), plan.max_total_tokens):
        notes.append(note)
    num_parameters, model = made.num_parameters, made.text
    put_unread_linears(model, plan.unread)
    observed = _observe(config, plan, model)
    if observed is None:
        notes.append("its layers were not tried, which needs its weights: the cache is as config.json says")
        observed = _configured(config, plan, model)
    memory, varlen, lack = observed.memory, None, None
    if observed.choice is not None:
        config, varlen = replace(config, block_size=observed.choice.block_size), observed.choice.kernel
    try:
        sizes = memory.sizes(config, plan, reserved_bytes=plan.weight_bytes)
    except ModelNotSupported as error:
        sizes, lack = CacheSizes(0, 0, 0, 0, config.max_num_sequences), str(error)
    if config.max_draft_tokens and memory.paged_obstacle is None and has_recurrent_layers(model):
        notes.append(NO_DRAFTS)
    facts = ModelFacts(
        config=config,
        plan=plan,
        model=model,
        num_parameters=num_parameters,
        pooling=find_own_pooling(plan.directory, notes.append),
        media=media,
        linears=expected_linear_facts(model, observed.mergeable, plan, config),
    )
    if memory.paged_obstacle is None:
        layers = [expected_fusion(model, plan.device, observed.mergeable)]
        kernels = paged_kernels(
            plan.device, model.dtype, memory.geometry.dtype, facts.linears, layers, varlen
        )
    else:
        kernels = fallback_kernels(plan.device, model.dtype, facts.linears)
    return facts.describe(memory, sizes, observed.hidden_size, tuple(kernels)), lack


class _Observed(NamedTuple):
    """The result of a pass of a few tokens. hidden_size: the number of entries of a hidden state.

    mergeable: as of `find_mergeable`. choice: of the layers that torch's varlen attention serves, on a GPU.
    """

    memory: SequenceMemory
    hidden_size: int
    mergeable: Mergeable
    choice: VarlenChoice | None = None


def _observe(config: EngineConfig, plan: PlannedModel, model: PreTrainedModel) -> _Observed | None:
    """Return what a pass of a few tokens shows; None if the model looks at data.

    Raises ModelNotSupported if the model can neither attend over pages nor run on the fallback path.
    """
    # Experts are chosen without looking at which tokens chose them, so that no data is needed.
    model.set_experts_implementation("batched_mm")
    obstacle = plan.paged_obstacle
    try:
        if obstacle is None:
            try:
                adapt_modules(model)
                return _on_pages(config, plan, model)
            except NoPagedAttention as error:
                if _wants_data(error.__cause__):
                    return None
                if _is_of_configuration(error.__cause__):
                    reason = f"{type(error.__cause__).__name__}: {' '.join(str(error.__cause__).split())}"
                    name = type(model).__name__
                    raise ModelNotSupported(f"{name} does not compute a few tokens: {reason}") from error
                obstacle = str(error)
                model.set_attn_implementation(EAGER)
        return _on_fallback(config, plan, model, obstacle)
    except ModelNotSupported as error:
        if obstacle is None:
            raise
        raise ModelNotSupported(cannot_fall_back(obstacle, error)) from error
    except Exception:  # modelling code raises all kinds, for want of data or for a chunk
        return None


def _on_pages(config: EngineConfig, plan: PlannedModel, model: PreTrainedModel) -> _Observed:
    states = HiddenStates(model)
    geometry = observe_geometry(model)
    mergeable = _mergeable(plan, model, lambda: observe_geometry(model))
    slot_bytes = observe_states(model).geometry.slot_bytes if has_recurrent_layers(model) else None
    choice = None
    if (library := torch_varlen(plan.device)) is not None:
        choice = choose_layers(geometry, library, config.block_size, plan.device)
        config = replace(config, block_size=choice.block_size)
    memory = SequenceMemory.on_pages(geometry, slot_bytes, config)
    return _Observed(memory, states.rows.shape[-1], mergeable, choice)


def _on_fallback(
    config: EngineConfig, plan: PlannedModel, model: PreTrainedModel, obstacle: str
) -> _Observed:
    states = HiddenStates(model)
    # RWKV reads some weights only in the first pass, which is the one that merges layers at a start.
    with readers_observed([module for module in model.modules() if is_plain(module)]):
        cached = CachedModel(model)
    ids = torch.arange(2, device=model.device)
    mergeable = _mergeable(plan, model, lambda: cached.compute(cached.new_cache(), ids, ids))
    memory = SequenceMemory.on_fallback(observe_cost(cached), model, obstacle, config)
    return _Observed(memory, states.rows.shape[-1], mergeable)


def _mergeable(plan: PlannedModel, model: PreTrainedModel, run: Callable[[], object]) -> Mergeable:
    """Return what `find_mergeable` returns, on a device where layers are merged."""
    return find_mergeable(model, run) if plan.device.type == "cpu" else {}


def _wants_data(error: BaseException | None) -> bool:
    """Return whether an exception is one of torch's about tensors without data."""
    return isinstance(error, NotImplementedError | RuntimeError) and "meta" in str(error).lower()


def _is_of_configuration(error: BaseException | None) -> bool:
    """Return whether a model's configuration makes it fail, with data as without: by what is null, 0 or not
    there, or by sizes that do not go together.
    """
    return (
        isinstance(error, ZeroDivisionError | KeyError)
        or (isinstance(error, TypeError) and "NoneType" in str(error))
        or (isinstance(error, RuntimeError) and "broadcast a dimension" in str(error))
    )


def _configured(config: EngineConfig, plan: PlannedModel, model: PreTrainedModel) -> _Observed:
    """Return what config.json says, of a model whose layers were not tried."""
    text_config = plan.config.get_text_config()
    num_heads = getattr(text_config, "num_key_value_heads", None) or text_config.num_attention_heads
    dim = getattr(text_config, "head_dim", None) or text_config.hidden_size // text_config.num_attention_heads
    layers = (LayerGeometry(index, num_heads, dim, dim) for index in range(text_config.num_hidden_layers))
    memory = SequenceMemory.on_pages(KVGeometry(tuple(layers), model.dtype), None, config)
    if plan.paged_obstacle is not None:
        memory = memory._replace(geometry=KVGeometry((), model.dtype), paged_obstacle=plan.paged_obstacle)
    return _Observed(memory, text_config.hidden_size, {})
