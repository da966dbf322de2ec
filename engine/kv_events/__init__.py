"""Publishing of prefix cache changes in vLLM's format, for routers that choose a server by prefix."""
