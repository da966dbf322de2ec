"""The changes of the prefix cache, published as vLLM does, so that routers know who has which prefix."""
