"""The fallback lane: a model that paged attention cannot serve, run with transformers' own cache."""
