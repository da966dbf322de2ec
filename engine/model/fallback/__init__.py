"""The fallback path: a model that paged attention cannot serve, run with transformers' own cache."""
