"""What llama.cpp itself makes of a GGUF file."""
