"""The API apart from the engine: processes that answer HTTP, over one that computes, on one machine."""
