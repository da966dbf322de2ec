"""The modules of a model without data are made once for one configuration, and again for another."""

from engine.model.loading.skeleton import forget_skeleton, skeleton_of
from tests.support.tiny_models.text import ARCHITECTURES


def test_one_configuration_has_one_skeleton_until_it_is_changed_or_forgotten() -> None:
    config = ARCHITECTURES["llama"]()
    before = config.to_dict()
    first = skeleton_of(config)
    assert first.device.type == "meta" and config.to_dict() == before
    assert skeleton_of(ARCHITECTURES["llama"]()) is first
    forget_skeleton()
    second = skeleton_of(config)
    assert second is not first
    config.num_hidden_layers += 1
    changed = skeleton_of(config)
    assert changed is not second and changed.config.num_hidden_layers == config.num_hidden_layers
    assert type(skeleton_of(ARCHITECTURES["qwen2"]())) is not type(changed)
    forget_skeleton()
