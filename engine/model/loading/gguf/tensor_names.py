"""The tensors of a model by those of its GGUF file, and what llama.cpp's converter has done to each."""

from collections.abc import Callable, Collection, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple

from engine.model.loading.gguf.configuration import MODEL_TYPES, ROPE_FACTORS
from engine.model.loading.gguf.header import GGUFTensor
from engine.port.errors import ModelNotSupported

_MOST_NAMED: Final = 3
_NO_WEIGHTS: Final = frozenset({"Q8_1", "Q8_K", "Q1_0", "I8", "I16", "I32", "I64", "F64"})
_EXPERTS: Final = "mlp.experts.gate_up_proj"


class Change(Enum):
    """A change that the converter made, and that is taken back."""

    NONE = "none"
    PERMUTED = "rows of heads in pairs, as llama.cpp rotates them"
    ADDED_ONE = "one added to each weight of a norm"


class Source(NamedTuple):
    """The stored tensors of which one of the model's consists, one after the other along the rows."""

    parts: tuple[GGUFTensor, ...]
    change: Change

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the model's tensor."""
        first = self.parts[0].shape
        if len(self.parts) == 1:
            return first
        return (*first[:-2], sum(part.shape[-2] for part in self.parts), first[-1])


def find_sources(
    path: Path, tensors: Collection[GGUFTensor], model_type: str, num_layers: int, names: Collection[str]
) -> dict[str, Source]:
    """Return the sources of a model's tensors by name; those that the file lacks are left out.

    names: of the model's tensors. Raises ModelNotSupported for tensors of the file that it has no place for.
    """
    stored = {tensor.name: tensor for tensor in tensors}
    if other := [tensor for tensor in tensors if tensor.kind in _NO_WEIGHTS]:
        raise ModelNotSupported(
            f"{path} holds weights of {other[0].kind}, which are not read: {other[0].name}"
        )
    own_name = _own_names(model_type, num_layers)
    found: dict[str, Source] = {}
    for name in names:
        wanted = list(own_name(name))
        if wanted and all(each in stored for each in wanted):
            found[name] = Source(tuple(stored[each] for each in wanted), _change(model_type, name))
    used = {part.name for source in found.values() for part in source.parts}
    if unused := sorted(set(stored) - used - set(ROPE_FACTORS)):
        shown = ", ".join(unused[:_MOST_NAMED])
        more = f" and {len(unused) - _MOST_NAMED} more" if len(unused) > _MOST_NAMED else ""
        raise ModelNotSupported(
            f"{path} holds tensors that a model of type {model_type} has no place for: {shown}{more}"
        )
    return found


def _own_names(model_type: str, num_layers: int) -> Callable[[str], Iterator[str]]:
    """Return the function from the name of one of the model's tensors to those of the file's."""
    import gguf

    architecture = next(own for own, each in MODEL_TYPES.items() if each == model_type)
    numbers: Mapping[str, Any] = {name: number for number, name in gguf.MODEL_ARCH_NAMES.items()}
    known = gguf.get_tensor_name_map(numbers[architecture], num_layers)

    def own(name: str) -> Iterator[str]:
        if name.endswith(_EXPERTS):
            layer = name.removesuffix(_EXPERTS).rstrip(".").rpartition(".")[2]
            yield from (f"blk.{layer}.ffn_{part}_exps.weight" for part in ("gate", "up"))
        elif name == "lm_head.weight":  # of which gguf knows nothing where it usually is the embedding
            yield "output.weight"
        elif (found := known.get_name(name, try_suffixes=(".weight", ".bias"))) is not None:
            yield found if found.endswith((".weight", ".bias")) else f"{found}.weight"

    return own


def _change(model_type: str, name: str) -> Change:
    if model_type == "llama" and any(f".{each}_proj." in name for each in ("q", "k")):
        return Change.PERMUTED
    if model_type.startswith("gemma") and name.endswith("norm.weight"):
        return Change.ADDED_ONE
    return Change.NONE
