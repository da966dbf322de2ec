"""The comparison with what llama.cpp itself makes of a GGUF file."""
