"""The options of TGI, vLLM and llama.cpp, as tables, and the effect that each has here."""
