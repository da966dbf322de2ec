"""The logits processors that exclude or favour tokens by name, grammar or watermark."""
