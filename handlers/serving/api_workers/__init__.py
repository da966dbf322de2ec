"""API workers: processes that answer HTTP, over one that has the engine, on one machine (`--api-workers`)."""
