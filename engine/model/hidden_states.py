"""The hidden states that the body of a model passes to its head."""

from typing import Any

from torch import Tensor, nn
from transformers import PreTrainedModel

from engine.errors import ModelNotSupported


class HiddenStates:
    """The last hidden states of each forward pass, which the model's output does not have.

    The head computes only the rows whose logits are needed; pooling needs all rows.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        """Observe a model. Raises ModelNotSupported if its class does not name its body."""
        if model.base_model is model:
            raise ModelNotSupported(f"{type(model).__name__} does not tell its body from its head")
        self._rows: Tensor | None = None
        model.base_model.register_forward_hook(self._keep_output)

    @property
    def rows(self) -> Tensor:
        """The last batch's rows after the final norm, [num_tokens, hidden_size], in the model's dtype."""
        assert self._rows is not None, "no batch has run"
        return self._rows

    def keep(self, rows: Tensor) -> None:
        """Set the rows of a pass that the body's own forward did not compute."""
        self._rows = rows

    def _keep_output(self, module: nn.Module, inputs: Any, output: Any) -> None:
        self._rows = output[0][0]  # the first field is [1, num_tokens, hidden_size] in every class
