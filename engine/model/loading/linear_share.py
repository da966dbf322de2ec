"""The share of a model's weights that compiled products of bfloat16 serve."""

from torch import nn
from transformers import PreTrainedConfig

from engine.model.loading.skeleton import skeleton_of

_MOST_OTHERS = 0.1  # of all weights


def is_mostly_linear(model_config: PreTrainedConfig) -> bool:
    """Return whether nearly all weights belong to plain linear layers and embeddings.

    Only these are served by compiled products. Those of a mixture's experts are torch's, which takes many
    times as long in bfloat16 as in float32 on a processor without instructions for bfloat16. Returns False
    for a model that cannot be made from only its config.
    """
    try:
        model = skeleton_of(model_config)
    except Exception:  # modelling code may raise anything; the loading of the weights reports it
        return False
    served = {
        weight
        for module in model.modules()
        if type(module) is nn.Linear or isinstance(module, nn.Embedding)
        for weight in module.parameters(recurse=False)
    }
    sizes = {weight: weight.numel() for weight in model.parameters() if weight.dim() > 1}
    num_others = sum(size for weight, size in sizes.items() if weight not in served)
    return num_others <= _MOST_OTHERS * sum(sizes.values())
