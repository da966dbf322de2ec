"""Whisper as a language model that continues a sequence of tokens about a sound."""

from copy import copy
from typing import Any, Final

import torch
from torch import Tensor, nn
from transformers import Cache, WhisperForConditionalGeneration
from transformers.cache_utils import EncoderDecoderCache
from transformers.modeling_outputs import Seq2SeqLMOutput
from typing_extensions import override

# Rows that stand for a sound where none is given, as in trials at load.
_NUM_TRIAL_ROWS: Final = 8


class SpeechModel(WhisperForConditionalGeneration):  # type: ignore[no-untyped-call]  # its subclass hook
    """transformers' model, whose decoder can be called as a language model, and its encoder apart from it.

    Its decoder attends by its own code, so that the weights with which it attends to a sound can be read; its
    encoder by torch's.
    """

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        encoder_config = copy(config)
        encoder_config._attn_implementation_internal = "sdpa"
        for module in self.model.encoder.modules():
            if getattr(module, "config", None) is config:
                module.config = encoder_config

    @property
    def audio_bytes(self) -> int:
        """The memory of what a sequence keeps of its sound: keys and values in each layer of the decoder."""
        config: Any = self.config
        num_elements: int = 2 * config.decoder_layers * config.max_source_positions * config.d_model
        return num_elements * self.dtype.itemsize

    @torch.inference_mode()
    def encode(self, windows: Tensor) -> Tensor:
        """Return what the decoder attends to, [n, num_positions, d_model].

        windows: float32 [n, num_bands, window_frames].
        """
        windows = windows.to(self.device, self.dtype)
        encoded: Tensor = self.model.encoder(windows).last_hidden_state
        return encoded

    @torch.inference_mode()
    def cross_weights(self, encoded: Tensor, input_ids: Tensor, heads: tuple[tuple[int, int], ...]) -> Tensor:
        """Return the weights with which heads attend to a sound, [num_heads, num_tokens, num_positions]
        float32.

        encoded: [1, num_positions, d_model]. input_ids: int64 [num_tokens]. heads: of layers, by index.
        """
        weights: dict[tuple[int, int], Tensor] = {}
        hooks = []
        for layer in {layer for layer, _ in heads}:
            chosen = [head for place, head in heads if place == layer]

            def keep(
                _: nn.Module, __: Any, output: Any, layer: int = layer, chosen: list[int] = chosen
            ) -> None:
                weights.update({(layer, head): output[1][0, head].float() for head in chosen})

            hooks.append(self.model.decoder.layers[layer].encoder_attn.register_forward_hook(keep))
        try:
            self.model.decoder(input_ids=input_ids[None], encoder_hidden_states=encoded, use_cache=False)
        finally:
            for hook in hooks:
                hook.remove()
        return torch.stack([weights[place] for place in heads])

    @override
    def forward(
        self,
        input_ids: Tensor,
        past_key_values: Cache | None = None,
        position_ids: Tensor | None = None,
        use_cache: bool | None = None,
        logits_to_keep: int | Tensor = 0,
        encoder_hidden_states: Tensor | None = None,
        **_: Any,
    ) -> Seq2SeqLMOutput:
        """Compute the next tokens of a sequence, by the arguments of transformers' language models.

        encoder_hidden_states: what `encode` returns, in the first pass of a sequence; later ones find it in
        their cache. Without it a few made-up rows stand for a sound.
        """
        if encoder_hidden_states is None:
            encoder_hidden_states = self._empty_rows() if _has_audio(past_key_values) else self._trial_rows()
        output = self.model.decoder(
            input_ids=input_ids,
            encoder_hidden_states=encoder_hidden_states,
            past_key_values=past_key_values,
            position_ids=position_ids,
            use_cache=use_cache,
        )
        rows = slice(-logits_to_keep, None) if isinstance(logits_to_keep, int) else logits_to_keep
        logits = self.proj_out(output.last_hidden_state[:, rows])
        return Seq2SeqLMOutput(logits=logits, past_key_values=output.past_key_values)

    def _empty_rows(self) -> Tensor:
        config: Any = self.config
        return torch.empty(1, 0, config.d_model, device=self.device, dtype=self.dtype)

    def _trial_rows(self) -> Tensor:
        """Return what the encoder's layers make of a few made-up rows, [1, num_rows, d_model]."""
        config: Any = self.config
        numbers = torch.arange(_NUM_TRIAL_ROWS * config.d_model, device=self.device)
        rows = numbers.sin().to(self.dtype).view(1, _NUM_TRIAL_ROWS, config.d_model)
        for layer in self.model.encoder.layers:
            rows = layer(rows, None)
        normed: Tensor = self.model.encoder.layer_norm(rows)
        return normed


# The name and the place by which transformers finds the code of a class, and which people know.
SpeechModel.__name__ = WhisperForConditionalGeneration.__name__
SpeechModel.__module__ = WhisperForConditionalGeneration.__module__


def _has_audio(cache: Cache | None) -> bool:
    return isinstance(cache, EncoderDecoderCache) and bool(cache.is_updated.get(0))
