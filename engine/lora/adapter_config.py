"""`adapter_config.json` of an adapter as PEFT writes it, and what of it is served."""

import math
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

import msgspec

from engine.lora.patterns import is_match, matched_number, shown
from engine.port.errors import CannotLoadAdapter

_LAYER_NUMBER: Final = r".*?\.[^.]*\.(\d+)\."
_ALL_LINEAR: Final = "all-linear"

T = TypeVar("T")

Names: TypeAlias = list[str] | str

# Whatever changes the computation, by the values with which it does not. `true` for `use_rslora` is served.
_INERT: Final[dict[str, tuple[Any, ...]]] = {
    "use_dora": (False, None),
    "use_qalora": (False, None),
    "use_bdlora": (None, False),
    "lora_bias": (False, None),
    "bias": ("none", None),
    "modules_to_save": (None, []),
    "trainable_token_indices": (None, [], {}),
    "layer_replication": (None, []),
    "target_parameters": (None, []),
    "alora_invocation_tokens": (None, []),
    "arrow_config": (None,),
    "kasa_config": (None,),
    "monteclora_config": (None,),
    "velora_config": (None,),
    "megatron_config": (None,),
    # Beginnings that leave the base model as it is. The others (PiSSA, OLoRA, CorDA, LoftQ, LoRA-GA, MiCA)
    # change its weights or keep part of the adapter in them.
    "init_lora_weights": (True, False, None, "gaussian", "eva", "orthogonal"),
}
_INITIAL: Final = "init_lora_weights"
_UNSET: Final[tuple[Any, ...]] = (None, False, "", [], {})
# What says how an adapter was trained, where it came from and how PEFT holds it, whatever the value.
_HARMLESS: Final = frozenset(
    {
        "task_type", "auto_mapping", "peft_version", "base_model_name_or_path", "revision", "inference_mode",
        "lora_dropout", "megatron_core", "loftq_config", "eva_config", "corda_config", "lora_ga_config",
        "runtime_config", "qalora_group_size",
        "fan_in_fan_out",  # how the base model stores its weight, which this server knows itself
        "ensure_weight_tying",  # of embeddings and heads, whose adapters are refused
        "lora_dtype", "lorap_lr_ratio", "lorap_emb_lr",  # of ms-swift: the types and rates of training
    }
)  # fmt: skip


class AdapterConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The part of PEFT's LoraConfig that tells which layers change, and by how much; fields as there."""

    peft_type: str = "LORA"
    r: int = 8
    lora_alpha: float = 8
    use_rslora: bool = False
    rank_pattern: dict[str, int] | None = None
    alpha_pattern: dict[str, float] | None = None
    target_modules: Names | None = None
    exclude_modules: Names | None = None
    layers_to_transform: list[int] | int | None = None
    layers_pattern: Names | None = None

    def rank(self, path: str) -> int:
        """Return the rank of the layer at this path."""
        return _by_pattern(self.rank_pattern, path, self.r)

    def scaling(self, path: str) -> float:
        """Return the factor of the layer's change: alpha / rank, or alpha / sqrt(rank) if rank-stabilised."""
        alpha, rank = _by_pattern(self.alpha_pattern, path, self.lora_alpha), self.rank(path)
        return alpha / math.sqrt(rank) if self.use_rslora else alpha / rank

    def targets(self, path: str) -> bool:
        """Return whether the linear layer at this path, which is not the head, is one to change."""
        if self.exclude_modules and _is_named(self.exclude_modules, path):
            return False
        if self.target_modules is None:
            return False
        if isinstance(self.target_modules, str):
            return self.target_modules.lower() == _ALL_LINEAR or _is_named(self.target_modules, path)
        return _is_named(self.target_modules, path) and self._has_layer_of(path)

    def _has_layer_of(self, path: str) -> bool:
        wanted = self.layers_to_transform
        if wanted is None or wanted == []:
            return True
        names = [self.layers_pattern] if isinstance(self.layers_pattern, str) else self.layers_pattern or []
        patterns = [rf"(?:.*?\.)?(?:{name})\.(\d+)\." for name in names] or [_LAYER_NUMBER]
        numbers = (matched_number(pattern, path) for pattern in patterns)
        number = next((each for each in numbers if each is not None), None)
        return number in ([wanted] if isinstance(wanted, int) else wanted)


def read_config(text: bytes, max_rank: int) -> AdapterConfig:
    """Return what the bytes of `adapter_config.json` say.

    max_rank: of any layer. Raises CannotLoadAdapter, with the field, for anything that is not served.
    """
    try:
        raw = msgspec.json.decode(text, type=dict[str, Any])
        config = msgspec.convert(raw, AdapterConfig)
    except msgspec.MsgspecError as error:
        raise CannotLoadAdapter(f"adapter_config.json: {error}") from error
    if config.peft_type != "LORA":
        raise CannotLoadAdapter(f"adapter_config.json: peft_type {config.peft_type!r}: only LORA is served")
    for name, value in raw.items():
        if name in _INERT and value not in _INERT[name]:
            _refuse(name, value)
        is_known = name in _INERT or name in _HARMLESS or name in AdapterConfig.__struct_fields__
        if not is_known and value not in _UNSET:  # a field of a later release, or of another program
            _refuse(name, value)
    _check_numbers(config, max_rank)
    return config


def _refuse(name: str, value: object) -> NoReturn:
    why = ""
    if name == _INITIAL:
        why = (
            ", since its training began by changing the base model; PEFT converts it to a plain LoRA adapter "
            "(save_pretrained with path_initial_model_for_weight_conversion)"
        )
    raise CannotLoadAdapter(f"adapter_config.json: {name} {shown(value)} is not served{why}")


def _check_numbers(config: AdapterConfig, max_rank: int) -> None:
    for rank in (config.r, *(config.rank_pattern or {}).values()):
        if not 1 <= rank <= max_rank:
            reason = f"adapter_config.json: rank {rank} lies outside of 1 to {max_rank} (--max-lora-rank)"
            raise CannotLoadAdapter(reason)
    for alpha in (config.lora_alpha, *(config.alpha_pattern or {}).values()):
        if not math.isfinite(alpha):
            raise CannotLoadAdapter("adapter_config.json: lora_alpha is not finite")


def _by_pattern(patterns: dict[str, T] | None, path: str, default: T) -> T:
    """Return the value of the first pattern that is the end of the path, as PEFT finds it."""
    return next(
        (value for key, value in (patterns or {}).items() if is_match(rf"(?:.*\.)?(?:{key})", path)), default
    )


def _is_named(names: Names, path: str) -> bool:
    if isinstance(names, str):
        return is_match(names, path)
    return any(path == name or path.endswith(f".{name}") for name in names)
