"""The token API: token ids in, token ids out, as vLLM answers them."""
