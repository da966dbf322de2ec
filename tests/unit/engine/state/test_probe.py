"""The modules that keep a recurrent state are found by what they do, whatever their names."""

import pytest

from engine.attention.paged_attention import ATTENTION_NAME
from engine.port.errors import ModelNotSupported
from engine.state.probe import has_recurrent_layers, observe_states
from tests.support.tiny_models.text import tiny_model


@pytest.mark.parametrize(
    ("architecture", "name", "layers", "kinds"),
    [
        ("qwen3_next", "linear_attn", [0, 2], {"conv_states", "recurrent_states"}),
        ("lfm2", "conv", [0, 2], {"conv_states"}),
        ("falcon_h1", "mamba", [0, 1, 2], {"conv_states", "recurrent_states"}),
        ("mamba", "mixer", [0, 1, 2], {"conv_states", "recurrent_states"}),
    ],
)
def test_each_recurrent_layer_has_one_module_with_its_state(
    architecture: str, name: str, layers: list[int], kinds: set[str]
) -> None:
    model = tiny_model(architecture)
    model.set_attn_implementation(ATTENTION_NAME)
    assert has_recurrent_layers(model)
    geometry, keepers = observe_states(model)
    assert [keeper.layer for keeper in keepers] == layers
    names = {module: path.rpartition(".")[2] for path, module in model.named_modules()}
    assert {names[keeper.module] for keeper in keepers} == {name}
    assert {tensor.kind for tensor in geometry.tensors} == kinds
    assert geometry.slot_bytes == sum(tensor.num_bytes for tensor in geometry.tensors) > 0


def test_a_model_without_recurrent_layers_has_no_state() -> None:
    model = tiny_model("llama")
    model.set_attn_implementation(ATTENTION_NAME)
    assert not has_recurrent_layers(model)
    with pytest.raises(ModelNotSupported, match="keeps its recurrent state out of transformers' cache"):
        observe_states(model)
