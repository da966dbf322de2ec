"""The hidden states that the body of a model passes to its head."""

from typing import Any

from torch import Tensor, nn
from transformers import PreTrainedModel

from engine.port.errors import ModelNotSupported


class HiddenStates:
    """The last hidden states of each forward pass, which the model's output does not have.

    The head computes only the rows whose logits are needed; pooling needs all rows.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        """Observe a model. Raises ModelNotSupported if its class does not name its body."""
        any_model: Any = model  # transformers does not annotate its methods
        # Some heads call the decoder inside the body (OPT). Where both are called, the body ends last. What
        # ModernBERT calls its decoder is its head.
        others = (model, any_model.get_output_embeddings(), None)
        bodies = [body for body in {model.base_model, any_model.get_decoder()} if body not in others]
        if not bodies:  # a class may name it wrongly (Llama 4)
            bodies = [child for child in model.children() if isinstance(child, PreTrainedModel)]
        if not bodies:
            raise ModelNotSupported(f"{type(model).__name__} does not tell its body from its head")
        self._name = type(model).__name__
        self._rows: Tensor | None = None
        for body in bodies:
            body.register_forward_hook(self._keep_output)

    @property
    def rows(self) -> Tensor:
        """The last batch's rows after the final norm, [num_tokens, hidden_size], in the model's dtype.

        Raises ModelNotSupported if a batch ran and the model called no module that is known as its body.
        """
        if self._rows is None:
            raise ModelNotSupported(
                f"{self._name} does not call its body as a module, so nothing shows the input of its head"
            )
        if self._rows.dim() != 2:
            raise ModelNotSupported(f"the body of {self._name} does not return its hidden states first")
        return self._rows

    def keep(self, rows: Tensor) -> None:
        """Set the rows of a pass that the body's own forward did not compute."""
        self._rows = rows

    def _keep_output(self, module: nn.Module, inputs: Any, output: Any) -> None:
        self._rows = output[0][0]  # the first field is [1, num_tokens, hidden_size] in every class
