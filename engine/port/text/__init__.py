"""Text and tokens, which every engine treats alike: the tokenizer, incremental decoding, stop strings."""
